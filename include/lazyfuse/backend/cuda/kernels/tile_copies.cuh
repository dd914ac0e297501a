// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a tile on their way to shared memory, each as its type is aligned.
#pragma once

#include <lazyfuse/backend/cuda/kernels/copies.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>

namespace lazyfuse::cuda_detail {

/// Starts copying an element to shared memory; a zero where there is none. What is not aligned to words is copied at
/// once.
template <class T>
__device__ __forceinline__ void copy_element(T* to, const T* from, bool there) {
  constexpr int size = sizeof(T), aligned = alignof(T);
  if constexpr (aligned % 4 == 0) {
    constexpr int piece = aligned % 16 == 0 ? 16 : aligned % 8 == 0 ? 8 : 4;
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
#pragma unroll
    for (int k = 0; k < size; k += piece)
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at + k),
                   "l"(reinterpret_cast<const char*>(from) + k), "n"(piece), "r"(there ? piece : 0)
                   : "memory");
  } else *to = there ? *from : T{};
}
/// Waits for what all threads have copied, but (more) for the last group of each.
__device__ __forceinline__ void copies_have_come(bool more) {
  wait_for_copies(more ? 1 : 0);
  __syncthreads();
}

/// Of bytes, the largest power of two that divides them, up to 16.
LAZYFUSE_HD constexpr int alignment_of(int bytes) {
  int a = 1;
  while (a < 16 && bytes % (2 * a) == 0) a *= 2;
  return a;
}
/// Some neighbours in shared memory.
template <class T>
struct alignas(alignment_of(tile_vector* int(sizeof(T)))) neighbours {
  T value[tile_vector];
};

}  // namespace lazyfuse::cuda_detail
