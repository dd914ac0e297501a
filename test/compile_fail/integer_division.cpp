// expected-error: lazyfuse: / of two integer operands does not exist; use floor_divide
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>

namespace lf = lazyfuse;

auto mistake(const lf::array<std::int32_t, 1>& x, const lf::array<std::int64_t, 1>& y) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x / y;
#else
  return lf::floor_divide(x, y);
#endif
}
