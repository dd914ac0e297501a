// expected-error: lazyfuse: the callable given to map cannot be called with these element types
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using argument = const char*;
#else
using argument = float;
#endif
struct function {
  float operator()(argument) const { return 0; }
};
auto mistake(const lf::array<float, 1>& x) { return lf::map(function{}, x); }
