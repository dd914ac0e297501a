// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions fuse with what comes before and after them, and with each other.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <cmath>
#include <iostream>

namespace lf = lazyfuse;

int main() {
  const lf::array<double, 2> x{{3, 4, 0}, {6, 8, 0}};

  // The norm of each row: squares before, roots after, one kernel; the squares are never stored.
  {
    const lf::kernel_trace trace;
    const lf::array norm = lf::sqrt(lf::sum(lf::square(x), lf::axis<-1>));
    expect(trace.launches() == 1 && trace.allocated_bytes() == 2 * sizeof(double));
    expect(lf::array_equal(norm, lf::array<double, 1>{5, 10}));
  }

  // Several reductions of one array are one pass over it.
  {
    const lf::kernel_trace trace;
    const auto [low, high, middle] = lf::materialize(lf::min(x), lf::max(x), lf::mean(x));
    expect(trace.launches() == 1);
    expect(low.item() == 0 && high.item() == 8 && middle.item() == 3.5);
  }

  // keepdims leaves an axis of extent 1, which broadcasts against the array: rows that sum to 1.
  const lf::array share = x / lf::sum(x, lf::axis<1>, lf::keepdims);
  expect(lf::all(lf::abs(lf::sum(share, lf::axis<1>) - 1) < 1e-15).item());

  // Any set of axes, compile-time and NumPy's names; sums of bool count in 64 bits.
  const lf::array cube = lf::reshape(lf::arange<int>(24), {2, 3, 4});
  expect(lf::array_equal(lf::max(cube, lf::axis<0, 2>), lf::array<int, 1>{15, 19, 23}));
  expect(lf::array_equal(lf::sum(cube > 11, lf::axis<0, -1>), lf::array<std::int64_t, 1>{4, 4, 4}));
  expect(lf::any(cube == 23).item() && !lf::all(cube).item());
  expect(lf::mean(cube).item() == 11.5);

  // A whole calculation: the standard deviation, by hand.
  const auto deviation = lf::sqrt(lf::mean(lf::square(x - lf::mean(x))));
  std::cout << "standard deviation " << deviation.item() << '\n' << lf::explain(deviation);
  expect(std::abs(deviation.item() - std::sqrt(103.0 / 12)) < 1e-12);
}
