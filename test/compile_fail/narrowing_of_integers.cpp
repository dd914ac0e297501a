// expected-error: lazyfuse: the expression.s element type does not convert implicitly; assign cast<T>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>

namespace lf = lazyfuse;

/// Sums of int32 are int64.
void mistake(const lf::array<std::int32_t, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  lf::array<std::int32_t, 0> total = lf::sum(x);
#else
  lf::array<std::int32_t, 0> total = lf::cast<std::int32_t>(lf::sum(x));
#endif
}
