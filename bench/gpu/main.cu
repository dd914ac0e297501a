// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills inputs, and runs all rows: without a device it says so and measures nothing.
#include "measure.cuh"

#include <cstdio>
#include <exception>

namespace bench {
namespace {

template <class T>
__global__ void fill_kernel(T* p, index_t n, int stream) {
  const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) p[i] = number<T>(stream, i);
}

template <class T>
void launch_fill(T* p, index_t n, int stream) {
  fill_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, lf::current_stream()>>>(p, n, stream);
  check(cudaGetLastError());
}

}  // namespace

void fill(lf::cuda, float* p, index_t n, int stream) { launch_fill(p, n, stream); }
void fill(lf::cuda, double* p, index_t n, int stream) { launch_fill(p, n, stream); }

}  // namespace bench

int main(int argc, char** argv) try {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device (%s)\n", cudaGetErrorString(status));
    return 0;
  }
  cudaDeviceProp device;
  int driver = 0;
  bench::check(cudaGetDeviceProperties(&device, 0));
  bench::check(cudaDriverGetVersion(&driver));
  benchmark::AddCustomContext("gpu", device.name);
  benchmark::AddCustomContext("cuda_driver", std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return bench::failures() == 0 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
  return 1;
}
