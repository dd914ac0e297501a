// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What surrounds sorting on the GPU: places before it and after it, and runs of equal keys.
#include "backend/cuda/compiled/runs.hpp"

#include "backend/cuda/compiled/grid.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t, std::uint32_t, std::uint64_t;

constexpr int threads = threads_of_grid;

__global__ void number_kernel(uint32_t* places, int64_t n, int64_t length) {
  for (int64_t i = first_of_thread(); i < n; i += all_threads()) places[i] = static_cast<uint32_t>(i % length);
}
__global__ void widen_kernel(const uint32_t* places, int64_t n, int64_t length, int64_t k, int64_t* to) {
  for (int64_t i = first_of_thread(); i < n; i += all_threads()) to[i] = places[i / k * length + i % k];
}

template <class Key>
__global__ void replace_kernel(const Key* keys, int64_t n, Key old, Key by, Key* to) {
  for (int64_t i = first_of_thread(); i < n; i += all_threads()) to[i] = keys[i] == old ? by : keys[i];
}
template <class Key>
__global__ void take_kernel(const Key* keys, int64_t n, int64_t length, int64_t k, const int64_t* places, Key* to) {
  for (int64_t i = first_of_thread(); i < n; i += all_threads()) to[i] = keys[i / k * length + places[i]];
}

/// Each sorted key finds its run by bisection: neighbours take the same way, through what the caches have.
__global__ void number_runs_kernel(const int64_t* starts, int64_t runs, const int64_t* places, int64_t n,
                                   int64_t* number) {
  for (int64_t i = first_of_thread(); i < n; i += all_threads()) {
    int64_t run = 0;
    for (int64_t end = runs; end - run > 1;) {
      const int64_t middle = run + (end - run) / 2;
      (starts[middle] <= i ? run : end) = middle;
    }
    number[places[i]] = run;
  }
}

/// Whether a key is another one than that before it.
template <class Key>
struct starts_run {
  const Key* keys;
  Key minus_zero, zero;
  __device__ Key at(int64_t i) const { return keys[i] == minus_zero ? zero : keys[i]; }
  __device__ bool operator()(int64_t i) const { return i == 0 || at(i) != at(i - 1); }
};

/// f of a key of so many bytes.
template <class F>
cudaError_t with_key(int bytes, const F& f) {
  return bytes == 1 ? f(std::uint8_t{}) : bytes == 2 ? f(std::uint16_t{}) : bytes == 4 ? f(uint32_t{}) : f(uint64_t{});
}

}  // namespace

cudaError_t number_places(uint32_t* places, int64_t rows, int64_t length, cudaStream_t stream) {
  number_kernel<<<blocks_for(rows * length), threads, 0, stream>>>(places, rows * length, length);
  return cudaGetLastError();
}

cudaError_t widen_places(const uint32_t* places, int64_t rows, int64_t length, int64_t k, int64_t* to,
                         cudaStream_t stream) {
  widen_kernel<<<blocks_for(rows * k), threads, 0, stream>>>(places, rows * k, length, k, to);
  return cudaGetLastError();
}

cudaError_t replace_key(int key_bytes, const void* keys, int64_t n, uint64_t old, uint64_t by, void* to,
                        cudaStream_t stream) {
  return with_key(key_bytes, [&]<class Key>(Key) {
    replace_kernel<<<blocks_for(n), threads, 0, stream>>>(static_cast<const Key*>(keys), n, static_cast<Key>(old),
                                                          static_cast<Key>(by), static_cast<Key*>(to));
    return cudaGetLastError();
  });
}

cudaError_t take_keys(int key_bytes, const void* keys, int64_t rows, int64_t length, int64_t k, const int64_t* places,
                      void* to, cudaStream_t stream) {
  return with_key(key_bytes, [&]<class Key>(Key) {
    take_kernel<<<blocks_for(rows * k), threads, 0, stream>>>(static_cast<const Key*>(keys), rows * k, length, k,
                                                              places, static_cast<Key*>(to));
    return cudaGetLastError();
  });
}

cudaError_t find_runs(void* memory, std::size_t& bytes, int key_bytes, const void* keys, uint64_t minus_zero,
                      uint64_t zero, int64_t n, int64_t* starts, int64_t* runs, cudaStream_t stream) {
  return with_key(key_bytes, [&]<class Key>(Key) {
    return cub::DeviceSelect::If(
        memory, bytes, thrust::make_counting_iterator(int64_t{0}), starts, runs, n,
        starts_run<Key>{static_cast<const Key*>(keys), static_cast<Key>(minus_zero), static_cast<Key>(zero)}, stream);
  });
}

cudaError_t number_runs(const int64_t* starts, int64_t runs, const int64_t* places, int64_t n, int64_t* number,
                        cudaStream_t stream) {
  number_runs_kernel<<<blocks_for(n), threads, 0, stream>>>(starts, runs, places, n, number);
  return cudaGetLastError();
}

}  // namespace lazyfuse::cuda_detail
