// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's part of a row or of some columns, and what of it the block keeps on chip: the first steps in registers, the
// last in shared memory, copied ahead.
#pragma once

#include <lazyfuse/backend/cuda/kernels/copies.cuh>
#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/row_layout.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::cuda_detail {

/// The block's dynamic shared memory.
__device__ __forceinline__ unsigned char* team_room() {
  extern __shared__ __align__(row_tuning::room_alignment) unsigned char shared_room[];
  return shared_room;
}

/// A thread's part of a task. Units are vectors of a row, or (columns) positions along it. In each step the threads of
/// the team take neighbouring ones: its reads and writes move through memory together, as those of a copy.
template <int Operands, int Targets>
struct row_part {
  int count;          ///< of units of the task
  int block_start;    ///< the first of the block
  int start, stride;  ///< of this thread, and from one step to the next
  int end, whole;     ///< steps; those that all threads take, a multiple of how many are taken at a time
  int cached_from;    ///< the step from which on shared memory keeps units
  bool has_columns;   ///< columns: this thread
  int spacing;        ///< of the thread's elements
  int lane;           ///< columns: of the thread
  int columns_left;
  index_t base[Operands + 1], to[Targets];  ///< offsets of the task
};

/// Where a thread starts, read from the machine each time: the compiler, for lack of registers, would keep it in local
/// memory, which misses the cache that shared memory leaves.
__device__ __forceinline__ int thread_again() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}
template <bool Columns, class Part>
__device__ __forceinline__ Part seen_anew(const auto& p, Part part) {
  part.start = part.block_start + (Columns ? thread_again() >> p.lane_bits : thread_again());
  return part;
}

/// What a pass is told of a unit beside its values and its place.
struct any_unit {};
struct later_unit {};  ///< to be added to what has begun
struct only_unit {};   ///< the first of a row that has one result

/// The part of the task to come, if one comes: its vectors take the place of those of this one as they are read.
/// (Through a pointer the parts would live in local memory, which misses the cache that shared memory leaves.)
template <class Part>
struct next_part {
  const Part& part;
  bool comes;
};

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
  using source = type_at<I, Src...>;
  template <int I>
  static constexpr int bytes = Width* int(sizeof(typename source<I>::value_type));
  /// Whether operand I is read by several passes, in vectors that can be copied ahead.
  template <int I>
  static constexpr bool again = I<most_operands && source<I>::is_memory && (Staged::template passes_that_read<I>)> 1 &&
                                (bytes<I> == 4 || bytes<I> == 8 || bytes<I> == 16);
  template <int I>
  static constexpr bool first = !Staged::template read_before<Pass, I>;
  /// Steps of the block that registers keep, a multiple of Depth; none where they would fill them.
  template <int Depth, int... I>
  static constexpr int held_steps(index_sequence<I...>) {
    constexpr int all = (0 + ... + (again<I> ? bytes<I> : 0));
    return all == 0 ? 0 : row_tuning::most_held_bytes / (all * Depth) * Depth;
  }
  template <int... I>
  static constexpr wide_bits again_bits(index_sequence<I...>) {
    wide_bits bits = 0;
    ((bits |= again<I> ? wide_bits{1} << (I % most_operands) : 0), ...);
    return bits;
  }
  /// Whether shared memory has, or is to have, operand I where units are kept.
  template <int I>
  static __device__ __forceinline__ bool cached(const auto& p, bool here) {
    if constexpr (again<I>) return here && has_bit(p.via_shared, I);
    else return false;
  }
  /// Where the vector of operand I is kept that this thread has after `steps` steps from the first that is kept.
  template <int I>
  static __device__ __forceinline__ auto* place(const auto& p, int steps) {
    using T = typename type_at<I, Src...>::value_type;
    return reinterpret_cast<T*>(team_room() + p.room[I % most_operands]) +
           (steps * row_tuning::team_threads + static_cast<int>(threadIdx.x)) * Width;
  }
};

/// Writes a fetched vector to shared memory.
template <int Width, class F, class T>
__device__ __forceinline__ void keep_vector(const F& f, T* to) {
  if constexpr (bare_t<decltype(f)>::can_be_wide) f.value[0].write(to);
  else
#pragma unroll
    for (int k = 0; k < Width; ++k) to[k] = f.value[0][k];
}

}  // namespace lazyfuse::cuda_detail
