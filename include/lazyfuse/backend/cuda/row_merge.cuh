// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How threads that share a row agree on its reductions: within a warp by shuffles, within a block through shared
// memory, within a team of blocks through the shared memory of a cluster, or through memory with a barrier of their
// own.
#pragma once

#include <lazyfuse/backend/cuda/combine.cuh>
#include <lazyfuse/backend/cuda/row_geometry.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::cuda_detail {

/// Merges over 2^bits neighbours, at most 32; all of them get the same bits.
template <class Set>
__device__ __forceinline__ void merge_neighbours(typename Set::accumulators& a, int bits) {
  constexpr auto seq = make_indices<Set::size>{};
  if (bits >= 5) {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) merge_lanes<Set>(a, mask, seq);
  } else {
#pragma unroll 1
    for (int bit = 0; bit < bits; ++bit) merge_lanes<Set>(a, 1 << bit, seq);
  }
}
/// Merges the Width accumulators of a thread into the first.
template <class Set, int Width>
__device__ __forceinline__ void merge_within(thread_sums<Set, Width>& sums) {
#pragma unroll
  for (int half = Width / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) Set::merge(sums.lane[k], sums.lane[k + half]);
}

/// The blocks that share rows.
struct team_parameters {
  unsigned blocks;  ///< of a team
  unsigned teams;
  exchange how;
  unsigned* tickets;  ///< one per team, zero before and after
  void* partial;      ///< two rooms for each team
  unsigned room;      ///< bytes of each block's part of a room
};

/// A block's place in its team.
struct team_place {
  unsigned team, member;
  unsigned barriers = 0;  ///< passed so far
};

/// Waits until all blocks of the team have come here; what they wrote before is then visible.
__device__ __forceinline__ void team_barrier(const team_parameters& p, team_place& at) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // for the whole block: the barrier before it orders what the others wrote
    unsigned* const ticket = p.tickets + at.team;
    atomicAdd(ticket, 1u);
    const unsigned all = (at.barriers + 1) * p.blocks;
    while (*static_cast<volatile unsigned*>(ticket) < all) {
    }
    __threadfence();
  }
  __syncthreads();
}
/// Leaves the ticket at zero for the next kernel; called once by every block after its last barrier.
__device__ __forceinline__ void leave_team(const team_parameters& p, const team_place& at) {
  if (p.how != exchange::memory || threadIdx.x != 0) return;
  const unsigned last = (at.barriers + 1) * p.blocks - 1;
  atomicInc(p.tickets + at.team, last);  // wraps to zero when the last block comes
}

__device__ __forceinline__ void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
#endif
}
/// An address in the shared memory of another block of the cluster.
template <class T>
__device__ __forceinline__ const T* of_member(const T* mine, unsigned member) {
#if __CUDA_ARCH__ >= 900
  return static_cast<const T*>(__cluster_map_shared_rank(const_cast<T*>(mine), member));
#else
  return mine;
#endif
}

/// Each block's results of one stage: `slots` of them, those of this block in shared memory at `mine`. Calls use(f)
/// once all blocks of the team have theirs; f(b) is where those of block b are.
template <class Accumulators, class Use>
__device__ __forceinline__ void for_team_slots(const team_parameters& p, team_place& at, Accumulators* mine, int slots,
                                               const Use& use) {
  if (p.how == exchange::cluster) {
    cluster_barrier();
    use([&](unsigned b) { return of_member(mine, b); });
  } else {
    auto* const rooms = static_cast<unsigned char*>(p.partial) +
                        (index_t{2} * at.team + (at.barriers & 1)) * p.blocks * index_t{p.room};
    auto* const written = reinterpret_cast<Accumulators*>(rooms + at.member * index_t{p.room});
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < slots; i += static_cast<int>(blockDim.x)) written[i] = mine[i];
    team_barrier(p, at);
    use([&](unsigned b) { return reinterpret_cast<const Accumulators*>(rooms + b * index_t{p.room}); });
  }
}

/// The total over the threads of the team; area: shared memory. Every thread gets the same bits.
template <class Set, int Width>
__device__ __forceinline__ void merge_row(thread_sums<Set, Width>& sums, const team_parameters& p, team_place& at,
                                          void* area) {
  using accumulators = typename Set::accumulators;
  accumulators& a = sums.lane[0];
  merge_within<Set>(sums);
  const int lane = threadIdx.x & 31, warps = static_cast<int>(blockDim.x) / 32;
  // Two rooms, so that one barrier per stage is enough.
  accumulators* const room = static_cast<accumulators*>(area) + (at.barriers & 1) * (warps + 1);
  merge_neighbours<Set>(a, 5);
  if (lane == 0) room[threadIdx.x / 32] = a;
  __syncthreads();
  Set::clear(a);
  if (lane < warps) a = room[lane];
  merge_neighbours<Set>(a, 5);
  if (p.blocks > 1) {
    if (threadIdx.x == 0) room[warps] = a;
    Set::clear(a);
    for_team_slots(p, at, room + warps, 1, [&](const auto& of_block) {
      for (unsigned b = threadIdx.x; b < p.blocks; b += blockDim.x) Set::merge(a, *of_block(b));
    });
    // Only as many warps have something as there are blocks; then all read what they found.
    accumulators* const found = static_cast<accumulators*>(area) + 2 * (warps + 1);
    merge_neighbours<Set>(a, 5);
    if (lane == 0) found[threadIdx.x / 32] = a;
    __syncthreads();
    Set::clear(a);
    if (lane < warps) a = found[lane];
    merge_neighbours<Set>(a, 5);
  }
  ++at.barriers;
}

/// The totals of a thread's Width columns over the lines of the block and the blocks of the team.
template <class Set, int Width>
__device__ __forceinline__ void merge_columns(thread_sums<Set, Width>& sums, const team_parameters& p, team_place& at,
                                              void* area, int lanes) {
  using accumulators = typename Set::accumulators;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1), slots = lanes * Width;
  accumulators* const shared = static_cast<accumulators*>(area);
  accumulators* const room = shared + blockDim.x + (at.barriers & 1) * slots;
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    __syncthreads();
    shared[threadIdx.x] = sums.lane[k];
    __syncthreads();
    if (threadIdx.x < lanes) {
      accumulators a = shared[threadIdx.x];
      for (int other = static_cast<int>(threadIdx.x) + lanes; other < static_cast<int>(blockDim.x); other += lanes)
        Set::merge(a, shared[other]);
      room[k * lanes + lane] = a;
    }
  }
  __syncthreads();
  if (p.blocks == 1) {
#pragma unroll
    for (int k = 0; k < Width; ++k) sums.lane[k] = room[k * lanes + lane];
  } else {
    // Each column is merged once, by as many threads as there are for it; then all read the totals.
    accumulators* const totals = shared + blockDim.x + 2 * slots;
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int groups = slots < threads ? threads / slots : 1, group = slots < threads ? thread / slots : 0;
    for_team_slots(p, at, room, slots, [&](const auto& of_block) {
      for (int slot = thread - group * slots; slot<slots; slot += groups> 1 ? slots : threads) {
        accumulators a;
        Set::clear(a);
        for (unsigned b = group; b < p.blocks; b += groups) Set::merge(a, of_block(b)[slot]);
        if (groups > 1) shared[thread] = a;
        else totals[slot] = a;
      }
    });
    if (groups > 1) {
      __syncthreads();
      if (thread < slots) {
        accumulators a = shared[thread];
        for (int other = thread + slots; other < groups * slots; other += slots) Set::merge(a, shared[other]);
        totals[thread] = a;
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Width; ++k) sums.lane[k] = totals[k * lanes + lane];
  }
  ++at.barriers;
}

}  // namespace lazyfuse::cuda_detail
