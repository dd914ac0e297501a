// expected-error: lazyfuse: a stored view cannot be written through
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  auto view = x(lf::range(0, 2));
  view = 1;
#else
  x(lf::range(0, 2)) = 1;
#endif
}
