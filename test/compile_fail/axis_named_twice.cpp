// expected-error: lazyfuse: a reduction can name an axis only once
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::sum(x, lf::axis<1, -1>);
#else
  return lf::sum(x, lf::axis<0, -1>);
#endif
}
