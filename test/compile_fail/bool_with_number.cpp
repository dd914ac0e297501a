// expected-error: lazyfuse: bool and numbers do not mix; convert the bool operand with cast<T>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x, const lf::array<bool, 1>& mask) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x * mask;
#else
  return x * lf::cast<float>(mask);
#endif
}
