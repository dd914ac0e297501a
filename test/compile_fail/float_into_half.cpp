// expected-error: lazyfuse: the expression.s element type does not convert implicitly
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<lf::half, 1>& x, const lf::array<float, 1>& y) {
#ifdef LAZYFUSE_EXPECT_ERROR
  x = y * 2;
#else
  x = lf::cast<lf::half>(y * 2);
#endif
}
