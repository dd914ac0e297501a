// expected-error: lazyfuse: normalize takes a norm of order 1, 2 or inf
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
constexpr auto order = lf::ord<3>;
#else
constexpr auto order = lf::ord<2>;
#endif
auto mistake(const lf::array<float, 1>& x) { return lf::normalize(x, order); }
