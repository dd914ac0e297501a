// expected-error: lazyfuse: there is no memory behind this expression
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
void mistake(const lf::array<lf::vec<float, 3>, 1>& x) {
#else
void mistake(lf::array<lf::vec<float, 3>, 1>& x) {
#endif
  lf::component<0>(x) = 1;
}
