// expected-error: lazyfuse: the expression.s element type does not convert implicitly; assign cast<T>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& z, const lf::array<double, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  z = x * 2;
#else
  z = lf::cast<float>(x * 2);
#endif
}
