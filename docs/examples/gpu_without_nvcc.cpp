// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays on the GPU in a file that any C++ compiler compiles.
#include "expect.hpp"

#include <iostream>

// [program]
#include <lazyfuse/cuda.hpp>

namespace lf = lazyfuse;

/// Rows divided by their norms, on the GPU: one kernel, made when the program runs.
lf::array<float, 2> normalized(const lf::array<float, 2>& x) { return x / lf::norm(x, lf::axis<1>, lf::keepdims); }
// [program]

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no CUDA-capable device\n";
    return 77;  // skipped
  }
  const lf::array<float, 2> x = lf::random::normal<float>({64, 256}, lf::seed{1});
  const lf::array<float, 2> y = normalized(x);
  expect(lf::max(lf::abs(lf::sum(y * y, lf::axis<1>) - 1)).item() < 1e-5f);

  // [source]
  const lf::source leaky("x > 0 ? x : s * x", "x", "s");  // an expression of C++, and the names of its operands
  const lf::array<float, 2> z = lf::map(leaky, x, 0.1f);  // one kernel
  // [source]
  expect(lf::max(lf::abs(z - lf::where(x > 0, x, 0.1f * x))).item() < 1e-6f);
}
