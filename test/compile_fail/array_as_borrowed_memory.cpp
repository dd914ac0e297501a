// expected-error: lazyfuse: into is for borrowed memory; write x = e
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  lf::into(x) = 0.0f;
#else
  x = 0.0f;
#endif
}
