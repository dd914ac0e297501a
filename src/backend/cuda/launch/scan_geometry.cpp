// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a scan lies over the blocks of a device, and the memory in which they tell each other their totals.
#include "backend/cuda/launch/memory.hpp"

#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

namespace lazyfuse::cuda_detail {

scan_geometry plan_scan(const index_t* extents, int rank, bool beside, const operand_info* info, int targets, int count,
                        thread_share share) {
  scan_geometry g;
  const auto [width, depth] = share;
  for (int i = 0; i < count && i - targets < most_operands; ++i)
    if (width > 1 && is_wide(info[i], extents, rank, rank - 1, width))
      (i < targets ? g.wide_out : g.wide_in) |= wide_bits{1} << (i < targets ? i : i - targets);
  for (int k = 0; k < rank - (beside ? 2 : 1); ++k) g.rows *= extents[k];
  index_t strips = g.rows, tiles = 1;
  if (beside) {
    const index_t length = extents[rank - 2], columns = extents[rank - 1];
    g.lanes = std::min(std::max(power_above(ceil_div(columns, width), 32), 8), block_threads / width);
    const index_t pieces = ceil_div(columns, index_t{g.lanes} * width);
    strips *= pieces;
    tiles = ceil_div(length, index_t{block_threads / g.lanes} * depth);
    g.pieces = static_cast<unsigned>(pieces);
    g.looks_back = tiles > 1;
  } else {
    const index_t length = extents[rank - 1], each = index_t{width} * depth;
    g.lanes = power_above(ceil_div(length, each), block_threads);
    tiles = ceil_div(length, g.lanes * each);
    // Blocks that go through a row alone keep the device busy where there are enough of them; but they add the tiles up
    // one by one, which drifts in long rows.
    constexpr index_t most_tiles = 16;
    g.looks_back = tiles > 1 && (g.rows < index_t{device().processors} * 8 || tiles > most_tiles);
    if (!g.looks_back) strips = ceil_div(g.rows, block_threads / g.lanes);
  }
  const index_t blocks = g.looks_back ? strips * tiles : strips;
  constexpr index_t most_blocks = (index_t{1} << 31) - 1;
  g.fits = strips <= most_blocks && blocks <= most_blocks;
  g.strips = static_cast<unsigned>(strips);
  g.tiles = static_cast<unsigned>(tiles);
  g.blocks = static_cast<unsigned>(blocks);
  return g;
}

scan_room::scan_room(const scan_geometry& g, std::size_t entry_bytes)
    : board{nullptr, nullptr, nullptr, g.strips, g.tiles} {
  if (!g.looks_back) return;
  constexpr std::size_t line = 256;
  const std::size_t entries = std::size_t{g.strips} * scan_board::entries(g.tiles);
  const std::size_t zero_bytes = line + (entries * sizeof(unsigned) + line - 1) / line * line;
  memory_ = scratch_of_its_own(zero_bytes, entries * entry_bytes);
  board.tickets = memory_.tickets;
  board.flags = memory_.tickets + line / sizeof(unsigned);
  board.values = memory_.partial;
}

}  // namespace lazyfuse::cuda_detail
