// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same expressions on the GPU, in the order of a CUDA stream, beside kernels of one's own.
#include "expect.hpp"

#include <lazyfuse/cuda.cuh>
#include <iostream>

namespace lf = lazyfuse;

/// A kernel that the program had before.
__global__ void halve(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] /= 2;
}

int main() {
  using lf::all, lf::range;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no CUDA-capable device\n";
    return 77;  // skipped
  }

  // Linked with lazyfuse::cuda, arrays live on the GPU unless their type says otherwise.
  lf::array<float, 2> x{{0, 5, 9}, {16, 35, 5}};
  auto y = lf::sqrt(x * x + 144) - 12;
  lf::array z = y;
  lf::array s = lf::sum(y, lf::axis<1>);
  auto [lowest, highest] = lf::materialize(lf::min(y), lf::max(y));
  z(all, range(1, lf::end)) -= z(all, range(0, -1));
  std::cout << z << '\n' << s << '\n' << lf::explain(y);
  expect(lf::array_equal(z, lf::array<float, 2>{{0, 1, 2}, {8, 17, -24}}));
  expect(lf::array_equal(lf::to<lf::host>(s), lf::array<float, 1, lf::host>{4, 34}));
  expect(lowest.item() == 0 && highest.item() == 25);  // item() waits for the kernel and fetches one number

  cudaStream_t stream;
  float* memory = nullptr;
  const int n = 1 << 20;
  expect(cudaStreamCreate(&stream) == cudaSuccess);
  expect(cudaMalloc(&memory, n * sizeof(float)) == cudaSuccess);
  {
    // On a stream of the program's, between its own kernels; nothing waits before the program does.
    lf::array<float, 1> a(lf::shape{n});
    lf::assign(lf::on(stream), a, lf::arange<float>(n) * 2);
    halve<<<(n + 255) / 256, 256, 0, stream>>>(a.data(), n);
    lf::assign(lf::on(stream), a, a + 1);
    const auto total = lf::materialize(lf::on(stream), lf::sum(lf::cast<double>(a)));
    expect(cudaStreamSynchronize(stream) == cudaSuccess);
    expect(total.item() == 0.5 * n * (n - 1.0) + n);

    // Memory from cudaMalloc, read and written where it is; the other stream is waited for.
    const auto theirs = lf::borrow<lf::cuda>(memory, {n});
    lf::into(theirs) = lf::sqrt(a);
    expect(lf::array_equal(theirs, lf::sqrt(a)));
  }  // a stream outlives the arrays that were used on it
  lf::synchronize();
  expect(cudaFree(memory) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
}
