// expected-error: lazyfuse: vec<T, N> has N numbers, or bools, as components
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
lf::vec<lf::vec<float, 2>, 3> x;
#else
lf::vec<float, 6> x;
#endif
