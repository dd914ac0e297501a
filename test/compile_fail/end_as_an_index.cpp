// expected-error: lazyfuse: end is a bound of a range, as in range.start, end., and not an index
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  x(lf::all, lf::end) = 0;
#else
  x(lf::all, lf::range(lf::end - 1, lf::end)) = 0;
  x(lf::all, -1) = 0;
#endif
}
