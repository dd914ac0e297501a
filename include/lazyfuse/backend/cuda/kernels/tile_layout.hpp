// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How reductions by tiles lie over an iteration, whose axes are [batch... | rows | columns | depth | outer...].
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// What is reduced: the columns (sums over pairs), the depth (products of matrices), or first the depth, which is a
/// single step of the kernel or several, and then the columns (the nearest of several points); or the columns at all
/// outer positions (sums whose operands lie in different orders). Results are of rows, or of rows and columns.
enum class tiling { pairs, products, nested, nested_deeply, sums };

/// The axes along which an operand varies, which is known when a kernel is compiled, and whether neighbours along the
/// depth, or (sums) the rows, are neighbours in memory.
enum tile_bits : unsigned { by_rows = 1, by_columns = 2, by_depth = 4, dense_across = 8, by_outer = 16 };
template <unsigned... Bits>
struct tile_facts {
  template <int I>
  static constexpr unsigned of = [] {
    constexpr unsigned bits[] = {Bits..., 0};
    return bits[I];
  }();
};

/// B axes of the batch, O outer ones.
template <int B, int O>
struct tile_numbers {
  axes_walk<B> batch;
  axes_walk<O> outer;
  index_t rows, columns, depth;
  unsigned row_tiles, column_tiles;  ///< of the results
  unsigned splits;                   ///< blocks that share a tile
  unsigned steps, steps_per_split;   ///< tiles of columns that are reduced, or of the depth of products
  unsigned steps_of_outer;           ///< tiles of columns at an outer position
  unsigned unused = 0;
  unsigned* tickets;
  void* partial;
};

/// Positions along the depth between two barriers; short runs of sums are as long, too.
inline constexpr int tile_depth = 16;
/// Columns of pairs between two barriers: one for each thread to copy.
inline constexpr int pair_columns = block_threads;
/// Elements that threads read at once, and which are neighbours.
inline constexpr int tile_vector = 4;

}  // namespace lazyfuse::cuda_detail
