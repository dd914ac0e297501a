// expected-error: lazyfuse: the arrays of one expression must live in one space
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using other = lf::cuda;
#else
using other = lf::host;
#endif
auto mistake(const lf::array<float, 1, lf::host>& x, const lf::array<float, 1, other>& y) { return x + y; }
