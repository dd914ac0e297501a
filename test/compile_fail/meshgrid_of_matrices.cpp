// expected-error: lazyfuse: meshgrid takes sequences: expressions of rank 1
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
constexpr int rank = 2;
#else
constexpr int rank = 1;
#endif
auto mistake(const lf::array<float, rank>& x, const lf::array<float, 1>& y) { return lf::meshgrid(x, y); }
