// expected-error: lazyfuse: ranks go from 0 to 8
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 8>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x(lf::newaxis);
#else
  return x(lf::newaxis, 0);
#endif
}
