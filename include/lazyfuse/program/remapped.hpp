// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of another source, at positions that are not affine in the index. Such a view has the steps of a dense
// array, so that its offset is a position in it; a map says which position of what it views that is, and the axes of
// that where the element lies.
#pragma once

#include <lazyfuse/program/operand.hpp>

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
    if (n >> 31 == 0) return quotient(static_cast<int>(position));
    return static_cast<index_t>((__umul64hi(n, factor) + n) >> shift);
#else
    __extension__ typedef unsigned __int128 wide;
    return static_cast<index_t>((static_cast<uint64>(wide(n) * factor >> 64) + n) >> shift);
#endif
  }
#if defined(__CUDA_ARCH__)
  __device__ __forceinline__ int quotient(int position) const {
    const auto n = static_cast<unsigned>(position);
    return static_cast<int>((__umulhi(n, factor_of_small) + n) >> shift_of_small);
  }
#endif
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
    follow<false>(s.first, s.length, index_t{0}, rows);
    return s;
  }
  /// Moves a position to where it comes from, and cuts the length that follows it. Rows: also as far as `rows` from it,
  /// positions by multiples of the pitch further move with it: beside it in their block, or in blocks that the pitch is
  /// a multiple of.
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
  LAZYFUSE_HD stretch from(index_t position) const { return {one_of(size, position), size}; }
  template <bool Rows, class Index>
  LAZYFUSE_HD void follow(Index&, Index&, Index, Index&) const {}
  friend constexpr bool operator==(const in_order&, const in_order&) = default;
};

/// Element n is that of the source at the position of its own that the map names for n. Not in memory for kernels,
/// which read memory at offsets that steps lead to; they are given runs of elements, most of which are neighbours.
template <class Source, class Map, int R>
struct remapped {
  using value_type = typename Source::value_type;
  static constexpr bool is_memory = false;
  static constexpr int together = 1, cost = 4;
  Source source;  ///< first: code without types looks there for an owner and a pointer
  Map map;
  strided<R> within;
  index_t origin = 0;  ///< the position of offset 0

  LAZYFUSE_HD stretch from(index_t position) const {
    const stretch mapped = map.from(position);
    stretch s = within.from(mapped.first);
    s.cut_to(mapped.length);
    return s;
  }
  LAZYFUSE_HD value_type at(index_t offset) const { return source.at(from(origin + offset).first); }
  /// What it may read, counted from the pointer that its memory begins with.
  constexpr stretch reach() const {
    if constexpr (requires { source.reach(); }) return source.reach();
    else return within.reach();
  }

  /// n elements a step apart, on the host: runs of those that come from neighbours, of falling offsets from the end on.
  void write(value_type* to, index_t offset, index_t step, index_t n) const {
    const index_t apart = step < 0 ? -step : step, ahead = apart * within.step();
    while (n > 0) {
      const stretch s = from(origin + offset + (step < 0 ? (n - 1) * step : 0));
      const index_t run = apart == 0 ? 1 : (s.length + apart - 1) / apart, count = run < n ? run : n;
      if (step < 0) write_run(to + n - count, s.first + (count - 1) * ahead, -ahead, count);
      else {
        write_run(to, s.first, ahead, count);
        to += count;
        offset += count * step;
      }
      n -= count;
    }
  }
  /// Where n neighbours lie as they are, on the host; null if they do not.
  const value_type* lying(index_t offset, index_t n) const {
    if constexpr (Source::is_memory) {
      const stretch s = from(origin + offset);
      if (within.step() == 1 && n <= s.length) return address(source.data) + s.first;
    }
    return nullptr;
  }

#if defined(__CUDACC__)
  /// Depth times Width elements, on the device: rows a pitch apart, neighbours a step apart. Of a row that is not there
  /// from its first element on, nothing is stored.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(value_type (&to)[Depth][Width], index_t offset, index_t pitch,
                                       index_t step) const {
    // All of a thread's are followed at once where they can be: that takes more instructions than the elements.
    constexpr index_t small = index_t{1} << 28;
    if constexpr (Depth > 1)
      if (pitch >= 0 && step >= 0 && within.first == R - 1) {
        const index_t position = origin + offset;
        if (map.size < small * 8 && pitch < small && step < small
                ? rows_at_once<int>(to, static_cast<int>(position), static_cast<int>(pitch), static_cast<int>(step))
                : rows_at_once<index_t>(to, position, pitch, step))
          return;
      }
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t first = offset + d * pitch;
      const stretch s = from(origin + first);
      if (step >= 0 && (Width - 1) * step < s.length) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = source.at(s.first + k * step * within.step());
      } else {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = at(first + k * step);
      }
    }
  }
#endif
  friend bool operator==(const remapped&, const remapped&) = default;

 private:
#if defined(__CUDACC__)
  /// Index: what holds all positions.
  template <class Index, int Depth, int Width>
  __device__ __forceinline__ bool rows_at_once(value_type (&to)[Depth][Width], Index position, Index pitch,
                                               Index step) const {
    const auto size = static_cast<Index>(map.size);
    Index length = size, left = size - position;
    if (position < 0 || position >= size) return false;
    map.template follow<true>(position, length, pitch, left);
    const Index across = (Width - 1) * step;
    if (across >= length || (left - across - 1) / (Depth > 1 ? Depth - 1 : 1) < pitch) return false;
    const index_t start = within.start + position * within.step(), down = pitch * within.step(),
                  right = step * within.step();
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) to[d][k] = source.at(start + d * down + k * right);
    return true;
  }
#endif
  void write_run(value_type* to, index_t first, index_t step, index_t n) const {
    if constexpr (grouped_source<Source>) source.write(to, first, step, n);
    else if constexpr (Source::is_memory) {
      const value_type* const data = address(source.data) + first;
      if (step == 1 && n > 8) __builtin_memcpy(to, data, static_cast<unsigned long>(n) * sizeof(value_type));
      else
        for (index_t i = 0; i < n; ++i) to[i] = data[i * step];
    } else
      for (index_t i = 0; i < n; ++i) to[i] = source.at(first + i * step);
  }
};

}  // namespace lazyfuse::ir
