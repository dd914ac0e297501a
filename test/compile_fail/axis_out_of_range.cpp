// expected-error: lazyfuse: axis out of range for the rank of this expression
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::sum(x, lf::axis<2>);
#else
  return lf::sum(x, lf::axis<-2>);
#endif
}
