// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example of the README, with its results checked.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <iostream>

namespace lf = lazyfuse;

int main() {
  // [first]
  using lf::all, lf::range;
  lf::array<float, 2> x{{0, 5, 9}, {16, 35, 5}};
  auto y = lf::sqrt(x * x + 144) - 12;                               // an expression: nothing has run
  lf::array z = y;                                                   // one kernel, no temporary
  lf::array s = lf::sum(y, lf::axis<1>);                             // one kernel; y never exists in memory
  auto [lowest, highest] = lf::materialize(lf::min(y), lf::max(y));  // both in one pass
  z(all, range(1, lf::end)) -= z(all, range(0, -1));                 // views read and write, as NumPy's slices
  x = lf::zeros<float>({2, 3});                                      // y still sees the x it was written with
  std::cout << z << '\n' << s << '\n' << lf::explain(y);
  // [first]

  expect(lf::array_equal(y, lf::array<float, 2>{{0, 1, 3}, {8, 25, 1}}));
  expect(lf::array_equal(s, lf::array<float, 1>{4, 34}));
  expect(lf::array_equal(z, lf::array<float, 2>{{0, 1, 2}, {8, 17, -24}}));
  expect(lowest.item() == 0 && highest.item() == 25);
}
