// expected-error: lazyfuse: the expression and what it is assigned to have different ranks
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
constexpr int rank = 2;
#else
constexpr int rank = 1;
#endif
lf::array<float, rank> mistake(const lf::array<float, 1>& x) { return x + 1; }
