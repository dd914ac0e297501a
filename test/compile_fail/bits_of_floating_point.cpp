// expected-error: lazyfuse: this operation is defined for integers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x & 1;
#else
  return lf::cast<lf::int32>(x) & 1;
#endif
}
