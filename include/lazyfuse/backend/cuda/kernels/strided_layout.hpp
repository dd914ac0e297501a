// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How transforms lie over an iteration where they are not flat: in tiles of rows and columns.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// Whether operands of a strided kernel go through shared memory.
enum class turning { never, always, sometimes };

/// Elements that a thread reads at once across rows, of those `depth` rows that are its own.
LAZYFUSE_HD constexpr int width_across(int element_size, int depth) {
  int width = 1;
  while (width < depth && 2 * width * element_size <= 16) width *= 2;
  return width;
}

/// Of the strided kernel.
template <int R>
struct strided_numbers {
  axes_walk<R - 2> planes_walk;  ///< the axes before the rows
  index_t planes, rows, columns;
  wide_bits wide_in, wide_out, via_shared;
  unsigned row_tiles, column_tiles;
  divisor by_rows, by_columns;
  int lanes, lines, planes_here;  ///< threads of a block along the columns, the rows, the planes; the rest are idle
  divisor by_lanes, by_lines;
  bool consecutive, mirrored;
  bool small;  ///< every offset fits 31 bits
};
/// Where an operand of a stencil reads: which array, and how far from the element's place along the last three axes.
struct stencil_point {
  short array, along[3];
};
/// How a stencil reads an array: so many columns by one instruction, which begin at a multiple of their size where a
/// thread's first column is `before` columns beyond one. Of a vector of which several elements are read, others may be
/// nobody's: it is read whole, for it lies in one aligned piece of memory.
struct stencil_array {
  short together, before;
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

}  // namespace lazyfuse::cuda_detail
