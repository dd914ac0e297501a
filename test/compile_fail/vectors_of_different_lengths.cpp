// expected-error: lazyfuse: the operands are vectors of different lengths
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::vec<float, 3>, 1>& x, [[maybe_unused]] const lf::array<lf::vec<float, 4>, 1>& y) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x + y;
#else
  return x + x;
#endif
}
