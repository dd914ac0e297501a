// expected-error: lazyfuse: an index has at most one ellipsis
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 3>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x(lf::ellipsis, 0, lf::ellipsis);
#else
  return x(lf::all, 0, lf::ellipsis);
#endif
}
