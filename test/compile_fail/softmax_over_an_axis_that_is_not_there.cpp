// expected-error: lazyfuse: axis out of range for the rank of this expression
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
constexpr auto along = lf::axis<1>;
#else
constexpr auto along = lf::axis<0>;
#endif
auto mistake(const lf::array<float, 1>& x) { return lf::softmax(x, along); }
