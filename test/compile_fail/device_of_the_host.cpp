// expected-error: lazyfuse: there are several devices in the space lf::cuda only
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::to<lf::host>(x, lf::device{1});
#else
  return lf::to<lf::host>(x);
#endif
}
