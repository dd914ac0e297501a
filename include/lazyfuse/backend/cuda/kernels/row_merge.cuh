// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How threads that share a row agree on its reductions: within a warp by shuffles, within a block through shared
// memory, within a team of blocks through the shared memory of a cluster, or through memory with a barrier of their
// own.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>
#include <lazyfuse/backend/cuda/kernels/row_exchange.cuh>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::cuda_detail {

/// Merges over 2^bits neighbours, at most 32; all of them get the same bits.
template <class Set>
__device__ __forceinline__ void merge_neighbours(typename Set::accumulators& a, int bits) {
  if (bits >= 5)
    merge_by<Set>(a, [](const auto& step) {
#pragma unroll
      for (int mask = 16; mask > 0; mask /= 2) step(mask);
    });
  else
    merge_by<Set>(a, [bits](const auto& step) {
#pragma unroll 1
      for (int bit = 0; bit < bits; ++bit) step(1 << bit);
    });
}
template <class Staged, int... S>
constexpr int largest_accumulators(index_sequence<S...>) {
  int most = 0, alignment = 8;
  const int bytes[] = {int(sizeof(typename Staged::template set<S>::accumulators))...};
  const int alignments[] = {int(alignof(typename Staged::template set<S>::accumulators))...};
  for (const int b : bytes) most = b > most ? b : most;
  for (const int a : alignments) alignment = a > alignment ? a : alignment;
  static_assert(((alignof(typename Staged::template set<S>::accumulators) <= 16) && ...), "as mailbox_bytes()");
  return (most + alignment - 1) / alignment * alignment;
}
/// Bytes of the accumulators of the largest stage.
template <class Staged>
inline constexpr int accumulator_bytes = largest_accumulators<Staged>(make_index_sequence<Staged::count>{});
template <class Staged>
inline constexpr int mail_bytes = mailbox_bytes(accumulator_bytes<Staged>);

/// Shared memory for accumulators of stages whose sizes differ: as many as any stage asks for, each at a place that
/// does not depend on the stage, for a warp or a block may still read those of the stage before.
template <int Largest>
struct merge_area {
  unsigned char* begin;
  template <class Accumulators>
  __device__ __forceinline__ Accumulators* from(int first) const {
    return reinterpret_cast<Accumulators*>(begin + first * Largest);
  }
};

/// The total over the threads of the team. Every thread gets the same bits.
template <class Set, int Width>
__device__ __forceinline__ void merge_row(thread_sums<Set, Width>& sums, const team_parameters& p, team_place& at,
                                          const mailbox& mail, const auto& area) {
  using accumulators = typename Set::accumulators;
  accumulators& a = sums.lane[0];
  sums.restore();
  merge_within<Set, true>(sums.lane);
  const int lane = threadIdx.x & 31, warps = static_cast<int>(blockDim.x) / 32;
  // Two rooms, so that one barrier per stage is enough.
  accumulators* const room = area.template from<accumulators>(static_cast<int>(at.barriers & 1) * (warps + 1));
  accumulators none;
  Set::clear(none);
  const auto merge_block = [&](accumulators* of_warps) {
    merge_neighbours<Set>(a, 5);
    if (lane == 0) of_warps[threadIdx.x / 32] = a;
    __syncthreads();
    a = lane < warps ? of_warps[lane] : none;
    merge_neighbours<Set>(a, 5);
  };
  // A loop, so that the code is there once.
  const bool through_memory = p.how == exchange::memory;
#pragma unroll 1
  for (int turn = 0;; ++turn) {
    merge_block(turn == 0 ? room : area.template from<accumulators>(2 * (warps + 1)));
    if (!through_memory || turn == 1) break;
    // Only as many warps have something as there are blocks; then all read what they found.
    if (threadIdx.x == 0) room[warps] = a;
    a = none;
    for_team_slots(p, at, room + warps, 1, [&](const auto& of_block) {
      for (unsigned b = threadIdx.x; b < p.blocks; b += blockDim.x) Set::merge(a, *of_block(b));
    });
  }
  if (p.how == exchange::cluster) {
    a = mail.exchange(a, none, p, at);
    merge_neighbours<Set>(a, 5);
  }
  ++at.barriers;
}

/// The totals of a thread's Width columns over the lines of the block and the blocks of the team.
template <class Set, int Width>
__device__ __forceinline__ void merge_columns(thread_sums<Set, Width, true>& sums, const team_parameters& p,
                                              team_place& at, const auto& area, int lanes) {
  using accumulators = typename Set::accumulators;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int lane = thread & (lanes - 1), slots = lanes * Width;
  accumulators* const shared = area.template from<accumulators>(0);
  accumulators* const room = area.template from<accumulators>(threads + static_cast<int>(at.barriers & 1) * slots);
  // Four warps merge, one for each scheduler, or as many as there are columns: neighbours share the lines of one.
  const int together = lanes < 4                             ? 32
                       : lanes > row_tuning::merging_threads ? 1
                                                             : row_tuning::merging_threads / lanes,
            bits = 31 - __clz(together), line = thread & (together - 1), column = thread >> bits,
            lines = threads / lanes;
  sums.restore();
#pragma unroll 1  // the code once, for the compiler's time
  for (int k = 0; k < Width; ++k) {
    accumulators of_column = sums.lane[0];
#pragma unroll
    for (int j = 1; j < Width; ++j)
      if (j == k) of_column = sums.lane[j];
    __syncthreads();
    shared[thread] = of_column;
    __syncthreads();
    if (column < lanes) {  // whole warps
      accumulators a = shared[line * lanes + column];
      for (int other = line + together; other < lines; other += together) Set::merge(a, shared[other * lanes + column]);
      merge_neighbours<Set>(a, bits);
      if (line == 0) room[k * lanes + column] = a;
    }
  }
  __syncthreads();
  if (p.blocks == 1) {
#pragma unroll
    for (int k = 0; k < Width; ++k) sums.lane[k] = room[k * lanes + lane];
  } else {
    // Each column is merged once, by as many threads as there are for it; then all read the totals.
    accumulators* const totals = area.template from<accumulators>(threads + 2 * slots);
    const int groups = slots < threads ? threads / slots : 1, group = slots < threads ? thread / slots : 0;
    for_team_slots(p, at, room, slots, [&](const auto& of_block) {
      const int from_slot_to_slot = groups > 1 ? slots : threads;
      for (int slot = thread - group * slots; slot < slots; slot += from_slot_to_slot) {
        accumulators a[1];
        Set::clear(a[0]);
        merge_in_runs<1, Set>(a, group, p.blocks, groups, [&](int, unsigned b) { return of_block(b)[slot]; });
        if (groups > 1) shared[thread] = a[0];
        else totals[slot] = a[0];
      }
    });
    if (groups > 1) {
      __syncthreads();
      if (thread < slots) {
        accumulators a[1] = {shared[thread]};
        merge_in_runs<1, Set>(a, 1, groups, 1, [&](int, unsigned g) { return shared[thread + g * slots]; });
        totals[thread] = a[0];
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Width; ++k) sums.lane[k] = totals[k * lanes + lane];
  }
  ++at.barriers;
}

}  // namespace lazyfuse::cuda_detail
