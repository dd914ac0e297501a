// expected-error: lazyfuse: the condition of where must be bool
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::where(x, x, 0);
#else
  return lf::where(x != 0, x, 0);
#endif
}
