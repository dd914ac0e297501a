// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels lie over an iteration, as numbers that the host decides and kernels read.
#pragma once

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/core/index.hpp>

namespace lazyfuse::cuda_detail {

/// Division of a 31-bit number by an invariant one: a multiplication and a shift.
struct divisor {
  unsigned value = 1, factor = 0, shift = 0;
  static divisor of(index_t d);
  LAZYFUSE_HD unsigned quotient(unsigned n) const {
#if defined(__CUDA_ARCH__)
    return (__umulhi(n, factor) + n) >> shift;
#else
    return n / value;
#endif
  }
};

/// Of a power of two.
constexpr int log2_of(int n) {
  int shift = 0;
  while ((1 << shift) < n) ++shift;
  return shift;
}

/// An index space that is walked by a linear index: outer axes of a transform, kept or reduced axes.
template <int R>
struct axes_walk {
  index_t extents[R > 0 ? R : 1];
  divisor divisors[R > 0 ? R : 1];
  int first;   ///< axes before this one have extent 1
  bool small;  ///< the linear index fits 31 bits

  /// Calls f(axis, index along it) for each axis.
  template <class F>
  LAZYFUSE_HD void operator()(index_t linear, const F& f) const;
};
void fill_walk(index_t* extents, divisor* divisors, int& first, bool& small, const index_t* from, int rank);
template <int R>
axes_walk<R> walk_of(const index_t* extents) {
  axes_walk<R> w{};
  fill_walk(w.extents, w.divisors, w.first, w.small, extents, R);
  return w;
}

/// Which operands and targets may be read and written `width` elements at a time along the inner axis.
using wide_bits = unsigned long long;
static_assert(most_operands == 8 * sizeof(wide_bits));
/// Bit n; operands beyond the last bit have none of these properties.
LAZYFUSE_HD constexpr bool has_bit(wide_bits bits, int n) {
  if (n < 32) return ((static_cast<unsigned>(bits) >> n) & 1) != 0;  // most have few operands: half the instructions
  return n < most_operands && ((bits >> (n % most_operands)) & 1) != 0;
}

/// A stencil's tiles.
inline constexpr int window_lanes = transform_tuning::window_lanes, window_lines = block_threads / window_lanes;
inline constexpr int window_columns = window_lanes * transform_tuning::window_width,
                     window_rows = window_lines * transform_tuning::window_depth,
                     window_operands = transform_tuning::window_operands;

/// The array of a stencil's operands, and what a tile reads of it.
struct shared_window {
  const unsigned char *begin, *end;  ///< what the operands span of the array
  const unsigned char* origin;       ///< where the window of the first position begins; a multiple of 16
  int pitch;                         ///< bytes between rows
  int rows = 0, vectors;             ///< rows, and 16-byte vectors in each; without rows there is no window
  int height, width;                 ///< rows and columns of the iteration
  unsigned column_tiles;
  divisor by_tiles;
  int offset[window_operands];  ///< of each operand's first element from the beginning of the window, in bytes
  int bytes() const { return rows * vectors * 16; }
};

/// What is known of an operand along the inner axis when a kernel is compiled: nothing, the same element everywhere, or
/// whole aligned vectors wherever all of their elements exist.
enum class along_inner { not_known, same, vectors };
/// Of all operands.
template <along_inner... Known>
struct layout_facts {
  static constexpr bool all_dense = false;
  template <int I>
  static constexpr along_inner of = [] {
    constexpr along_inner known[] = {Known..., along_inner::not_known};
    return I < int(sizeof...(Known)) ? known[I < int(sizeof...(Known)) ? I : 0] : along_inner::not_known;
  }();
};

/// All that is in memory is whole aligned vectors, one after the other.
struct dense_layout : layout_facts<> {
  static constexpr bool all_dense = true;
};

/// The first parameters of every kernel (launch/launch.cuh checks it): what types say. What follows has the same type
/// for all programs.
template <class Operands, class Targets>
struct bound_to {
  Operands operands;
  Targets targets;
};
/// Of the flat kernel.
struct flat_numbers {
  index_t size;
  wide_bits wide_in, wide_out;
  bool consecutive;
  bool dense;  ///< every operand and target in memory is contiguous and aligned
};
/// Of the strided kernel.
template <int R>
struct strided_numbers {
  axes_walk<R - 2> planes_walk;  ///< the axes before the rows
  index_t planes, rows, columns;
  wide_bits wide_in, wide_out, via_shared;
  unsigned row_tiles, column_tiles;
  divisor by_rows, by_columns;
  int lane_shift,
      line_shift;  ///< log2 of the threads of a block along the columns, along the rows; the rest along planes
  bool consecutive, mirrored;
  bool small;  ///< every offset fits 31 bits
};
/// Where an operand of a stencil reads: which array, and how far from the element's place along the last three axes.
struct stencil_point {
  short array, along[3];
};
/// Of stencils, over the last three axes: threads walk along the first of these, and lie side by side along the others.
template <int R>
struct stencil_numbers {
  axes_walk<R - 3> outer;
  index_t extent[3];
  unsigned walk_tiles, line_tiles, column_tiles;
  divisor by_walks, by_lines, by_columns;
  int lane_shift,
      line_shift;  ///< log2 of the threads of a block along the columns, along the lines; the rest along the walk
};
/// Of reductions over the axes [K, R).
template <int K, int R>
struct reduce_numbers {
  axes_walk<K> kept;
  axes_walk<R - K> reduced;  ///< all reduced axes; the last one counts chunks if the inner loop runs along it
  index_t outputs, inner, units, units_per_split;
  index_t whole_chunks;  ///< pieces of the inner axis without a gap
  bool small_units;
  wide_bits wide;
  unsigned chunks, splits;
  divisor chunk_divisor;
  int group, lanes;
  bool consecutive, dense;
  unsigned* tickets;
  void* partial;
};

/// Shared memory that a block has without asking. More has to be asked for, once per kernel.
inline constexpr int unasked_shared_bytes = 48 << 10;

/// Whether operands of a strided kernel go through shared memory.
enum class turning { never, always, sometimes };

/// What a kernel processes per thread: `width` neighbours, `depth` times.
struct thread_share {
  int width, depth;
  /// Elements of shared memory for one operand of a tile that is turned: its lines begin in different banks.
  constexpr int tile_elements() const { return tile_lanes * depth * (tile_lanes * width + 1); }
};
/// Elements that a thread reads at once across rows, of those `depth` rows that are its own.
LAZYFUSE_HD constexpr int width_across(int element_size, int depth) {
  int width = 1;
  while (width < depth && 2 * width * element_size <= 16) width *= 2;
  return width;
}

// Rows that are shared by the blocks of a team, or that stay in registers.

/// How the blocks of a team exchange what they have.
enum class exchange { none, cluster, memory };

static_assert(row_tuning::most_cluster_blocks <= 32, "a lane of each warp takes the results of a block");
/// Of `end` steps that a block of a team takes over a row, depth at a time, the first whose vectors shared memory
/// keeps: the last are, from a turn on that all threads take; or none. cached, held: how many fit into it, and into
/// registers.
LAZYFUSE_HD constexpr int first_cached(int end, int whole, int cached, int held, int depth) {
  constexpr int none = 1 << 30;
  const int from = end > cached ? (end - cached + depth - 1) / depth * depth : 0;
  if (from > whole) return none;
  return from > 0 && from < held && held <= whole ? held : from;
}

/// Of rows in registers, K axes before them.
template <int K>
struct register_numbers {
  axes_walk<K> kept;
  index_t rows;
  int length;
  int rows_per_block;
  int group_bits;  ///< of the number of threads that share a row
  bool consecutive, one_result;
  bool whole;  ///< one axis is kept, and every operand is read in whole vectors, or is the same along a row
  wide_bits wide_in, wide_out;
};

/// The blocks that share rows.
struct team_parameters {
  unsigned blocks;  ///< of a team
  unsigned teams;
  exchange how;
  unsigned* tickets;  ///< one per team, zero before and after
  void* partial;      ///< two rooms for each team
  unsigned room;      ///< bytes of each block's part of a room
};

/// Of rows that teams share. The axes are [outer kept axes | axes of the row | the axis of the inner loop]: K, R - 1 -
/// K and 1 of them. The inner loop runs along the row, or (columns) along a kept axis.
template <int K, int R>
struct team_numbers {
  axes_walk<K> outer;
  axes_walk<R - 1 - K> across;
  index_t tasks;     ///< rows; columns: tiles of them at all outer positions
  index_t inner;     ///< extent of the inner axis
  index_t units;     ///< of a task: vectors of a row; columns: positions along the row
  index_t vectors;   ///< of the inner axis; columns: tiles
  int lane_bits;     ///< columns: of the number of threads side by side
  int cached_steps;  ///< of the steps over a task, those whose units a block keeps in shared memory
  bool consecutive, one_result;
  wide_bits wide_in, wide_out, via_shared;
  unsigned room[most_operands];  ///< where each operand via shared memory begins in it
  team_parameters team;
};

/// Of shared memory, in its first bytes, for what the blocks of a cluster that share a row send each other: two
/// counters and two boxes. accumulators: bytes of the largest stage's.
constexpr int mailbox_bytes(int accumulators) { return 16 + 2 * row_tuning::most_cluster_blocks * accumulators; }

/// Where tiles leave what they have in all, for those after them: `entries` for each strip of tiles.
struct scan_board {
  unsigned long long* marked;  ///< of one value: 32 bits, and a mark, which is zero at the beginning
  unsigned* flags;             ///< of columns: zero at the beginning
  void* values;
  unsigned strips, tiles;  ///< a strip's tiles follow each other
  static constexpr unsigned fan = 32;
  LAZYFUSE_HD static constexpr unsigned count(unsigned tiles) { return (tiles + fan - 1) / fan; }
  /// Of each tile, of each group, and before the next of groups of groups.
  LAZYFUSE_HD static constexpr unsigned entries(unsigned tiles) { return tiles + count(tiles) + count(count(tiles)); }
};

/// Of scans, K axes before those of a tile.
template <int K>
struct scan_numbers {
  axes_walk<K> kept;  ///< the axes before those of a tile
  index_t rows;       ///< or, beside, what `kept` counts
  index_t length;     ///< of the scanned axis
  index_t width;      ///< beside: of the kept axis along which threads are
  wide_bits wide_in, wide_out;
  int lanes;         ///< threads along the inner axis: of a row's group, or beside
  int spacing;       ///< between a thread's elements along the inner axis: 1, or `lanes`
  bool stacked;      ///< a thread's pieces are of rows below each other, each of one piece
  unsigned chunks;   ///< that a thread goes through, of Depth pieces each
  unsigned abreast;  ///< beside: strips side by side
  scan_board board;
};

template <int R>
template <class F>
LAZYFUSE_HD void axes_walk<R>::operator()(index_t linear, const F& f) const {
  if (small) {
    unsigned rest = static_cast<unsigned>(linear);
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      if (axis < first) break;
      if (axis == 0 || axis == first) f(axis, rest);
      else {
        const unsigned q = divisors[axis].quotient(rest);
        f(axis, rest - q * static_cast<unsigned>(extents[axis]));
        rest = q;
      }
    }
  } else {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      if (axis < first) break;
      if (axis == 0 || axis == first) f(axis, linear);
      else {
        const index_t q = linear / extents[axis];
        f(axis, linear - q * extents[axis]);
        linear = q;
      }
    }
  }
}

}  // namespace lazyfuse::cuda_detail
