// expected-error: lazyfuse: this operation is not defined for complex numbers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::complex<float>, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return x < 2;
#else
  return lf::abs(x) < 2;
#endif
}
