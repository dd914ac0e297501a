// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views are index maps: of arrays and of expressions not yet evaluated, to read and to write. They cost nothing.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <iostream>

namespace lf = lazyfuse;
using row = lf::array<int, 1>;
using table = lf::array<int, 2>;

int main() {
  using lf::all, lf::ellipsis, lf::newaxis, lf::none, lf::range;
  const lf::array x = lf::reshape(lf::arange<int>(12), {3, 4});  // 0 1 2 3 | 4 5 6 7 | 8 9 10 11
  std::cout << x << '\n';

  {
    const lf::kernel_trace trace;
    const auto every_other = x(all, range(none, none, 2));
    const auto doubled = (x + x)(1);  // a view of an expression
    expect(every_other.shape() == lf::shape{3, 2} && doubled.shape() == lf::shape{4});
    expect(trace.launches() == 0 && trace.allocations() == 0);
  }

  expect(lf::array_equal(x(1), row{4, 5, 6, 7}));
  expect(lf::array_equal(x(ellipsis, -1), row{3, 7, 11}));
  expect(lf::array_equal(x(range(1, lf::end), range(-2, lf::end)), table{{6, 7}, {10, 11}}));
  expect(lf::array_equal(x(0, range(lf::end - 3, lf::end)), row{1, 2, 3}));
  expect(lf::array_equal(x(0, range(none, none, -1)), row{3, 2, 1, 0}));
  expect(lf::array_equal(lf::flip(x, lf::axis<0>)(0), x(2)));
  expect(lf::array_equal(lf::transpose(x)(1), row{1, 5, 9}));
  expect(lf::array_equal(lf::reshape(x, {2, -1})(1), row{6, 7, 8, 9, 10, 11}));

  // Axes of extent 1 broadcast: a table of products, computed as it is stored.
  const lf::array n = lf::arange<int>(1, 4);
  expect(lf::array_equal(n(all, newaxis) * n, table{{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}));

  // Stencils are differences of slices; views of them compose.
  const auto slope = x(all, range(1, lf::end)) - x(all, range(0, -1));
  expect(lf::array_equal(slope(range(1, lf::end), all) - slope(range(0, -1), all), lf::zeros<int>({2, 3})));

  // Writing through a view changes the array it is taken from, and nobody else's copy.
  lf::array y = x;
  y(range(none, none, 2), 0) = -1;
  y(1) += lf::array<int, 1>{100, 200, 300, 400};
  y(all, range(1, lf::end)) = y(all, range(0, -1));  // overlapping: as if the right side were a copy
  expect(lf::array_equal(y, table{{-1, -1, 1, 2}, {104, 104, 205, 306}, {-1, -1, 9, 10}}));
  expect(x(0, 0).item() == 0);
}
