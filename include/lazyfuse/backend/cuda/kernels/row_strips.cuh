// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in registers, element by element: rows that do not begin at a vector, are short, or are reduced. The threads of
// a row, of a part of a warp up to a cluster of blocks, have neighbouring elements.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_merge.cuh>
#include <lazyfuse/backend/cuda/kernels/strip.cuh>

namespace lazyfuse::cuda_detail {

/// All but the last of a thread's elements exist. Threads: of each of the blocks.
template <int K, int R, int Held, int Threads, int Blocks, int Largest, class Index>
struct row_place {
  const row_strip_numbers<K, R>& p;
  int member;
  unsigned char* room;  ///< for the warps of the block, twice
  unsigned char* mail;  ///< for the blocks of the cluster
  __device__ __forceinline__ int at(int d) const { return member + d * (Threads * Blocks); }
  __device__ __forceinline__ bool exists(int d) const { return d + 1 < Held || at(d) < p.length; }
  __device__ __forceinline__ bool is_first() const { return member == 0; }
  template <strip_step Step>
  __device__ __forceinline__ Index below(const auto& o, int d) const {
    if constexpr (Step == strip_step::next) return at(d);
    else if constexpr (R - K == 1) return at(d) * static_cast<Index>(o.steps[K]);
    else {
      Index sum = 0;
      p.along.within(at(d), [&](int axis, int i) { sum += i * static_cast<Index>(o.steps[K + axis]); });
      return sum;
    }
  }
  template <class Set, int Stage, bool>
  __device__ __forceinline__ void merge(typename Set::accumulators& a) const {
    using accumulators = typename Set::accumulators;
    constexpr int of_warp = Threads < 32 ? Threads : 32;
    merge_warp<Set, of_warp>(a);
    if constexpr (Threads > 32) {
      constexpr int warps = Threads / 32, lanes = power_of_two_above(warps);
      // Two rooms, so that one barrier per stage is enough.
      auto* const of_warps = reinterpret_cast<accumulators*>(room + Stage % 2 * warps * Largest);
      const int lane = static_cast<int>(threadIdx.x) & 31, from = lane & (lanes - 1);
      if (lane == 0) of_warps[threadIdx.x / 32] = a;
      __syncthreads();
      if (from < warps) a = of_warps[from];
      else Set::clear(a);
      merge_warp<Set, lanes>(a);
    }
    if constexpr (Blocks > 1) {
      if constexpr (Stage == 0) cluster_wait();  // all have opened their mail
      const team_parameters team{Blocks, 1, exchange::cluster, nullptr, nullptr, 0};
      const team_place here{0, static_cast<unsigned>(member) / Threads, Stage};
      accumulators none;
      Set::clear(none);
      a = mailbox(mail, Largest).exchange(a, none, team, here);
      merge_warp<Set, 32>(a);
    }
  }

 private:
  LAZYFUSE_HD static constexpr int power_of_two_above(int n) {
    return n <= 1 ? 1 : 2 * power_of_two_above((n + 1) / 2);
  }
  /// Over so many neighbours, a power of two.
  template <class Set, int Lanes>
  __device__ __forceinline__ static void merge_warp(typename Set::accumulators& a) {
    merge_by<Set>(a, [](const auto& step) {
#pragma unroll
      for (int mask = Lanes / 2; mask > 0; mask /= 2) step(mask);
    });
  }
};

/// Threads: that share a row: a power of two up to 32, or whole warps, which are the block. Blocks: a cluster of so
/// many such shares one, so that a processor has several, of which some read while others write.
template <class Staged, class Sources, class Types, int K, int R, int Held, int Threads, int Blocks, class Parameters>
__global__ void __launch_bounds__(
    Threads > 32 ? Threads : block_of_short_rows,
    strip_residents<Staged, Parameters, true>(Sources{}, make_index_sequence<Sources::size>{},
                                              Threads > 32 ? Threads : block_of_short_rows, Held))
    rows_in_strips(const __grid_constant__ Parameters p) {
  static_assert(Blocks == 1 || (Threads > 32 && Blocks <= row_tuning::most_cluster_blocks),
                "two boxes are enough where the warps of a block wait for each other between two letters");
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  constexpr int largest = accumulator_bytes<Staged>;
  using index = typename Parameters::index;
  constexpr int of_block = Threads > 32 ? 1 : block_of_short_rows / Threads;
  __shared__ __align__(16) unsigned char room[Threads > 32 ? 2 * Threads / 32 * largest : 1];
  __shared__ __align__(16) unsigned char mail[Blocks > 1 ? mail_bytes<Staged> : 1];
  if constexpr (Blocks > 1) mailbox(mail, largest).open();
  const int thread = static_cast<int>(threadIdx.x), own = of_block == 1 ? 0 : thread / Threads;
  const int member = thread - own * Threads + static_cast<int>(blockIdx.x % Blocks) * Threads;
  const row_place<K, R, Held, Threads, Blocks, largest, index> place{p, member, room, mail};
  index_t row = static_cast<index_t>(blockIdx.x / Blocks) * of_block + own;
  const bool active = row < p.rows;
  if (!active) row = p.rows - 1;
  index base[Sources::size + 1] = {}, to[Types::size] = {};
  walk_to<index>(p.kept, row, [&](int axis, index_t i) { begin_at(base, to, p, axis, i, operands, targets); });
  strip_body<Staged, Held>(p, place, base, to, active, Sources{}, Types{}, operands, targets);
}

}  // namespace lazyfuse::cuda_detail
