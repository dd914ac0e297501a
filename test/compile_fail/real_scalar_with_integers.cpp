// expected-error: lazyfuse: a floating-point scalar does not fit an integer array
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>

namespace lf = lazyfuse;

auto mistake(const lf::array<std::int32_t, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x * 2.5;
#else
  return lf::cast<double>(x) * 2.5;
#endif
}
