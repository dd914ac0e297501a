// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, kernels, Thrust's vectors and DLPack tensors of other code on the GPU: the blocks of docs/interop.md; and
// several GPUs, where there are: those of docs/howto/several_gpus.md.
#include "expect.hpp"

#include <lazyfuse/cuda.cuh>
#include <lazyfuse/interop/dlpack.hpp>

#include <thrust/device_vector.h>

#include <iostream>
#include <thread>

namespace lf = lazyfuse;

/// A kernel that the program had before.
__global__ void halve(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] /= 2;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no CUDA-capable device\n";
    return 77;  // skipped
  }
  cudaStream_t theirs = nullptr, other = nullptr;
  expect(cudaStreamCreate(&theirs) == cudaSuccess && cudaStreamCreate(&other) == cudaSuccess);
  {
    const int n = 1 << 20;
    // [streams]
    lf::array<float, 1> x = lf::arange<float>(n);  // on the thread's own stream
    float* const data = lf::data_on(theirs, x);    // their stream waits for x ...
    halve<<<(n + 255) / 256, 256, 0, theirs>>>(data, n);
    const auto y = lf::materialize(lf::on(other), x + 1);  // ... and this one for their kernel
    // [streams]
    expect(y(n - 1).item() == 0.5f * (n - 1) + 1);

    // [thrust]
    thrust::device_vector<float> v(n, 2.0f);
    lf::into(lf::borrow(v)) = lf::borrow(v) * x;  // of the space lf::cuda; a host_vector: of lf::host
    lf::synchronize();                            // Thrust uses another stream
    // [thrust]
    expect(v[10] == 10);

    // [dlpack]
    auto* const m = lf::to_dlpack(x, theirs);  // their stream waits for x, x's next writer for it
    const auto z = lf::from_dlpack<const float, 1, lf::cuda>(m, theirs);  // ready on that stream
    const float sum = lf::sum(z(lf::range(0, 4))).item();                 // computed on ours, in order
    // [dlpack]
    expect(sum == 3);

    if (devices > 1) {
      // [devices]
      lf::array<float, 1> a = lf::to(lf::arange<float>(n), lf::device{0});  // computed there
      lf::array<float, 1> b = lf::to(a * 2, lf::device{1});                 // computed on device 0, and copied
      lf::array<float, 1> c = lf::sqrt(b);                                  // on device 1, as b is
      const float root = c(50).item();                                      // 10; from any thread
      try {
        lf::array<float, 1> d = a + c;
      } catch (const lf::device_error& e) {  // (x0 + x1): x0 is on device 0, x1 on device 1; ...
        a += lf::to(c, a.device());
      }
      // [devices]
      expect(root == 10 && a(50).item() == 60);
      // [threads]
      std::thread([&] {
        cudaSetDevice(1);  // or lf::on(a stream of device 1)
        const auto noise = lf::materialize(lf::random::normal<float>({n}, lf::seed{1}));  // on device 1
        const auto sum = lf::materialize(a + 1);                                          // on device 0, as a is
        expect(noise.device() == lf::device{1} && sum.device() == lf::device{0});
      }).join();
      // [threads]
    }
  }  // streams outlive the arrays that were used on them
  lf::synchronize();
  expect(cudaStreamDestroy(theirs) == cudaSuccess && cudaStreamDestroy(other) == cudaSuccess);
}
