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
  if (threadIdx.x == 0) {  // for the whole block: the barriers around it order what the others write and read
    unsigned* const ticket = p.tickets + at.team;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(ticket) : "memory");
    for (unsigned come = 0, all = (at.barriers + 1) * p.blocks; come < all;)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(come) : "l"(ticket) : "memory");
  }
  __syncthreads();
}
/// Leaves the ticket at zero for the next kernel; called once by every block after its last barrier.
__device__ __forceinline__ void leave_team(const team_parameters& p, const team_place& at) {
  if (p.how != exchange::memory || threadIdx.x != 0) return;
  const unsigned last = (at.barriers + 1) * p.blocks - 1;
  atomicInc(p.tickets + at.team, last);  // wraps to zero when the last block comes
}

template <class Staged, int... S>
constexpr int largest_accumulators(indices<S...>) {
  int most = 0;
  const int bytes[] = {int(sizeof(typename Staged::template set<S>::accumulators))...};
  for (const int b : bytes) most = b > most ? b : most;
  static_assert(((alignof(typename Staged::template set<S>::accumulators) <= 8) && ...));
  return (most + 7) / 8 * 8;
}
/// Bytes of the accumulators of the largest stage.
template <class Staged>
inline constexpr int accumulator_bytes = largest_accumulators<Staged>(make_indices<Staged::count>{});
template <class Staged>
inline constexpr int mail_bytes = mailbox_bytes(accumulator_bytes<Staged>);

/// A barrier of all threads of a cluster; what they wrote before, to memory also, is then visible to them.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_wait();
#endif
}
__device__ __forceinline__ void cluster_barrier() {
  cluster_arrive();
  cluster_wait();
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

/// What the blocks of a cluster send each other, in mailbox_bytes() of shared memory: each its results, into the boxes
/// of all, which count the bytes that come. A barrier of the cluster would wait for the stores of the row before as
/// well. Stages take turns with two boxes, as a block may be one stage ahead of another.
class mailbox {
 public:
  /// largest: bytes of the largest results that are sent, a multiple of 4.
  __device__ __forceinline__ mailbox(void* room, unsigned largest)
      : room_(static_cast<unsigned*>(room)), box_words_(most_cluster_blocks * largest / 4) {}

  /// By all threads; nothing is sent before cluster_wait().
  __device__ __forceinline__ void open() const {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
#pragma unroll
      for (int box = 0; box < 2; ++box)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(counter(box)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_arrive();
#endif
  }
  /// By all threads: sends theirs, the same value in all, and returns that of block `lane` of the cluster, or `none`.
  template <class T>
  __device__ __forceinline__ T exchange(const T& mine, const T& none, const team_parameters& team,
                                        const team_place& at) const {
    T theirs = none;
#if __CUDA_ARCH__ >= 900
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    const unsigned stage = at.barriers, here = counter(stage & 1), thread = threadIdx.x, lane = threadIdx.x & 31;
    const unsigned* const box = room_ + 4 + (stage & 1) * box_words_;
    if (thread < team.blocks) {  // each to one block
      unsigned part[words] = {};
      __builtin_memcpy(part, &mine, sizeof(T));
      const unsigned box_there = of_block(thread, address(box + at.member * words)),
                     counter_there = of_block(thread, here);
#pragma unroll
      for (unsigned w = 0; w < words; ++w)
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(box_there + 4 * w),
            "r"(part[w]), "r"(counter_there)
            : "memory");
    }
    if (thread == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(here), "r"(team.blocks * words * 4)
                   : "memory");
    for (unsigned complete = 0; !complete;)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; "
          "}"
          : "=r"(complete)
          : "r"(here), "r"((stage >> 1) & 1)
          : "memory");
    if (lane < team.blocks) __builtin_memcpy(&theirs, box + lane * words, sizeof(T));
#endif
    return theirs;
  }

 private:
  static __device__ __forceinline__ unsigned address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  }
  __device__ __forceinline__ unsigned counter(unsigned box) const { return address(room_ + 2 * box); }
#if __CUDA_ARCH__ >= 900
  static __device__ __forceinline__ unsigned of_block(unsigned block, unsigned address) {
    unsigned there;
    // volatile: else the compiler keeps the addresses from stage to stage, in local memory
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
  }
#endif
  unsigned *room_, box_words_;
};

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
                                          const mailbox& mail, void* area) {
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
  if (p.how == exchange::cluster) {
    accumulators none;
    Set::clear(none);
    a = mail.exchange(a, none, p, at);
    merge_neighbours<Set>(a, 5);
  } else if (p.how == exchange::memory) {
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
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int lane = thread & (lanes - 1), slots = lanes * Width;
  accumulators* const shared = static_cast<accumulators*>(area);
  accumulators* const room = shared + threads + (at.barriers & 1) * slots;
  // Four warps merge, one for each scheduler, or as many as there are columns: neighbours share the lines of one.
  const int together = lanes < 4     ? 32
                       : lanes > 128 ? 1
                                     : 128 / lanes,
            bits = 31 - __clz(together), line = thread & (together - 1), column = thread >> bits,
            lines = threads / lanes;
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    __syncthreads();
    shared[thread] = sums.lane[k];
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
    accumulators* const totals = shared + threads + 2 * slots;
    const int groups = slots < threads ? threads / slots : 1, group = slots < threads ? thread / slots : 0;
    for_team_slots(p, at, room, slots, [&](const auto& of_block) {
      for (int slot = thread - group * slots; slot<slots; slot += groups> 1 ? slots : threads) {
        accumulators a;
        Set::clear(a);
#pragma unroll 4
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
