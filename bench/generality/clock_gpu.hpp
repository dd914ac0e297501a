// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of evaluations on a GPU, by events.
#pragma once

#include <lazyfuse/cuda.hpp>

#include <algorithm>
#include <stdexcept>

namespace generality {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Microseconds of one of so many evaluations.
template <class F>
double sample_us(const F& evaluate, int evaluations) {
  const cudaStream_t stream = lazyfuse::current_stream();
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  check(cudaEventRecord(start, stream));
  for (int i = 0; i < evaluations; ++i) evaluate();
  check(cudaEventRecord(stop, stream));
  check(cudaEventSynchronize(stop));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return 1e3 * static_cast<double>(milliseconds) / evaluations;
}

/// Copies `count` elements that are `step` apart to the host.
template <class T>
void copy_sample(T* to, const T* from, std::size_t step, std::size_t count) {
  lazyfuse::synchronize();
  check(cudaMemcpy2D(to, sizeof(T), from, step * sizeof(T), sizeof(T), count, cudaMemcpyDeviceToHost));
}

/// A copy of so many bytes as the machine makes it, as a yardstick.
template <class Report>
void time_copy(std::size_t bytes, const Report& report) {
  void *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, bytes));
  check(cudaMalloc(&to, bytes));
  report([&] { check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, lazyfuse::current_stream())); });
  check(cudaFree(from));
  check(cudaFree(to));
}

}  // namespace generality
