// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broadcasting, views and writing: the blocks of docs/tutorial/2_views.md.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <iostream>

namespace lf = lazyfuse;

int main() {
  // [broadcast]
  using lf::all, lf::newaxis, lf::range;
  const lf::array hours = lf::arange<int>(1, 5);   // shape (4)
  const lf::array<int, 1> rates{10, 20, 30};       // shape (3)
  const auto costs = hours(all, newaxis) * rates;  // (4, 1) with (3) is (4, 3)
  std::cout << costs - costs(0) << '\n';           // a view of an expression is a view of its arrays
  // [broadcast]

  // [views]
  const lf::array x = lf::reshape(lf::arange<int>(12), {3, 4});
  std::cout << x(1) << '\n'                                  // x[1]
            << x(all, range(1, -1)) << '\n'                  // x[:, 1:-1]
            << x(0, range(lf::none, lf::none, -1)) << '\n';  // x[0, ::-1]
  // [views]

  // [shapes]
  const auto turned = x.T();                                       // transpose(x), x.T
  const auto cube = lf::reshape(x, {2, 2, -1});                    // x.reshape(2, 2, -1)
  const auto moved = lf::permute_dims<2, 0, 1>(cube);              // np.permute_dims(cube, (2, 0, 1))
  const auto mirrored = lf::flip(x, lf::axis<1>);                  // np.flip(x, axis=1)
  const auto rows = lf::broadcast_to(lf::arange<int>(4), {3, 4});  // np.broadcast_to(np.arange(4), (3, 4))
  // [shapes]
  expect(turned.shape() == lf::shape(4, 3) && moved.shape() == lf::shape(3, 2, 2));
  expect(lf::array_equal(mirrored(0), lf::array<int, 1>{3, 2, 1, 0}) && lf::array_equal(rows(2), x(0)));

  // [write]
  lf::array y = x;
  y(0) = 0;                                                          // y[0] = 0
  y(all, -1) += lf::array<int, 1>{100, 200, 300};                    // y[:, -1] += [100, 200, 300]
  y(range(1, lf::end), range(0, 2)) = y(range(0, -1), range(2, 4));  // overlaps: as if the right side were a copy
  std::cout << y << '\n' << x(0) << '\n';
  // [write]

  // [kept]
  const auto first = y(0);
  y(0) = -1;
  std::cout << first << '\n' << y(0) << '\n';
  // [kept]

  // [cost]
  lf::array<double, 2> a = lf::zeros({1000, 1000});
  const auto view = a(0);  // holds all of a
  lf::kernel_trace of_the_view;
  a(1) = view + 1;  // copies a, 8 MB
  std::cout << of_the_view.allocations() << " array was allocated\n";

  const lf::array row = a(0);  // a copy of one row
  lf::kernel_trace of_the_row;
  a(1) = row + 1;   // writes a row of a
  a(2) = a(0) + 1;  // so does this: the view lives no longer than the assignment
  std::cout << of_the_row.allocations() << " arrays were allocated\n";
  // [cost]

  // [stencil]
  lf::array<double, 2> t = lf::zeros<double>({5, 6});
  t(0) = 100.0;
  const auto inside = range(1, -1);
  for (int step = 0; step < 50; ++step)
    t(inside, inside) = (t(range(0, -2), inside) + t(range(2, lf::end), inside) + t(inside, range(0, -2)) +
                         t(inside, range(2, lf::end))) /
                        4;
  std::cout << lf::round(t) << '\n';
  // [stencil]
}
