// expected-error: lazyfuse: more indices than the expression has axes
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x(lf::range(1, 2), 0, lf::all);
#else
  return x(lf::range(1, 2), lf::newaxis, lf::all);
#endif
}
