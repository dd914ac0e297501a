// expected-error: lazyfuse: this memory was borrowed as const, so it can only be read
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using element = const float;
#else
using element = float;
#endif

void mistake(element* p) { lf::into(lf::borrow(p, {2, 3})(0)) = lf::arange<float>(3); }
