// expected-error: lazyfuse: only bool and numbers can be printed or saved
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

struct particle {
  float x, y, mass;
};

void mistake(const lf::array<particle, 1>& p) {
#ifdef LAZYFUSE_EXPECT_ERROR
  lf::save("particles.npy", p);
#else
  lf::save("shape.npy", lf::zeros<float>(p.shape()));
#endif
}
