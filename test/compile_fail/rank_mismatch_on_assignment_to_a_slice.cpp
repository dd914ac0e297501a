// expected-error: lazyfuse: the expression has more axes than the slice it is assigned to
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 2>& z, const lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  z(0) = x;
#else
  z(0) = x(0);
#endif
}
