// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the blocks of a team wait for each other and pass on results: through the shared memory of a cluster, or through
// memory with a barrier of their own.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_layout.hpp>

namespace lazyfuse::cuda_detail {

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
/// well. Stages take turns with two boxes, as a block may be one stage ahead of another: between two of them all warps
/// of a block have to wait for each other, so that none still reads the one before the last.
class mailbox {
 public:
  /// largest: bytes of the largest results that are sent, a multiple of 4.
  __device__ __forceinline__ mailbox(void* room, unsigned largest)
      : room_(static_cast<unsigned*>(room)), box_words_(row_tuning::most_cluster_blocks * largest / 4) {}

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
      memcpy(part, &mine, sizeof(T));
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
    if (lane < team.blocks) memcpy(&theirs, box + lane * words, sizeof(T));
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
  const bool in_cluster = p.how == exchange::cluster;
  auto* const rooms =
      static_cast<unsigned char*>(p.partial) + (index_t{2} * at.team + (at.barriers & 1)) * p.blocks * index_t{p.room};
  if (in_cluster) cluster_barrier();
  else {
    auto* const written = reinterpret_cast<Accumulators*>(rooms + at.member * index_t{p.room});
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < slots; i += static_cast<int>(blockDim.x)) written[i] = mine[i];
    team_barrier(p, at);
  }
  use([&](unsigned b) {
    return in_cluster ? of_member(mine, b) : reinterpret_cast<const Accumulators*>(rooms + b * index_t{p.room});
  });
}

}  // namespace lazyfuse::cuda_detail
