// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's part of a row or of some columns, and what of it the block keeps on chip: the first steps in registers, the
// last in shared memory, copied ahead.
#pragma once

#include <lazyfuse/backend/cuda/results.cuh>
#include <lazyfuse/backend/cuda/row_geometry.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::cuda_detail {

/// The block's dynamic shared memory.
__device__ __forceinline__ unsigned char* team_room() {
  extern __shared__ __align__(16) unsigned char shared_room[];
  return shared_room;
}

/// A block's part of a task, as one of its threads sees it. Units are vectors of a row, or (columns) positions along
/// it.
template <int Operands, int Targets>
struct row_part {
  index_t begin;      ///< the first unit
  int count;          ///< of units
  int kept_from;      ///< the step of the block from which on they are kept
  int mine;           ///< count, or 0 for a thread without columns
  int start, stride;  ///< of this thread; Stride units are a step of the block
  int spacing;        ///< of the thread's elements
  int lane;           ///< columns: of the thread
  int columns_left;
  index_t base[Operands + 1], to[Targets];  ///< offsets of the task; of its part, where that is one walk
};

/// Starts copying one vector from memory to shared memory; Bytes: 4, 8 or 16, and both are aligned to that.
template <int Bytes>
__device__ __forceinline__ void copy_ahead(void* to, const void* from) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(Bytes) : "memory");
}
/// Waits for what this thread copies ahead.
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Of a thread's registers, for vectors that all passes of a team read.
inline constexpr int most_held_bytes = 64;

/// Vectors of the first Count steps of a block.
template <class Unit, int Count>
struct held_units {
  Unit unit[Count > 0 ? Count : 1];
};

/// What the walks share: which operands a pass reads, and which it finds in shared memory.
template <class Staged, int Pass, int Width, class Sources>
struct pass_operand;
template <class Staged, int Pass, int Width, class... Src>
struct pass_operand<Staged, Pass, Width, list<Src...>> {
  template <int I>
  static constexpr int bytes = Width* int(sizeof(typename type_at<I, Src...>::value_type));
  /// Whether operand I is read by several passes, in vectors that can be copied ahead.
  template <int I>
  static constexpr bool again = I<64 && type_at<I, Src...>::is_memory && (Staged::template passes_that_read<I>)> 1 &&
                                (bytes<I> == 4 || bytes<I> == 8 || bytes<I> == 16);
  template <int I>
  static constexpr bool first = !Staged::template read_before<Pass, I>;
  /// Steps of the block that registers keep, a multiple of Depth; none where they would fill them.
  template <int Depth, int... I>
  static constexpr int held_steps(indices<I...>) {
    constexpr int all = (0 + ... + (again<I> ? bytes<I> : 0));
    return all == 0 ? 0 : most_held_bytes / (all * Depth) * Depth;
  }
  template <int... I>
  static constexpr wide_bits again_bits(indices<I...>) {
    wide_bits bits = 0;
    ((bits |= again<I> ? wide_bits{1} << (I & 63) : 0), ...);
    return bits;
  }
  /// Whether shared memory has, or is to have, operand I where units are kept.
  template <int I>
  static __device__ __forceinline__ bool kept(const auto& p, bool here) {
    if constexpr (again<I>) return here && has_bit(p.staged, I);
    else return false;
  }
  /// Where the vector of operand I is kept that this thread has after `steps` steps from the first that is kept.
  template <int I>
  static __device__ __forceinline__ auto* place(const auto& p, int steps) {
    using T = typename type_at<I, Src...>::value_type;
    return reinterpret_cast<T*>(team_room() + p.room[I & 63]) +
           (steps * team_threads + static_cast<int>(threadIdx.x)) * Width;
  }
};

/// Writes a fetched vector to shared memory.
template <int Width, class F, class T>
__device__ __forceinline__ void keep_vector(const F& f, T* to) {
  result<Width, 1, T> kept;
#pragma unroll
  for (int k = 0; k < Width; ++k) kept.value[0][k] = f.value[0][k];
  kept.one(0, to);
}

}  // namespace lazyfuse::cuda_detail
