// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that go over elements share: grids whose threads go on from element to element, and memory in parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lazyfuse::cuda_detail {

inline constexpr int threads_of_grid = 256;
/// Blocks of threads_of_grid for n elements, or fewer, whose threads go on.
inline unsigned blocks_for(std::int64_t n) {
  constexpr std::int64_t most = 1 << 16;
  return static_cast<unsigned>(std::clamp<std::int64_t>((n + threads_of_grid - 1) / threads_of_grid, 1, most));
}
__device__ inline std::int64_t first_of_thread() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::int64_t all_threads() { return std::int64_t{gridDim.x} * blockDim.x; }

/// Memory in parts that begin at multiples of 256 bytes; without any their size alone.
struct carving {
  char* memory;
  std::size_t used = 0;
  template <class T>
  T* take(std::int64_t n) {
    T* const p = memory ? reinterpret_cast<T*>(memory + used) : nullptr;
    used += (static_cast<std::size_t>(n) * sizeof(T) + 255) / 256 * 256;
    return p;
  }
};

}  // namespace lazyfuse::cuda_detail
