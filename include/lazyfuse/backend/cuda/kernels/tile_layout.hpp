// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How reductions by tiles lie over an iteration, whose axes are [batch... | rows | columns | depth].
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// What is reduced: the columns (sums over pairs), the depth (products of matrices), or first the depth and then the
/// columns (the nearest of several points). Results are of rows, or of rows and columns.
enum class tiling { pairs, products, nested };

/// What is known of an operand when a kernel is compiled: the axes along which it varies, and where neighbours along
/// one of them are neighbours in memory.
enum tile_bits : unsigned { by_rows = 1, by_columns = 2, by_depth = 4, depth_dense = 8, column_vectors = 16 };
template <unsigned... Bits>
struct tile_facts {
  template <int I>
  static constexpr unsigned of = [] {
    constexpr unsigned bits[] = {Bits..., 0};
    return bits[I];
  }();
};

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

/// Threads side by side along the columns: their results are merged where columns are reduced.
LAZYFUSE_HD constexpr int tile_columns_of(tiling how) { return how == tiling::products ? 16 : 8; }
/// Steps along the depth between two barriers, after which sums are added to what they were, with what that loses.
inline constexpr int tile_depth = 16;
/// Elements that threads read at once, and which are neighbours.
inline constexpr int tile_vector = 4;

}  // namespace lazyfuse::cuda_detail
