// expected-error: lazyfuse: expressions materialised together must live in one space
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using space = lf::cuda;
#else
using space = lf::host;
#endif
void mistake(const lf::array<float, 1, lf::host>& x, const lf::array<float, 1, space>& y) {
  (void)lf::materialize(x + 1, y + 1);
}
