// expected-error: lazyfuse: the step of a range is an integer
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x(lf::range(0, 4, 1.5));
#else
  return x(lf::range(0, 4, 2));
#endif
}
