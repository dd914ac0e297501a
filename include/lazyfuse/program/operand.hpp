// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands: what a program reads, as trivially copyable values. A source answers at(offset); an operand
// adds how far each axis moves that offset, so arrays, constants and arange are all affine in the index.
#pragma once

#include <lazyfuse/core/floating.hpp>
#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/pack.hpp>
#include <lazyfuse/core/types.hpp>
#include <lazyfuse/program/elements.hpp>

namespace lazyfuse::ir {

/// Elements in memory.
template <class T>
struct memory {
  using value_type = T;
  static constexpr bool is_memory = true;
  elements<const T> data;
  LAZYFUSE_HD const T& at(index_t offset) const { return data[offset]; }
  friend bool operator==(const memory& a, const memory& b) { return a.data == b.data; }
};

#if defined(__CUDACC__)
/// Elements of a source a step apart, on the device: those beside each other in memory by one access, where they begin
/// at a multiple of its size.
template <int Width, class T, class Source>
__device__ __forceinline__ void read_neighbours(T (&to)[Width], const Source& source, index_t first, index_t step) {
  constexpr unsigned size = sizeof(T) * Width;
  if constexpr (Source::is_memory && Width > 1 && size <= 16 && (size & (size - 1)) == 0) {
    struct alignas(size) together {
      T value[Width];
    };
    const T* const from = &source.data[first];
    if (step == 1 && reinterpret_cast<uint64>(from) % size == 0) {
      const together all = *reinterpret_cast<const together*>(from);
#pragma unroll
      for (int k = 0; k < Width; ++k) to[k] = all.value[k];
      return;
    }
  }
#pragma unroll
  for (int k = 0; k < Width; ++k) to[k] = source.at(first + k * step);
}
#endif

/// One value everywhere. A callable with captures has no default constructor, and the operands of a kernel begin empty.
template <class T>
struct constant {
  using value_type = T;
  static constexpr bool is_memory = false;
  union {
    T value;
  };
  LAZYFUSE_HD constexpr constant() {}
  LAZYFUSE_HD constexpr constant(const T& v) : value(v) {}
  LAZYFUSE_HD const T& at(index_t) const { return value; }
  friend bool operator==(const constant& a, const constant& b) {
    return __is_empty(T) || __builtin_memcmp(&a, &b, sizeof(T)) == 0;  // the same bits: 0.0 is not -0.0, NaN is itself
  }
};

template <class Source>
inline constexpr bool is_constant = false;
template <class T>
inline constexpr bool is_constant<constant<T>> = true;

/// The offset itself: with the steps of a dense array, where an element stands in it. Beyond what a T holds it wraps.
template <class T>
struct counter {
  using value_type = T;
  static constexpr bool is_memory = false;
  index_t origin = 0;  ///< the position of offset 0
  LAZYFUSE_HD T at(index_t offset) const { return static_cast<T>(origin + offset); }
  friend bool operator==(const counter& a, const counter& b) { return a.origin == b.origin; }
};
using position = counter<int64>;

/// start + offset * step, with the end exact: arange and linspace.
template <class T>
struct ramp {
  using value_type = T;
  static constexpr bool is_memory = false;
  T start, step, stop;
  T unused[sizeof(T) < 4 ? 8 / sizeof(T) - 3 : 1] = {};  ///< no gap before what follows: equal ramps have equal bytes
  index_t last;                                          ///< the position whose value is stop, or -1
  index_t origin = 0;                                    ///< the position of offset 0
  LAZYFUSE_HD T at(index_t offset) const {
    const index_t position = origin + offset;
    return position == last ? stop : between(position);
  }
  /// n elements a step apart, on the host: in loops of vectors, which cannot compare 64 bits everywhere.
  void write(T* to, index_t offset, index_t apart, index_t n) const {
    const ramp own = *this;
    const index_t first = origin + offset, left = last - first;
    if (apart == 1)
      for (index_t i = 0; i < n; ++i) to[i] = own.between(first + i);
    else
      for (index_t i = 0; i < n; ++i) to[i] = own.between(first + i * apart);
    if (last < 0) return;
    const index_t i = apart == 0 ? 0 : left / apart;
    if (i * apart == left && 0 <= i && i < n) to[i] = stop;
  }
  friend bool operator==(const ramp& a, const ramp& b) {
    return a.start == b.start && a.step == b.step && a.stop == b.stop && a.last == b.last && a.origin == b.origin;
  }

 private:
  /// What stands at a position that is not the last.
  LAZYFUSE_HD T between(index_t position) const {
    // where T has 16 bits; integers wrap around on the way, for the least and the largest one are further apart
    using W = standard::conditional_t<integer<T>, uint64, accumulator_t<T>>;
    if constexpr (integer<T>) return static_cast<T>(W(start) + static_cast<W>(position) * W(step));
    else return static_cast<T>(W(start) + math::real_of<W>(position) * W(step));
  }
};

/// Sources that have a name where there are no types.
enum class source_kind : char { memory, constant, counter, ramp, other };
template <class Source>
inline constexpr source_kind kind_of_source = source_kind::other;
template <class T>
inline constexpr source_kind kind_of_source<memory<T>> = source_kind::memory;
template <class T>
inline constexpr source_kind kind_of_source<constant<T>> = source_kind::constant;
template <class T>
inline constexpr source_kind kind_of_source<counter<T>> = source_kind::counter;
template <class T>
inline constexpr source_kind kind_of_source<ramp<T>> = source_kind::ramp;

/// A source that makes `together` neighbours at once, from a multiple of as many on, for little more than it makes one:
/// `rows` on the device, `write` on the host (random/distributions.hpp).
template <class Source>
concept grouped_source = requires {
  Source::together;
};
/// What one of its elements costs, in the unit of operations; others cost what reading them does.
template <class Source>
inline constexpr int source_cost = 0;
template <grouped_source Source>
inline constexpr int source_cost<Source> = Source::cost;
/// Whether elements are arithmetic of their positions, soon used: they do not count for the width of vectors.
template <class Source>
inline constexpr bool is_arithmetic = requires {
  requires Source::is_arithmetic;
};
/// Bytes of an element that devices keep where it was read or made, which ramps and constants are not.
template <class Source>
inline constexpr int element_bytes = Source::is_memory || (grouped_source<Source> && !is_arithmetic<Source>)
                                         ? int(sizeof(typename Source::value_type))
                                         : 0;

/// How many of the sources before number I are memory.
template <int I, class... Source>
inline constexpr int memory_before = [] {
  constexpr bool in_memory[] = {Source::is_memory..., false};
  int n = 0;
  for (int k = 0; k < I; ++k) n += in_memory[k] ? 1 : 0;
  return n;
}();

/// A source and its steps along the R axes of the position.
template <class Source, int R>
struct operand {
  Source source;
  strides<R> steps;
};
template <class T, int R>
struct operand<constant<T>, R> {
  constant<T> source;
};

/// Where a result goes.
template <class T, int R>
struct target {
  elements<T> data;
  strides<R> steps;
};

/// The operands of one iteration of R axes.
template <int R, class... Source>
struct operand_pack : pack<operand<Source, R>...> {};

/// The targets of one iteration: R axes, one element type each.
template <int R, class... T>
struct target_pack : pack<target<T, R>...> {};

}  // namespace lazyfuse::ir
