// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a scan lies over the blocks of a device, and the memory in which they tell each other their totals.
#include "backend/cuda/launch/memory.hpp"

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

#include <algorithm>

namespace lazyfuse::cuda_detail {

namespace {

constexpr index_t most_blocks = (index_t{1} << 31) - 1;

/// Chunks of a tile: as many as shared memory has room for, but so few that there are tiles for all processors, and as
/// many in the last tile as in others.
unsigned chunks_of_tile(index_t all, index_t strips, std::size_t chunk_bytes) {
  const auto room = static_cast<index_t>(scan_tuning::tile_bytes / chunk_bytes),
             enough = all * strips / (index_t{device().processors} * scan_tuning::residents * 2),
             most = std::min(std::max<index_t>(std::min(room, enough), 1), all);
  return static_cast<unsigned>(ceil_div(all, ceil_div(all, most)));
}

void plan_rows(scan_geometry& g, const index_t* extents, int rank, const scan_facts& facts, std::size_t chunk_bytes) {
  const thread_share share = facts.share;
  const index_t length = extents[rank - 1];
  const index_t each = index_t{share.width} * share.depth, of_warp = 32 * each;
  // Warps that go through rows alone wait for nobody; but they add a row's chunks up one by one, which drifts, and few
  // of them keep no device busy.
  const bool many = g.rows >= index_t{device().processors} * scan_tuning::least_rows;
  if (facts.by_rows && (length <= of_warp || (many && length <= scan_tuning::most_chunks * of_warp))) {
    g.path = scan_path::rows;
    g.lanes = std::max(power_above(ceil_div(length, share.width), scan_tuning::least_lanes),
                       power_above(ceil_div(length, each), 32));
    // Two rows to a warp if the second chunk of one were at most half full: of 704 elements in vectors, 11 of 12
    // pieces are needed then, not 6 of 8.
    if (g.spacing == 1 && length > of_warp && 2 * length <= 3 * of_warp) g.lanes = 16;
    g.chunks = static_cast<unsigned>(ceil_div(length, g.lanes * each));
    g.stacked = length <= g.lanes * share.width && (rank == 2 || extents[rank - 2] % share.depth == 0);
    const index_t blocks = ceil_div(g.stacked ? ceil_div(g.rows, share.depth) : g.rows, block_threads / g.lanes);
    g.fits = blocks <= most_blocks;
    g.blocks = static_cast<unsigned>(blocks);
    if (g.spacing > 1) g.spacing = g.lanes;
    return;
  }
  const index_t chunks = ceil_div(length, block_threads * each);
  g.chunks = chunks_of_tile(chunks, g.rows, chunk_bytes);
  const index_t tiles = ceil_div(chunks, g.chunks);
  g.fits = g.rows <= most_blocks && tiles * g.rows <= most_blocks;
  g.tiles = static_cast<unsigned>(tiles);
  g.strips = static_cast<unsigned>(g.rows);
  g.blocks = static_cast<unsigned>(tiles * g.rows);
  g.shared = g.chunks * chunk_bytes;
}

void plan_columns(scan_geometry& g, index_t length, index_t columns, thread_share share, std::size_t chunk_bytes) {
  g.path = scan_path::columns;
  const index_t vectors = ceil_div(columns, share.width);
  const index_t whole = ceil_div(length, share.depth);  // chunks, where a thread has all of a column
  const bool many = vectors * g.rows >= index_t{device().processors} * block_threads * 2 &&
                    (share.width > 1 || vectors >= block_threads);
  index_t lines = 1;
  if (many && whole * static_cast<index_t>(chunk_bytes) <= scan_tuning::tile_bytes) {
    g.lanes = block_threads;
    g.chunks = static_cast<unsigned>(whole);
  } else {
    const int least = share.width > 1 ? scan_tuning::least_lanes : 1;
    g.lanes = std::min(std::max(power_above(vectors, scan_tuning::columns / share.width), least),
                       block_threads / share.width);
    lines = block_threads / g.lanes;
  }
  if (g.spacing > 1) g.spacing = g.lanes;
  const index_t abreast = ceil_div(vectors, g.lanes), strips = g.rows * abreast;
  const index_t chunks = ceil_div(whole, lines);
  if (lines > 1) g.chunks = chunks_of_tile(chunks, strips, chunk_bytes);
  const index_t tiles = ceil_div(chunks, g.chunks);
  g.fits = strips <= most_blocks && strips * tiles <= most_blocks;
  g.abreast = static_cast<unsigned>(abreast);
  g.strips = static_cast<unsigned>(strips);
  g.tiles = static_cast<unsigned>(tiles);
  g.blocks = static_cast<unsigned>(strips * tiles);
  g.shared = g.chunks * chunk_bytes;
}

}  // namespace

scan_geometry plan_scan(const index_t* extents, int rank, const operand_info* info, int targets, int count,
                        const scan_facts& facts) {
  scan_geometry g;
  const auto [width, depth] = facts.share;
  vector_vote votes;
  for (int i = 0; i < count && i - targets < most_operands; ++i) {
    const bool wide = width > 1 && is_wide(info[i], extents, rank, rank - 1, width);
    votes.cast(info[i], rank - 1, wide);
    if (wide) (i < targets ? g.wide_out : g.wide_in) |= wide_bits{1} << (i < targets ? i : i - targets);
  }
  if (width > 1 && !votes.consecutive()) {
    g.spacing = g.lanes;
    g.wide_in = g.wide_out = 0;
  }
  for (int k = 0; k < rank - (facts.beside ? 2 : 1); ++k) g.rows *= extents[k];
  const std::size_t chunk_bytes = std::size_t{block_threads} * width * depth * facts.accumulators;
  if (facts.beside) plan_columns(g, extents[rank - 2], extents[rank - 1], facts.share, chunk_bytes);
  else plan_rows(g, extents, rank, facts, chunk_bytes);
  g.fits =
      g.fits && g.shared + static_cast<std::size_t>(facts.fixed) <= static_cast<std::size_t>(device().shared_bytes);
  return g;
}

scan_room::scan_room(const scan_geometry& g, int accumulators, int columns)
    : board{nullptr, nullptr, nullptr, g.strips, g.tiles} {
  if (g.tiles == 1) return;
  constexpr std::size_t line = 256;
  const std::size_t entries = std::size_t{g.strips} * scan_board::entries(g.tiles);
  const bool marked = g.path == scan_path::tiles;
  const std::size_t words = static_cast<std::size_t>(accumulators + 3) / 4,
                    zero_bytes = entries * (marked ? words * sizeof(unsigned long long) : sizeof(unsigned));
  memory_ = scratch_of_its_own((zero_bytes + line - 1) / line * line,
                               marked ? 0 : entries * static_cast<std::size_t>(accumulators * columns));
  if (marked) board.marked = reinterpret_cast<unsigned long long*>(memory_.tickets);
  else {
    board.flags = memory_.tickets;
    board.values = memory_.partial;
  }
}

}  // namespace lazyfuse::cuda_detail
