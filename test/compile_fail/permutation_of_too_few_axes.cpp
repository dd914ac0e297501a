// expected-error: lazyfuse: permute_dims names every axis once
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 3>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::permute_dims<1, 0>(x);
#else
  return lf::permute_dims<1, 0, 2>(x);
#endif
}
