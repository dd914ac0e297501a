// expected-error: lazyfuse: bool and numbers do not mix
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<double, 1>& x, const lf::array<bool, 1>& mask) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::where(mask, x, mask);
#else
  return lf::where(mask, x, 0);
#endif
}
