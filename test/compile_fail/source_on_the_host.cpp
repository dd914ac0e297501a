// expected-error: lazyfuse: source\(...\) is compiled for arrays on the GPU; on the host map takes a function
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that is text, of an array on the host.
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

lf::array<float, 1, lf::host> x{1, 2};
#ifdef LAZYFUSE_EXPECT_ERROR
const auto y = lf::map(lf::source("x + 1", "x"), x);
#endif
