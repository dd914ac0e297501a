// expected-error: lazyfuse: only bool and numbers can be loaded
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

struct particle {
  float x, y, mass;
};

auto mistake() {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::load<particle, 1>("particles.npy");
#else
  return lf::load<float, 2>("particles.npy");
#endif
}
