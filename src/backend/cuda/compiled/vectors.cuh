// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading what is counted or selected: tiles of words of 16 bytes, several of each thread in flight, wherever a row
// begins in memory.
#pragma once

#include <cstdint>
#include <cstring>

namespace lazyfuse::cuda_detail {

/// A row of n elements, counted from the word of 16 bytes that its first element is in: they are [first, last).
template <class T>
struct words_of {
  static constexpr int per = 16 / static_cast<int>(sizeof(T));  ///< elements of a word
  const T* origin;                                              ///< nothing is read before the first element
  std::int64_t first, last;

  __host__ __device__ words_of(const T* row, std::int64_t n)
      : first(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(row) % 16 / sizeof(T))), last(first + n) {
    origin = row - first;
  }
  __device__ bool has(std::int64_t i) const { return i >= first && i < last; }
};

/// What so many threads read at a time: a block, or, if they are 32, a warp. Each warp has a part of the tile for
/// itself, each group of which is a word of each lane; so within a warp the order is that of groups, lanes, and
/// elements of a word.
template <class T, int Threads>
struct tile_of {
  static constexpr int per = words_of<T>::per;
  static constexpr int groups = sizeof(T) < 4 ? static_cast<int>(sizeof(T)) : 4;
  static constexpr int size = Threads * groups * per;
  T values[groups][per];

  /// The first element of the word that the calling thread has of a group of the tile that begins at `at`.
  static __device__ std::int64_t place(std::int64_t at, int group) {
    const int warp = Threads == 32 ? 0 : static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    return at + (warp * groups + group) * 32 * per + lane * per;
  }
  /// Whether all of the tile is in the row.
  __device__ bool load(const words_of<T>& row, std::int64_t at) {
    const bool whole = at >= row.first && at + size <= row.last;
    if (whole) {
      uint4 words[groups];
#pragma unroll
      for (int g = 0; g < groups; ++g) words[g] = *reinterpret_cast<const uint4*>(row.origin + place(at, g));
#pragma unroll
      for (int g = 0; g < groups; ++g) memcpy(values[g], &words[g], 16);
    } else {
#pragma unroll
      for (int g = 0; g < groups; ++g)
#pragma unroll
        for (int e = 0; e < per; ++e) {
          const std::int64_t i = place(at, g) + e;
          values[g][e] = row.has(i) ? row.origin[i] : T{};
        }
    }
    return whole;
  }
};

/// The sum of v of this lane and those before it.
template <class T>
__device__ T sum_up_to_lane(T v) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  return v;
}

/// The same of threads of a block. of_warps: shared memory for one element of each warp, free again after the next
/// barrier of the block. Has one barrier.
template <class T>
__device__ T sum_up_to_thread(T v, T* of_warps) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  T sum = sum_up_to_lane(v);
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w) sum += of_warps[w];
  return sum;
}

}  // namespace lazyfuse::cuda_detail
