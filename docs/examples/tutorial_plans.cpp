// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeing what runs: the blocks of docs/tutorial/5_gpu.md that need no GPU.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <cmath>
#include <iostream>

namespace lf = lazyfuse;

int main() {
  // [explain]
  const lf::array<float, 2> x = lf::random::normal<float>({1024, 1024}, lf::seed{1});
  const auto e = x / lf::norm(x, lf::axis<1>, lf::keepdims);
  std::cout << lf::explain(e);
  // [explain]

  // [trace]
  const lf::kernel_trace trace;
  const lf::array unit = e;
  for (const lf::kernel_record& k : trace.kernels())
    std::cout << k.pattern << " on " << k.space << " wrote " << k.bytes_written << " bytes\n";
  // [trace]
  expect(lf::all(lf::abs(lf::norm(unit, lf::axis<1>) - 1) < 1e-5).item());

  {
    // [prepare]
    const lf::array<float, 1> force = lf::zeros<float>({1000});
    lf::array<float, 1> speed = lf::ones<float>({1000});
    auto step = lf::prepare(speed, speed * 0.99f + force * 0.01f);  // plans; nothing runs
    for (int n = 0; n < 100; ++n) step();                           // speed = speed * 0.99f + force * 0.01f
    // [prepare]
    expect(std::abs(speed(0).item() - std::pow(0.99, 100)) < 1e-5);

    // [rebind]
    const lf::array<float, 1> wind = lf::ones<float>({1000});
    lf::array<float, 1> other = lf::zeros<float>({1000});
    step(other, other * 0.5f + wind * 0.25f);  // other = other * 0.5f + wind * 0.25f, and nothing is planned
    // [rebind]
    expect(other(0).item() == 0.25f);
  }
}
