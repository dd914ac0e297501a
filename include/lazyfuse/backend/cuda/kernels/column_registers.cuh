// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns in registers: the lanes of a warp have neighbouring columns, wherever these begin, and the warps of a group
// share their height.
#pragma once

#include <lazyfuse/backend/cuda/kernels/strip.cuh>

namespace lazyfuse::cuda_detail {

/// Exact: all but the last of a thread's elements exist.
template <int K, int R, int Held, int Lines, bool Exact, class Index>
struct column_place {
  const column_numbers<K, R>& p;
  int line, group, lane;
  unsigned char* room;  ///< for all threads of the block
  __device__ __forceinline__ int at(int d) const { return line + d * Lines; }
  __device__ __forceinline__ bool exists(int d) const { return (Exact && d + 1 < Held) || at(d) < p.height; }
  __device__ __forceinline__ bool is_first() const { return line == 0; }
  template <strip_step>
  __device__ __forceinline__ Index below(const auto& o, int d) const {
    if constexpr (R - 1 - K == 1) return at(d) * static_cast<Index>(o.steps[K]);
    else {
      Index sum = 0;
      p.down.within(at(d), [&](int axis, int i) { sum += i * static_cast<Index>(o.steps[K + axis]); });
      return sum;
    }
  }
  /// Of the same columns of all warps, one after the other.
  template <class Set, int Stage>
  __device__ __forceinline__ void merge(typename Set::accumulators& a) const {
    if constexpr (Lines > 1) {
      auto* const parts = reinterpret_cast<typename Set::accumulators*>(room);
      const int first = group * Lines * 32 + lane;
      if constexpr (Stage > 0) __syncthreads();  // others may still read what is left of the stage before
      parts[threadIdx.x] = a;
      __syncthreads();
      a = parts[first];
#pragma unroll
      for (int l = 1; l < Lines; ++l) Set::merge(a, parts[first + l * 32]);
    }
  }
};

/// Lines: warps below each other, which share 32 columns; Groups: how many such are beside each other in a block.
template <class Staged, class Sources, class Types, int K, int R, int Held, int Lines, int Groups, bool Exact,
          class Parameters>
__global__ void __launch_bounds__(32 * Lines * Groups,
                                  strip_residents<Staged, Parameters, false>(Sources{},
                                                                             make_index_sequence<Sources::size>{},
                                                                             32 * Lines * Groups, Held))
    columns_in_registers(const __grid_constant__ Parameters p) {
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  __shared__ __align__(16) unsigned char room[Lines > 1 ? 32 * Lines * Groups * accumulator_bytes<Staged> : 1];
  const int warp = static_cast<int>(threadIdx.x) / 32, group = warp / Lines;
  using index = typename Parameters::index;
  const column_place<K, R, Held, Lines, Exact, index> place{p, warp - group * Lines, group,
                                                            static_cast<int>(threadIdx.x) & 31, room};
  index_t column = (static_cast<index_t>(blockIdx.x) * Groups + group) * 32 + place.lane;
  const bool active = column < p.columns;
  if (!active) column = p.columns - 1;
  index base[Sources::size + 1] = {}, to[Types::size] = {};
  walk_to<index>(p.kept, column,
                 [&](int axis, index_t i) { begin_at(base, to, p, axis == K ? R - 1 : axis, i, operands, targets); });
  strip_body<Staged, Held>(p, place, base, to, active, Sources{}, Types{}, operands, targets);
}

}  // namespace lazyfuse::cuda_detail
