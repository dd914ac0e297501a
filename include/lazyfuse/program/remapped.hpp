// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of another source, at positions that are not affine in the index. Such a view has the steps of a dense
// array, so that its offset is a position in it; a map says which position of what it views that is, and the axes of
// that where the element lies.
#pragma once

#include <lazyfuse/program/maps.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::ir {

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

  /// Kernels ask for some elements that are not there, and store none of those: they get the first.
  LAZYFUSE_HD stretch from(index_t position) const {
    const index_t p = static_cast<uint64>(position) < static_cast<uint64>(map.size) ? position : 0;
#if defined(__CUDA_ARCH__)
    return map.size >> 31 == 0 ? follow(static_cast<unsigned>(p)) : follow_far(p);
#else
    return follow(p);
#endif
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
        read_neighbours(to[d], source, s.first, step * within.step());
      } else {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = source.at(place_of(first + k * step));
      }
    }
  }
  /// Where a map turns, at few places: code of its own, of which compilers would make a copy for each element. It does
  /// not read, so that nobody waits for one element before the next is asked for.
  __device__ __noinline__ index_t place_of(index_t offset) const { return from(origin + offset).first; }
  __device__ __noinline__ stretch follow_far(index_t position) const { return follow(position); }
#endif
  friend bool operator==(const remapped&, const remapped&) = default;

 private:
  template <class Index>
  LAZYFUSE_HD stretch follow(Index position) const {
    const stretch mapped = map.from(position);
    stretch s = within.from(static_cast<Index>(mapped.first));
    s.cut_to(mapped.length);
    return s;
  }
  void write_run(value_type* to, index_t first, index_t step, index_t n) const {
    if constexpr (grouped_source<Source>) source.write(to, first, step, n);
    else if constexpr (Source::is_memory) copy_apart(to, address(source.data) + first, step, n);
    else
      for (index_t i = 0; i < n; ++i) to[i] = source.at(first + i * step);
  }
};

}  // namespace lazyfuse::ir
