// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels lie over an iteration in which operands are turned: in tiles of the size that its axes ask for, `lanes`
// threads along the columns, `lines` along the rows, and some rows of each. Its axes are [batch... | those of a tile |
// outer...].
#pragma once

#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>

namespace lazyfuse::cuda_detail {

/// Elements that a thread of `depth` rows turns: a few more, since both directions divide the threads of a block.
LAZYFUSE_HD constexpr int turned_steps(int depth) { return depth + depth / 4; }
/// From a row of such an operand in shared memory to the next: they begin in different banks.
LAZYFUSE_HD constexpr int turned_pitch(int lanes) { return lanes | 1; }
LAZYFUSE_HD constexpr int turned_bytes(int element_size, int lanes, int lines, int depth) {
  return (lines * depth * turned_pitch(lanes) * element_size + 15) / 16 * 16;
}

/// Which axes of a tile are kept. That one lies before the other.
enum class kept_axes { none, rows, columns, both };

/// The threads of a block; the rest are idle.
struct turned_threads {
  int lanes, lines;
  int lines_across;           ///< how often the rows of a tile fit the threads of a block
  divisor by_lanes, by_tall;  ///< by_tall: by the rows of a tile
};
/// B axes of the batch, O outer ones; of transforms there are no outer ones, and no steps.
template <int B, int O>
struct turned_numbers {
  axes_walk<B> batch;
  axes_walk<O> outer;
  index_t rows, columns;
  turned_threads threads;
  unsigned row_tiles, column_tiles;  ///< along axes that are kept; else 1
  unsigned splits;                   ///< blocks that share a tile
  unsigned steps, steps_per_split;   ///< tiles along axes that are reduced, at all outer positions
  divisor by_rows, by_columns;       ///< tiles along axes that are reduced; else 1
  unsigned* tickets;
  void* partial;
};

}  // namespace lazyfuse::cuda_detail
