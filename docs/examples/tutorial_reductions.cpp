// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and several results in one pass: the blocks of docs/tutorial/3_reductions.md.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <iostream>
#include <utility>

namespace lf = lazyfuse;

int main() {
  // [axes]
  using lf::axis, lf::keepdims;
  const lf::array<double, 2> x{{1, 2, 6}, {5, 7, 9}};
  std::cout << lf::sum(x) << '\n'                         // x.sum()
            << lf::sum(x, axis<0>) << '\n'                // x.sum(axis=0)
            << lf::mean(x, axis<-1>, keepdims) << '\n'    // x.mean(axis=-1, keepdims=True)
            << lf::std(x, axis<1>, lf::ddof{1}) << '\n';  // x.std(axis=1, ddof=1)
  // [axes]

  // [fused]
  const lf::array lengths = lf::sqrt(lf::sum(lf::square(x), axis<1>));  // one kernel; the squares are never stored
  const lf::array shares = x / lf::sum(x, axis<1>, keepdims);           // one kernel as well
  std::cout << lengths << '\n' << shares << '\n';
  // [fused]

  // [together]
  const auto [low, high, mean, where] = lf::materialize(lf::min(x), lf::max(x), lf::mean(x), lf::argmax(x));
  std::cout << low << ' ' << high << ' ' << mean << ' ' << where << '\n';
  // [together]

  // [trace]
  const lf::kernel_trace trace;
  const auto [centred, unit] = lf::materialize(x - lf::mean(x, axis<1>, keepdims), x / lf::norm(x, axis<1>, keepdims));
  std::cout << trace.launches() << " kernel, " << trace.allocations() << " allocations\n";
  // [trace]

  // [assigned]
  using vector = lf::array<double, 1>;
  vector p{1, 2, 3}, m{0, 0, 0}, v{0, 0, 0};
  const vector g{0.5, -1, 2};
  const auto step = [&] {
    auto m2 = 0.9 * m + 0.1 * g;
    auto v2 = 0.999 * v + 0.001 * g * g;
    auto p2 = p - 0.01 * m2 / (lf::sqrt(v2) + 1e-8);
    lf::assign(lf::tie(p, m, v), std::move(p2), std::move(m2), std::move(v2));
  };
  const lf::kernel_trace steps;
  step();
  step();
  std::cout << p << ' ' << steps.launches() << " kernels, " << steps.allocations() << " allocations\n";
  // [assigned]

  // [softmax]
  const auto shifted = lf::exp(x - lf::max(x, axis<1>, keepdims));
  const auto by_hand = shifted / lf::sum(shifted, axis<1>, keepdims);
  std::cout << lf::array_equal(lf::argmax(by_hand, axis<1>), lf::argmax(lf::softmax(x), axis<1>)) << '\n'
            << lf::explain(by_hand);
  // [softmax]
  expect(lf::all(lf::abs(by_hand - lf::softmax(x)) < 1e-15).item());

  // [empty]
  const lf::array<double, 2> none(lf::shape(0, 3));
  std::cout << lf::sum(none, axis<0>) << '\n';
  try {
    const auto largest = lf::max(none, axis<0>);
  } catch (const lf::shape_error& problem) {
    std::cout << problem.what() << '\n';
  }
  // [empty]
}
