// expected-error: lazyfuse: the expression lives in another space; move it with to<host>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using there = lf::cuda;
#else
using there = lf::host;
#endif
void mistake(lf::array<float, 1, lf::host>& z, const lf::array<float, 1, there>& x) { z = x + 1; }
