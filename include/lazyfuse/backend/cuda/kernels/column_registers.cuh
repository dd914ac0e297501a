// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns in registers: neighbouring threads have neighbouring columns, wherever these begin, the next ones what is
// below, so that memory is read as it lies; all threads of a group share the height of the columns.
#pragma once

#include <lazyfuse/backend/cuda/kernels/strip.cuh>

namespace lazyfuse::cuda_detail {

/// How many threads of each column add up what they and others have, before all take what these have: about the root
/// of their number, so that nobody waits for many.
constexpr int first_lines(int lines) {
  int n = lines;
  while (n > 16 || (lines > 16 && n * n > lines)) --n;
  return n;
}

/// Beside: columns of a group; Lines: threads that share each of them. Exact: all but the last of a thread's elements
/// exist.
template <int K, int R, int Held, int Beside, int Lines, bool Exact, class Index>
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
  /// Of all threads of the same column, one after the other. ForOne: the first of them alone needs it.
  template <class Set, int Stage, bool ForOne>
  __device__ __forceinline__ void merge(typename Set::accumulators& a) const {
    if constexpr (Lines > 1) {
      constexpr int firsts = first_lines(Lines);
      auto* const parts = reinterpret_cast<typename Set::accumulators*>(room);
      const auto* const column = parts + group * (Lines * Beside) + lane;
      if constexpr (Stage > 0) __syncthreads();  // others may still read what is left of the stage before
      parts[threadIdx.x] = a;
      __syncthreads();
      if constexpr (firsts < Lines) {
        if (line < firsts) {
          for (int l = line + firsts; l < Lines; l += firsts) Set::merge(a, column[l * Beside]);
          parts[threadIdx.x] = a;
        }
        __syncthreads();
      }
      if (ForOne && !is_first()) return;
      a = *column;
#pragma unroll
      for (int l = 1; l < firsts; ++l) Set::merge(a, column[l * Beside]);
    }
  }
};

/// Threads of few columns have few elements: what they merge is much beside these.
template <class Staged, int Beside>
inline constexpr int words_of_merging = Beside < 32 ? (accumulator_bytes<Staged> / 4 - 1) * 2 : 0;

/// Groups: how many are beside each other in a block. Beside: 32, or all columns of the inner axis.
template <class Staged, class Sources, class Types, int K, int R, int Held, int Beside, int Lines, int Groups,
          bool Exact, class Parameters>
__global__ void __launch_bounds__(Beside* Lines* Groups,
                                  strip_residents<Staged, Parameters, false>(Sources{},
                                                                             make_index_sequence<Sources::size>{},
                                                                             (Beside * Lines * Groups + 31) / 32 * 32,
                                                                             Held, words_of_merging<Staged, Beside>))
    columns_in_registers(const __grid_constant__ Parameters p) {
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  __shared__ __align__(16) unsigned char room[Lines > 1 ? Beside * Lines * Groups * accumulator_bytes<Staged> : 1];
  const int thread = static_cast<int>(threadIdx.x), line = thread / Beside, group = line / Lines;
  using index = typename Parameters::index;
  const column_place<K, R, Held, Beside, Lines, Exact, index> place{p, line - group * Lines, group,
                                                                    thread - line * Beside, room};
  index_t column = (static_cast<index_t>(blockIdx.x) * Groups + group) * Beside + place.lane;
  const bool active = column < p.columns;
  if (!active) column = p.columns - 1;
  index base[Sources::size + 1] = {}, to[Types::size] = {};
  walk_to<index>(p.kept, column,
                 [&](int axis, index_t i) { begin_at(base, to, p, axis == K ? R - 1 : axis, i, operands, targets); });
  strip_body<Staged, Held>(p, place, base, to, active, Sources{}, Types{}, operands, targets);
}

}  // namespace lazyfuse::cuda_detail
