// expected-error: lazyfuse: var and std take axis<...>, ddof{k} and keepdims
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::var(x, 1);
#else
  return lf::var(x, lf::ddof{1});
#endif
}
