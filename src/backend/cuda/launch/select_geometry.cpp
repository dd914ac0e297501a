// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a selection lies over the blocks of a device, and the memory in which they tell each other their counts.
#include "backend/cuda/launch/memory.hpp"

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/backend/cuda/launch/select_geometry.hpp>

#include <algorithm>

namespace lazyfuse::cuda_detail {

select_geometry plan_selection(const index_t* extents, int rank, const operand_info* info, int targets, int count,
                               thread_share share) {
  select_geometry g;
  for (int k = 0; k < rank; ++k) {
    g.size *= extents[k];
    g.line = g.line && (k == rank - 1 || extents[k] == 1);
  }
  for (int i = targets; g.line && i < count && i - targets < most_operands; ++i)
    if (share.width > 1 && is_wide(info[i], extents, rank, rank - 1, share.width))
      g.wide_in |= wide_bits{1} << (i - targets);
  const index_t tiles = ceil_div(g.size, index_t{block_threads} * share.width * share.depth);
  g.tiles = static_cast<unsigned>(tiles);
  // Blocks take tiles until there are none: more than run at a time would find none.
  g.blocks = static_cast<unsigned>(std::min(tiles, index_t{device().processors} * select_tuning::residents));
  return g;
}

select_room::select_room(const select_geometry& g) : board{nullptr, g.tiles} {
  constexpr std::size_t line = 256;
  const std::size_t bytes = static_cast<std::size_t>(select_board::size(g.tiles)) * sizeof(unsigned long long);
  memory_ = scratch_of_its_own((bytes + line - 1) / line * line, 0);
  board.words = reinterpret_cast<unsigned long long*>(memory_.tickets);
}

}  // namespace lazyfuse::cuda_detail
