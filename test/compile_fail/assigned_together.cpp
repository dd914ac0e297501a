// expected-error: lazyfuse: tie takes arrays that have a name and are not const, and slices of them that have none
// expected-error: lazyfuse: tie takes arrays that have a name and are not const, and slices of them that have none
// expected-error: lazyfuse: tie takes arrays that have a name and are not const, and slices of them that have none
// expected-error: lazyfuse: tie is written where it is assigned to, as in assign.tie.x, y., e1, e2.
// expected-error: lazyfuse: assign.tie.x, y., e1, e2. takes as many expressions as arrays
// expected-error: lazyfuse: arrays assigned to together must live in one space
// expected-error: lazyfuse: the expression's element type does not convert implicitly; assign cast<T>.e.
// expected-error: lazyfuse: the expression has more axes than the slice it is assigned to
// expected-error: lazyfuse: a floating-point number cannot be assigned to integers; convert it first
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using space = lf::cuda;
#else
using space = lf::host;
#endif
void mistake(lf::array<float, 1>& x, lf::array<float, 1>& y, const lf::array<float, 1>& c,
             const lf::array<double, 1>& d, lf::array<float, 1, space>& z, lf::array<lf::int16, 1>& i) {
#ifdef LAZYFUSE_EXPECT_ERROR
  lf::assign(lf::tie(x, c), y, x);
  lf::assign(lf::tie(x + y), y);
  auto view = x(0);
  lf::assign(lf::tie(view, y), 0, x);
  auto named = lf::tie(x(0), y);
  lf::assign(named, 0, x);
  lf::assign(lf::tie(x, y), y);
  lf::assign(lf::tie(x, z), 0, 0);
  lf::assign(lf::tie(x, y), y, x + d);
  lf::assign(lf::tie(x(0), y), x, x);
  lf::assign(lf::tie(x, i), y, 0.5);
#else
  lf::assign(lf::tie(x, y), y, x + c);
  lf::assign(lf::tie(x(0), y), y(1), lf::cast<float>(d));
  lf::assign(lf::tie(z, i), 0, 1);
#endif
}
