// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where positions lie: of an array in memory, along its axes; of a view that moves no axis evenly, through a map.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse::ir {

/// A position, and how many that follow it are followed in the same way where they come from; or an offset.
struct stretch {
  index_t first, length;
  LAZYFUSE_HD constexpr void cut_to(index_t most) { length = most < length ? most : length; }
};

/// Division of positions, which are never negative, by an invariant number: a multiplication and a shift.
struct position_divisor {
  index_t value = 1;
  uint64 factor = 1;
  int shift = 0, shift_of_small = 0;
  unsigned factor_of_small = 1;  ///< of positions below 2^31, which take the device a third of the instructions
  LAZYFUSE_HD unsigned quotient(unsigned n) const {  // below 2^31
#if defined(__CUDA_ARCH__)
    return (__umulhi(n, factor_of_small) + n) >> shift_of_small;
#else
    return static_cast<unsigned>(((uint64{n} * factor_of_small >> 32) + n) >> shift_of_small);
#endif
  }
  LAZYFUSE_HD index_t quotient(index_t position) const {
    const auto n = static_cast<uint64>(position);
#if defined(__CUDA_ARCH__)
    if (n >> 31 == 0) return quotient(static_cast<unsigned>(n));
    return static_cast<index_t>((__umul64hi(n, factor) + n) >> shift);
#else
    __extension__ typedef unsigned __int128 wide;
    return static_cast<index_t>((static_cast<uint64>(wide(n) * factor >> 64) + n) >> shift);
#endif
  }
  friend constexpr bool operator==(const position_divisor& a, const position_divisor& b) { return a.value == b.value; }
};

/// Where positions in row-major order lie, for whatever steps. Axes that can be walked as one are one; those before
/// `first` have extent 1.
template <int R>
struct strided {
  position_divisor extents[R];
  strides<R> steps;
  index_t start = 0;
  int first = R - 1;

  LAZYFUSE_HD index_t step() const { return steps[R - 1]; }
  template <class Index>
  LAZYFUSE_HD stretch from(Index position) const {
    stretch s{start, extents[R - 1].value};
    Index rest = position;
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      if (axis < first) break;
      Index at = rest;
      if (axis > first) {
        rest = extents[axis].quotient(rest);
        at -= rest * static_cast<Index>(extents[axis].value);
      }
      if (axis == R - 1) s.length -= at;
      s.first += at * steps[axis];
    }
    return s;
  }
  /// The least offset of an element, and how many there are from it to the last.
  constexpr stretch reach() const {
    stretch s{start, 1};
    for (int axis = first; axis < R; ++axis) {
      const index_t last = (extents[axis].value - 1) * steps[axis];
      if (extents[axis].value == 0) return {start, 0};
      if (last < 0) s.first += last;
      s.length += last < 0 ? -last : last;
    }
    return s;
  }
  friend constexpr bool operator==(const strided&, const strided&) = default;
};

/// A map tells where a position of its `size` comes from: from(position), of 64 bits, or of 32 where all are below
/// 2^31.

/// The map of roll: K times, the elements of each block move on, and its last ones come to its front. An axis is rolled
/// by blocks of what lies within it.
template <int K>
struct rolling {
  index_t size = 0;
  position_divisor block[K];
  index_t distance[K] = {};

  template <class Index>
  LAZYFUSE_HD stretch from(Index position) const {
    auto length = static_cast<Index>(size);
    Index rows = 0;
    follow<false>(position, length, Index{0}, rows);
    return {static_cast<index_t>(position), static_cast<index_t>(length)};
  }
  /// Moves a position to where it comes from, and cuts the length that follows it. Rows: lowers `rows` to how far
  /// positions may be from it that move as it does, being multiples of the pitch further: those of other places in
  /// their blocks do so up to the end of what moves together.
  template <bool Rows, class Index>
  LAZYFUSE_HD void follow(Index& position, Index& length, Index pitch, Index& rows) const {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int k = 0; k < K; ++k) {
      const auto whole = static_cast<Index>(block[k].value), moved = static_cast<Index>(distance[k]);
      Index at = position;
      if (at >= whole) at -= block[k].quotient(at) * whole;
      const bool from_the_end = at < moved;
      const Index left = (from_the_end ? moved : whole) - at;
      length = left < length ? left : length;
      if constexpr (Rows)
        if (left < rows && block[k].quotient(pitch) * whole != pitch) rows = left;
      position += (from_the_end ? whole : 0) - moved;
    }
  }
  friend constexpr bool operator==(const rolling&, const rolling&) = default;
};

/// The map of what is read in row-major order.
struct in_order {
  index_t size = 0;
  template <class Index>
  LAZYFUSE_HD stretch from(Index position) const {
    return {static_cast<index_t>(position), size};
  }
  template <bool Rows, class Index>
  LAZYFUSE_HD void follow(Index&, Index&, Index, Index&) const {}
  friend constexpr bool operator==(const in_order&, const in_order&) = default;
};

}  // namespace lazyfuse::ir
