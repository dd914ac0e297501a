// expected-error: lazyfuse: argmax and argmin are defined for bool and real numbers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::complex<float>, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::argmax(x);
#else
  return lf::argmax(lf::abs(x));
#endif
}
