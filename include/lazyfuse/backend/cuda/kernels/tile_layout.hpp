// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How reductions by tiles lie over an iteration, whose axes are [batch... | rows | columns | depth].
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// What is reduced: the columns (sums over pairs), the depth (products of matrices), or first the depth, which is a
/// single step of the kernel or several, and then the columns (the nearest of several points). Results are of rows, or
/// of rows and columns.
enum class tiling { pairs, products, nested, nested_deeply };

/// The axes along which an operand varies, which is known when a kernel is compiled, and whether neighbours along the
/// depth are neighbours in memory; of turned reductions, along the rows, or along the columns.
enum tile_bits : unsigned { by_rows = 1, by_columns = 2, by_depth = 4, dense_across = 8, dense_along = 16 };
template <unsigned... Bits>
struct tile_facts {
  template <int I>
  static constexpr unsigned of = [] {
    constexpr unsigned bits[] = {Bits..., 0};
    return bits[I];
  }();
};

/// B axes of the batch.
template <int B>
struct tile_numbers {
  axes_walk<B> batch;
  index_t rows, columns, depth;
  unsigned row_tiles, column_tiles;  ///< of the results
  unsigned splits;                   ///< blocks that share a tile
  unsigned steps, steps_per_split;   ///< tiles of columns that are reduced, or of the depth of products
  unsigned* tickets;
  void* partial;
};

/// Positions along the depth between two barriers; short runs of sums are as long, too.
inline constexpr int tile_depth = 16;
/// Columns of pairs between two barriers: one for each thread to copy; of programs of more cost fewer, so that blocks
/// can share them evenly, and where runs are begun again, those of a run.
inline constexpr int pair_columns = block_threads, columns_of_dear_pairs = 64, dear_pairs = 24, columns_of_runs = 128;
/// Elements that threads read at once, and which are neighbours.
inline constexpr int tile_vector = 4;

}  // namespace lazyfuse::cuda_detail
