// expected-error: lazyfuse: a vector fits only arrays of vectors of the same length
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<lf::vec<float, 3>, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  x(0) = lf::vec{1.0f, 2.0f};
#else
  x(0) = lf::vec{1.0f, 2.0f, 3.0f};
#endif
}
