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
  LAZYFUSE_HD index_t quotient(index_t position) const {
    const auto n = static_cast<uint64>(position);
#if defined(__CUDA_ARCH__)
    if (n >> 31 == 0) {
      const auto small = static_cast<unsigned>(n);
      return (__umulhi(small, factor_of_small) + small) >> shift_of_small;
    }
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
  LAZYFUSE_HD stretch from(index_t position) const {
    stretch s{start, extents[R - 1].value};
    index_t rest = position;
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      if (axis < first) break;
      index_t at = rest;
      if (axis > first) {
        rest = extents[axis].quotient(rest);
        at -= rest * extents[axis].value;
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

/// Kernels ask for some elements that are not there, and store none of those: they get the first.
LAZYFUSE_HD constexpr index_t one_of(index_t size, index_t position) {
  return static_cast<uint64>(position) < static_cast<uint64>(size) ? position : 0;
}

/// The map of roll: K times, the elements of each block move on, and its last ones come to its front. An axis is rolled
/// by blocks of what lies within it.
template <int K>
struct rolling {
  index_t size = 0;
  position_divisor block[K];
  index_t distance[K] = {};

  LAZYFUSE_HD stretch from(index_t position) const {
    index_t rows = 0;
    stretch s{one_of(size, position), size};
    follow<false>(s.first, s.length, 0, rows);
    return s;
  }
  /// Moves a position to where it comes from, and cuts the length that follows it. Rows: lowers `rows` to how far
  /// positions may be from it that move as it does, being multiples of the pitch further: those of other places in
  /// their blocks do so up to the end of what moves together.
  template <bool Rows>
  LAZYFUSE_HD void follow(index_t& position, index_t& length, index_t pitch, index_t& rows) const {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int k = 0; k < K; ++k) {
      const index_t whole = block[k].value, moved = distance[k];
      index_t at = position;
      if (at >= whole) at -= block[k].quotient(at) * whole;
      const bool from_the_end = at < moved;
      const index_t left = (from_the_end ? moved : whole) - at;
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
  LAZYFUSE_HD stretch from(index_t position) const { return {one_of(size, position), size}; }
  template <bool Rows>
  LAZYFUSE_HD void follow(index_t&, index_t&, index_t, index_t&) const {}
  friend constexpr bool operator==(const in_order&, const in_order&) = default;
};

/// The map of what stands between others along K axes: where a position lies in its block of each, counted from the
/// first that is read. Before it and behind the last there is nothing.
template <int K>
struct window {
  static constexpr bool has_outside = true;
  index_t size = 0;
  position_divisor block[K];  ///< from the last axis on, of positions between the windows along those before it
  index_t first[K] = {}, count[K] = {};

  LAZYFUSE_HD stretch from(index_t position) const {
    stretch s{one_of(size, position), size};
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int k = 0; k < K; ++k) {
      const index_t whole = block[k].value;
      index_t before = 0, at = s.first;
      if (at >= whole) {
        before = block[k].quotient(at);
        at -= before * whole;
      }
      const index_t inside = at - first[k];
      if (inside < 0 || inside >= count[k]) {
        s.cut_to(inside < 0 ? -inside : whole - at);
        return {-1, s.length};
      }
      s.cut_to(count[k] - inside);
      s.first = before * count[k] + inside;
    }
    return s;
  }
  friend constexpr bool operator==(const window&, const window&) = default;
};
template <class Map>
concept map_with_outside = requires {
  Map::has_outside;
};

}  // namespace lazyfuse::ir
