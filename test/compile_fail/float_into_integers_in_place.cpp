// expected-error: lazyfuse: the expression.s element type does not convert implicitly; assign cast<T>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using element = std::int32_t;
#else
using element = double;
#endif
void mistake(lf::array<element, 1>& x, const lf::array<float, 1>& y) { x += y; }
