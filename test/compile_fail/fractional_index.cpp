// expected-error: lazyfuse: an index is an integer, range
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x(1.5);
#else
  return x(1);
#endif
}
