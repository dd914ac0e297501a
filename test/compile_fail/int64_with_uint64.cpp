// expected-error: lazyfuse: int64 and uint64 have no common type
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::int64, 1>& x, const lf::array<lf::uint64, 1>& y) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x + y;
#else
  return x + lf::cast<lf::int64>(y);
#endif
}
