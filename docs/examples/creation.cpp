// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions without arrays: random numbers, which are functions of a seed and a place, and grids. None takes memory.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

int main() {
  // [creation]
  lf::array<float, 2> w = lf::random::normal<float>({512, 512}, lf::seed{42}, 0, 0.02f);       // one kernel that writes
  auto dropped = lf::where(lf::random::bernoulli({512, 512}, 0.9, lf::seed{7}), w / 0.9f, 0);  // no mask in memory
  auto [gx, gy] = lf::meshgrid(lf::linspace<float>(-1, 1, 512), lf::linspace<float>(-1, 1, 512));
  lf::array<float, 2> bell = lf::exp(-(gx * gx + gy * gy));  // one kernel that writes
  // [creation]
  expect(bell(0, 0).item() == bell(-1, -1).item());

  {
    const lf::kernel_trace trace;
    expect(lf::mean(dropped).item() != 0);
    expect(trace.launches() == 1 && trace.bytes_read() == 512 * 512 * 4);
  }

  // A slice of what was never in memory is the slice of its array, also beyond 2^40 elements.
  expect(lf::array_equal(lf::random::normal<float>({512, 512}, lf::seed{42}, 0, 0.02f)(3), w(3)));
  const auto endless = lf::random::uniform<double>({1 << 20, 1 << 20}, lf::seed{1});
  expect(
      lf::array_equal(endless(1000, lf::range(5, 8)), lf::reshape(endless, {-1})(lf::range(1048576005, 1048576008))));

  // Pi, by points of a square: two seeds, since two expressions of one seed are the same numbers.
  const lf::seed points(2026);
  const auto inside = lf::fuse([](auto x, auto y) { return lf::cast<double>(x * x + y * y < 1); });
  const double pi = 4 * lf::mean(inside(lf::random::uniform<float>({1 << 22}, points.split(0)),
                                        lf::random::uniform<float>({1 << 22}, points.split(1))))
                            .item();
  expect(pi > 3.138 && pi < 3.145);
}
