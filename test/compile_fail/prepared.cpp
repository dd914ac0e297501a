// expected-error: lazyfuse: prepare.y, e. takes an array that has a name and is not const
// expected-error: lazyfuse: prepare.y, e. takes an array that has a name and is not const
// expected-error: lazyfuse: a prepared assignment runs over other arrays and scalars of the same types
// expected-error: lazyfuse: a prepared assignment runs over other arrays and scalars of the same types
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& y, const lf::array<float, 1>& x, const lf::array<double, 1>& d) {
  auto step = lf::prepare(y, x * 2);
#ifdef LAZYFUSE_EXPECT_ERROR
  auto none = lf::prepare(lf::array<float, 1>(), x * 2);
  none();
  lf::prepare(x, x * 2);
  step(y, x + 2);
  step(y, d * 2);
#else
  step(y, x * 3);
#endif
}
