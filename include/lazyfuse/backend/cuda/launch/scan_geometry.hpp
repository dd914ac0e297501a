// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions for a scan, made on the host (compiled), and the memory for what its blocks tell each other.
#pragma once

#include <lazyfuse/backend/cuda/kernels/reduce_layout.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::cuda_detail {

/// Which kernel scans: threads of a warp go through a row, or a block takes a tile of a row or of columns.
enum class scan_path { rows, tiles, columns };
/// The decisions for a scan.
struct scan_geometry {
  scan_path path = scan_path::tiles;
  wide_bits wide_in = 0, wide_out = 0;
  int lanes = 32;        ///< threads that share a row, or are side by side
  int spacing = 1;       ///< between a thread's elements: 1, or `lanes`
  bool stacked = false;  ///< a thread's pieces are of rows below each other
  unsigned chunks = 1;   ///< that a thread goes through
  unsigned tiles = 1;    ///< of a row, or below each other
  unsigned abreast = 1;  ///< strips of columns
  index_t rows = 1;      ///< of the kept axes
  unsigned strips = 1;   ///< of tiles that follow each other
  unsigned blocks = 1;
  std::size_t shared = 0;  ///< bytes of a block, for its tile
  bool fits = true;        ///< a grid has so many blocks, a block so much shared memory
};
/// What a scan is planned by, beside its extents.
struct scan_facts {
  bool beside;         ///< the scanned axis is the last but one
  thread_share share;  ///< of one chunk
  int accumulators;    ///< bytes of an element's
  bool by_rows;        ///< there is a kernel for rows that threads of a warp go through
  int fixed;           ///< bytes of shared memory beside the tile
  static constexpr scan_facts of(bool beside, int rank, thread_share share, int accumulators) {
    const int piece = block_threads * share.width * accumulators;
    return {beside, share, accumulators, !beside && rank > 1 && piece <= unasked_shared_bytes,  // to turn a piece
            beside ? piece : accumulators * (block_threads / 32)};
  }
};
scan_geometry plan_scan(const index_t* extents, int rank, const planning::operand_info* info, int targets, int count,
                        const scan_facts& facts);

/// Memory for what tiles leave for those after them, of one launch; columns: of a tile.
class scan_room {
 public:
  scan_room(const scan_geometry& g, int accumulators, int columns);
  scan_board board;

 private:
  scratch memory_;
};

template <int K>
scan_numbers<K> numbers_of_scan(const scan_geometry& g, const index_t* extents, bool beside, const scan_room& room) {
  return {.kept = walk_of<K>(extents),
          .rows = g.rows,
          .length = extents[K],
          .width = beside ? extents[K + 1] : 1,
          .wide_in = g.wide_in,
          .wide_out = g.wide_out,
          .lanes = g.lanes,
          .spacing = g.spacing,
          .stacked = g.stacked,
          .chunks = g.chunks,
          .abreast = g.abreast,
          .board = room.board};
}

}  // namespace lazyfuse::cuda_detail
