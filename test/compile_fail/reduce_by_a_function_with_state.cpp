// expected-error: lazyfuse: the function given to reduce must be a function object without state
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

struct within {
  float most;
  float operator()(float a, float b) const { return a + b < most ? a + b : most; }
};
struct larger {
  float operator()(float a, float b) const { return a > b ? a : b; }
};

auto mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::reduce(within{2}, 0.f, x);
#else
  return lf::reduce(larger{}, 0.f, x);
#endif
}
