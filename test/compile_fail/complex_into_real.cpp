// expected-error: lazyfuse: cast does not make complex numbers real; use real
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::complex<float>, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::cast<float>(x);
#else
  return lf::real(x);
#endif
}
