// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables: elements that are read wherever indices say, which are elements as well. A table is one value, a constant of
// its kernel.
#pragma once

#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::ir {

/// The axes of a table that indices count along, and how many elements there are from its first to its last.
template <int K>
struct table_axes {
  index_t extents[K], steps[K];
  index_t length;
  friend constexpr bool operator==(const table_axes&, const table_axes&) = default;
};

#if !defined(__CUDACC_RTC__)
/// "take: index 7 is out of bounds for an axis of 5 elements", an index_error
[[noreturn]] void throw_beyond(index_t index, index_t extent);
#endif

/// What an index beyond the axis reads: it is an error, or there is a zero.
enum class beyond : signed char { error, zero };

/// Elements of a source. None is read that is not there: on the host an index beyond its axis is an error, on devices
/// it is the nearest one.
template <class Source, int K, beyond Beyond = beyond::error>
struct table {
  using value_type = typename Source::value_type;
  static constexpr bool is_table = true;
  Source source;
  table_axes<K> axes;

  /// The element at an offset and an index along each axis; negative ones count from the end, unless they are beyond.
  template <class... Index>
  LAZYFUSE_HD value_type at(index_t offset, Index... i) const {
    bool exists = true;
    int axis = 0;
    ((exists = go(axis++, i, offset) && exists), ...);
#if defined(__CUDA_ARCH__)
    // kernels compute some elements that are not there, and store none of those
    if constexpr (Source::is_memory) {
      if (static_cast<uint64>(offset) >= static_cast<uint64>(axes.length)) offset = 0;
      exists = exists && axes.length > 0;
    }
    if (!exists) return value_type{};
#else
    if constexpr (Beyond == beyond::zero)
      if (!exists) return value_type{};
#endif
    return source.at(offset);
  }
#if !defined(__CUDA_ARCH__)
  /// Where it lies, counted from the source's first.
  template <class... Index>
  index_t offset_of(index_t offset, Index... i) const {
    int axis = 0;
    (go(axis++, i, offset), ...);
    return offset;
  }
#endif
  friend bool operator==(const table& a, const table& b) = default;

 private:
  /// Of 32 bits without a sign: devices take a third of the instructions for those.
  template <class Index>
  static constexpr bool is_short = standard::is_same_v<Index, unsigned>;
  template <class Index>
  LAZYFUSE_HD bool go(int axis, Index index, index_t& offset) const {
    const index_t n = axes.extents[axis];
    auto i = static_cast<index_t>(index);
    if constexpr (Beyond == beyond::zero) {
      offset += i * axes.steps[axis];
      return static_cast<uint64>(i) < static_cast<uint64>(n);
    } else {
      if constexpr (static_cast<Index>(-1) < Index(0)) i += i < 0 ? n : 0;
#if defined(__CUDA_ARCH__)
      if constexpr (!Source::is_memory)
        if (n <= 0) return false;  // of memory there is none then
      if constexpr (is_short<Index>) {
        constexpr unsigned most = static_cast<unsigned>(-1);
        const unsigned last = n > most ? most : static_cast<unsigned>(n - 1);
        offset += static_cast<index_t>(index < last ? index : last) * axes.steps[axis];
        return true;
      }
      if constexpr (static_cast<Index>(-1) < Index(0)) i = i < 0 ? 0 : i;
      i = static_cast<uint64>(i) < static_cast<uint64>(n) ? i : n - 1;
#else
      if (static_cast<uint64>(i) >= static_cast<uint64>(n)) throw_beyond(static_cast<index_t>(index), n);
#endif
      offset += i * axes.steps[axis];
      return true;
    }
  }
};

}  // namespace lazyfuse::ir
