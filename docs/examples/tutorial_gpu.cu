// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spaces and streams: the blocks of docs/tutorial/5_gpu.md that want a GPU.
#include "expect.hpp"

// [include]
#include <lazyfuse/cuda.cuh>

#include <iostream>

namespace lf = lazyfuse;
// [include]

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no CUDA-capable device\n";
    return 77;  // skipped
  }

  cudaStream_t stream = nullptr;
  expect(cudaStreamCreate(&stream) == cudaSuccess);
  {
    // [spaces]
    const lf::array<float, 1> x = lf::arange<float>(1 << 20);  // array<float, 1, lf::cuda>
    const lf::array<float, 1> y = x * 2 + 1;                   // one kernel; nothing waits for it
    const lf::array<float, 1, lf::host> here = lf::to<lf::host>(y(lf::range(0, 4)));  // waits, and copies
    const lf::array<float, 1> there = lf::to<lf::cuda>(here + 1);                     // added by the CPU, then copied
    std::cout << here << '\n' << there + y(lf::range(0, 4)) << '\n' << lf::sum(there).item() << '\n';
    // [spaces]

    // [streams]
    lf::array<float, 1> z = lf::materialize(lf::on(stream), lf::sqrt(y));  // on a stream of the program's
    lf::assign(lf::on(stream), z, z * z - y);                              // in its order
    const float difference = lf::max(lf::abs(z)).item();  // on the library's stream again, which waits for z first
    // [streams]
    expect(difference < 1);
  }  // a stream outlives the arrays that were used on it, y too, which is only read there
  lf::synchronize();
  expect(cudaStreamDestroy(stream) == cudaSuccess);

  const lf::array<float, 2> table = lf::random::normal<float>({1024, 1024}, lf::seed{1});  // drawn where it is stored
  const auto unit = table / lf::norm(table, lf::axis<1>, lf::keepdims);
  std::cout << lf::explain(unit);
  const lf::kernel_trace trace;
  const lf::array result = unit;
  expect(trace.launches() == 1 && trace.kernels()[0].space == "cuda");
}
