// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a selection lies over the blocks of a device, and where these tell each other how much they select.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// What tiles leave for those after them: of each tile, of each group of 32 and of each 32 groups a word, zero at the
/// beginning, to which every tile of it adds 1 above 32 bits with how many elements it selects. Behind them is the
/// number of the next tile.
struct select_board {
  unsigned long long* words;
  unsigned tiles;
  static constexpr unsigned fan = 32;

  LAZYFUSE_HD static constexpr unsigned count(unsigned tiles) { return (tiles + fan - 1) / fan; }
  LAZYFUSE_HD static constexpr unsigned long long entry(unsigned selected) { return 1ull << 32 | selected; }
  LAZYFUSE_HD static constexpr bool has_all(unsigned long long word, unsigned tiles) { return word >> 32 == tiles; }
  LAZYFUSE_HD static constexpr unsigned selected(unsigned long long word) { return static_cast<unsigned>(word); }

  LAZYFUSE_HD unsigned long long* tile(unsigned n) const { return words + n; }
  LAZYFUSE_HD unsigned long long* group(unsigned n) const { return words + tiles + n; }
  LAZYFUSE_HD unsigned long long* groups(unsigned n) const { return group(count(tiles)) + n; }
  LAZYFUSE_HD unsigned* next_tile() const { return reinterpret_cast<unsigned*>(groups(count(count(tiles)))); }
  static constexpr index_t size(unsigned tiles) { return index_t{tiles} + count(tiles) + count(count(tiles)) + 1; }
};

/// How many of its elements in each piece a lane selects, or several lanes do, in fields of a word.
template <int Width, int Depth>
struct piece_counts {
  static constexpr int bits = 32 * Width < 256 ? 8 : 16;
  using word = standard::conditional_t<(bits * Depth > 32), unsigned long long, unsigned>;
  static_assert(bits * Depth <= 64 && 32 * Width < 1 << bits);
  LAZYFUSE_HD static constexpr word of(unsigned count, int piece) { return static_cast<word>(count) << bits * piece; }
  LAZYFUSE_HD static constexpr unsigned piece(word all, int d) {
    return static_cast<unsigned>(all >> bits * d) & ((1u << bits) - 1);
  }
};

/// Of selections from R axes.
template <int R>
struct select_numbers {
  axes_walk<R> walk;
  index_t size;
  wide_bits wide_in;
  select_board board;
};

}  // namespace lazyfuse::cuda_detail
