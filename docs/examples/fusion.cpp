// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes one kernel, what does not, and how to change it: the plans quoted in docs/fusion.md.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <iostream>
#include <string>

namespace lf = lazyfuse;

/// Evaluates e, which is as many kernels.
template <class E>
void run(const E& e, int kernels) {
  const lf::kernel_trace trace;
  const auto result = lf::materialize(e);
  expect(trace.launches() == kernels);
}

int main() {
  using lf::axis, lf::keepdims;
  const lf::array<float, 2> x = lf::sin(lf::reshape(lf::materialize(lf::arange<float>(1 << 20)), {1024, 1024}));

  // Reductions along the rows, broadcast back over them: one kernel that carries each row through three passes.
  // [rows]
  const auto e = lf::exp(x - lf::max(x, axis<1>, keepdims));
  const auto softmax = e / lf::sum(e, axis<1>, keepdims);
  std::cout << lf::explain(softmax);
  // [rows]
  run(softmax, 1);

  // Reductions along rows and along columns: no order of the elements serves both.
  const auto both_axes = x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims);
  std::cout << lf::explain(both_axes);
  run(both_axes, 3);

  // Pairs of bodies: views of the arguments are told apart by types, and equal ones are one operand.
  {
    // [pairs]
    const auto pull = lf::fuse([](auto x, auto y, auto mass) {
      using lf::all, lf::newaxis;
      const auto dx = x(newaxis, all) - x(all, newaxis);
      const auto dy = y(newaxis, all) - y(all, newaxis);
      const auto i = lf::rsqrt(dx * dx + dy * dy + lf::c<1>);
      return lf::sum(mass(newaxis, all) * i * i * i * dx, axis<1>);
    });
    // [pairs]
    const lf::array u = lf::sin(lf::arange<float>(64)), v = lf::cos(lf::arange<float>(64)), m = u * u + 1;
    run(pull(u, v, m), 1);
    expect(lf::plan(pull(u, v, m)).kernels[0].operands.size() == 5);
  }

  // A cut by hand: values and shapes stay, and what is used twice is computed once.
  // [barrier]
  const auto b = lf::barrier(lf::sin(x) * 2);
  std::cout << lf::explain(b + lf::transpose(b));
  // [barrier]
  run(b + lf::transpose(b), 2);
  expect(lf::all(lf::abs(b - lf::sin(x) * 2) < 1e-6).item());

  // A cut by limits: no kernel reads more than three arrays.
  run(lf::limited(x * x + x * x(0), lf::plan_limits<3>{}), 2);

  // Measured on this machine, and taken from now on for such programs and shapes.
  const lf::tuned found = lf::tune(softmax);
  std::cout << "tune: rows " << found.rows_us << " us, cut " << found.cut_us << " us\n";
  {
    const lf::kernel_trace trace;
    const lf::array again = softmax;
    expect((trace.kernels().back().pattern == "rows") == (found.plan == std::string("rows")));
  }
  lf::tuning::clear();
}
