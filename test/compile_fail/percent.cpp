// expected-error: lazyfuse: % does not exist; use remainder
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>

namespace lf = lazyfuse;

auto mistake(const lf::array<std::int32_t, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x % 3;
#else
  return lf::remainder(x, 3);
#endif
}
