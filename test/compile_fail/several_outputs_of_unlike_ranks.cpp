// expected-error: lazyfuse: expressions materialised together have one rank
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<float, 2>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::materialize(x + 1, lf::sum(x));
#else
  return lf::materialize(x + 1, x + 2);
#endif
}
