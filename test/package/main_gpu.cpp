// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/cuda.hpp>

namespace lf = lazyfuse;

int main() {
  lf::array<float, 1> x = lf::ones<float>({3});
  const float norm2 = lf::sum(x * x).item();
  return norm2 == 3 ? 0 : 1;
}
