// expected-error: lazyfuse: component<K>.x. needs elements vec<T, N>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

auto mistake(const lf::array<lf::vec<float, 3>, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::component<3>(x);
#else
  return lf::component<2>(x);
#endif
}
