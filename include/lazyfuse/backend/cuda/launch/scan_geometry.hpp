// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions for a scan, made on the host (compiled), and the memory for what its blocks tell each other.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/plan/lower.hpp>

namespace lazyfuse::cuda_detail {

/// The decisions for a scan.
struct scan_geometry {
  wide_bits wide_in = 0, wide_out = 0;
  int lanes = block_threads;  ///< threads that share a row, or are side by side
  unsigned tiles = 1;         ///< of a row, or below each other
  unsigned pieces = 1;        ///< side by side
  index_t rows = 1;           ///< of the kept axes
  unsigned strips = 1;        ///< of tiles that follow each other; where none do, blocks
  bool looks_back = false;
  unsigned blocks = 1;
  bool fits = true;  ///< a grid has so many blocks
};
/// beside: the scanned axis is the last but one.
scan_geometry plan_scan(const index_t* extents, int rank, bool beside, const operand_info* info, int targets, int count,
                        thread_share share);

/// Memory for what tiles leave for those after them, of one launch; entry_bytes: what one of them leaves.
class scan_room {
 public:
  scan_room(const scan_geometry& g, std::size_t entry_bytes);
  scan_board board;

 private:
  scratch memory_;
};

}  // namespace lazyfuse::cuda_detail
