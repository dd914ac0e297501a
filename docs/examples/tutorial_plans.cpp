// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeing what runs: the blocks of docs/tutorial/5_gpu.md that need no GPU.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <iostream>

namespace lf = lazyfuse;

int main() {
  // [explain]
  const lf::array<float, 2> x = lf::random::normal<float>({1024, 1024}, lf::seed{1});
  const auto e = x / lf::norm(x, lf::axis<1>, lf::keepdims);
  std::cout << lf::explain(e);
  // [explain]

  // [trace]
  const lf::trace trace;
  const lf::array unit = e;
  for (const lf::kernel_record& k : trace.kernels())
    std::cout << k.pattern << " on " << k.space << " wrote " << k.bytes_written << " bytes\n";
  // [trace]
  expect(lf::all(lf::abs(lf::norm(unit, lf::axis<1>) - 1) < 1e-5).item());
}
