// expected-error: lazyfuse: broadcast_to cannot lower the rank
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::broadcast_to(x, {4});
#else
  return lf::broadcast_to(x, {3, 4, 4});
#endif
}
