// expected-error: lazyfuse: arange makes integers, float or double
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake() {
#ifdef LAZYFUSE_EXPECT_ERROR
  (void)lf::arange<bool>(2);
#else
  (void)lf::arange<int>(2);
#endif
}
