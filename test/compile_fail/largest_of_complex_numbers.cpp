// expected-error: lazyfuse: complex numbers have no largest or smallest
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::complex<float>, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::max(x);
#else
  return lf::max(lf::abs(x));
#endif
}
