// expected-error: lazyfuse: a floating-point number cannot be assigned to integers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<int, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  x = 2.5;
#else
  x = 2;
#endif
}
