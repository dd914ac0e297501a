// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions for a selection, made on the host (compiled), and the memory for what its blocks tell each other.
#pragma once

#include <lazyfuse/backend/cuda/kernels/select_layout.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::cuda_detail {

/// The decisions for a selection.
struct select_geometry {
  bool line = true;  ///< all but the innermost axis have extent 1
  wide_bits wide_in = 0;
  index_t size = 1;
  unsigned tiles = 1, blocks = 1;
};
select_geometry plan_selection(const index_t* extents, int rank, const planning::operand_info* info, int targets,
                               int count, thread_share share);

/// Memory for the counts of tiles, of one launch.
class select_room {
 public:
  explicit select_room(const select_geometry& g);
  select_board board;

 private:
  scratch memory_;
};

template <int R>
select_numbers<R> numbers_of_selection(const select_geometry& g, const index_t* extents, const select_room& room) {
  return {.walk = walk_of<R>(extents), .size = g.size, .wide_in = g.wide_in, .board = room.board};
}

}  // namespace lazyfuse::cuda_detail
