// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How reductions and scans lie over an iteration.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

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

}  // namespace lazyfuse::cuda_detail
