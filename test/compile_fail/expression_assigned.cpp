// expected-error: lazyfuse: there is no memory behind this expression
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  lf::flip(x) = 1;
#else
  x(lf::range(lf::none, lf::none, -1)) = 1;
#endif
}
