// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

int main() {
  lf::array<float, 1> x{1, 2, 3};
  const float norm2 = lf::sum(x * x).item();
  return norm2 == 14 ? 0 : 1;
}
