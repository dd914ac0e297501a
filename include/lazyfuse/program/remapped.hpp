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

/// n elements that are a step apart, on the host.
template <class T>
void copy_apart(T* to, const T* from, index_t step, index_t n) {
  if (step == 1 && n > 8) __builtin_memcpy(to, from, static_cast<unsigned long>(n) * sizeof(T));
  else
    for (index_t i = 0; i < n; ++i) to[i] = from[i * step];
}

/// Writes n elements whose positions are a step apart, on the host, in runs of those that come from neighbours `scale`
/// apart; of falling positions from the end on. from(position): where a run begins, and its length.
template <class T, class From, class Write>
void write_in_runs(T* to, index_t position, index_t step, index_t scale, index_t n, const From& from,
                   const Write& write) {
  const index_t apart = step < 0 ? -step : step, ahead = apart * scale;
  while (n > 0) {
    const auto run = from(position + (step < 0 ? (n - 1) * step : 0));
    const index_t left = apart == 0 ? 1 : (run.length + apart - 1) / apart, count = left < n ? left : n;
    if (step < 0) write(to + n - count, run.first + (count - 1) * ahead, -ahead, count);
    else {
      write(to, run.first, ahead, count);
      to += count;
      position += count * step;
    }
    n -= count;
  }
}

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

  /// n elements a step apart, on the host.
  void write(value_type* to, index_t offset, index_t step, index_t n) const {
    write_in_runs(
        to, origin + offset, step, within.step(), n, [this](index_t position) { return from(position); },
        [this](value_type* run, index_t first, index_t apart, index_t count) { write_run(run, first, apart, count); });
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
  static constexpr index_t nowhere = index_t{-1} << 62;
  /// The offset in the source of the first of some rows a pitch apart, of so many elements a step apart, if all of them
  /// lie there as they do here.
  __device__ __forceinline__ index_t offset_of_tile(index_t offset, index_t rows, index_t pitch, index_t columns,
                                                    index_t step) const {
    index_t position = origin + offset, length = map.size, left = map.size - position;
    if (pitch < 0 || step < 0 || within.first != R - 1 || position < 0 || left <= 0) return nowhere;
    map.template follow<true>(position, length, pitch, left);
    const index_t across = (columns - 1) * step;
    if (across >= length || (rows - 1) * pitch + across >= left) return nowhere;
    return within.start + position * within.step();
  }
  /// Depth times Width elements, on the device: rows a pitch apart, neighbours a step apart. Of a row that is not there
  /// from its first element on, nothing is stored.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(value_type (&to)[Depth][Width], index_t offset, index_t pitch,
                                       index_t step) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t first = offset + d * pitch;
      const stretch s = from(origin + first);
      if (step >= 0 && (Width - 1) * step < s.length) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = source.at(s.first + k * step * within.step());
      } else {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = alone(first + k * step);
      }
    }
  }
  /// Where a map turns, at few places: code of its own, of which compilers would make a copy for each element.
  __device__ __noinline__ value_type alone(index_t offset) const { return at(offset); }
#endif
  friend bool operator==(const remapped&, const remapped&) = default;

 private:
  void write_run(value_type* to, index_t first, index_t step, index_t n) const {
    if constexpr (grouped_source<Source>) source.write(to, first, step, n);
    else if constexpr (Source::is_memory) copy_apart(to, address(source.data) + first, step, n);
    else
      for (index_t i = 0; i < n; ++i) to[i] = source.at(first + i * step);
  }
};

}  // namespace lazyfuse::ir
