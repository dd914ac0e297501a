// expected-error: lazyfuse: normalizations are not defined for bool; convert with cast<T>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using element = bool;
#else
using element = float;
#endif
auto mistake(const lf::array<element, 1>& x) { return lf::softmax(x); }
