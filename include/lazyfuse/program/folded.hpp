// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that arithmetic makes of positions: where what is repeated or padded comes from.
#pragma once

#include <lazyfuse/program/remapped.hpp>

namespace lazyfuse::ir {

/// How positions along an axis become indices along that of what is read.
enum class folding : standard::int64_t { quotient, remainder, nearest, mirrored, mirrored_twice };

/// The index for each position. Positions are moved on by `ahead`, so that none is negative but those of `nearest`.
/// Indices are unsigned, since none counts from an end.
struct folded {
  using value_type = uint64;
  static constexpr bool is_memory = false, is_arithmetic = true;
  static constexpr int together = 1, cost = 4;
  folding how;
  position_divisor by;    ///< what is divided by, or the length of what comes again
  index_t extent, ahead;  ///< extent: of what is read
  index_t origin = 0;     ///< the position of offset 0
  index_t less = 0;       ///< what quotients are diminished by

  LAZYFUSE_HD index_t position(index_t offset) const { return origin + offset + ahead; }
  LAZYFUSE_HD uint64 at(index_t offset) const { return static_cast<uint64>(index_at(position(offset))); }
  /// n indices a step apart, on the host: of neighbours one is divided.
  void write(uint64* to, index_t offset, index_t step, index_t n) const {
    const folded own = *this;
    const index_t p = position(offset);
    if (step != 1 || how == folding::nearest) {
      for (index_t i = 0; i < n; ++i) to[i] = own.at(offset + i * step);
      return;
    }
    index_t q = by.quotient(p), r = p - q * by.value;
    while (n > 0) {
      const index_t left = by.value - r, run = left < n ? left : n;
      for (index_t i = 0; i < run; ++i)
        to[i] = static_cast<uint64>(how == folding::quotient ? q - own.less : own.folded_back(r + i));
      to += run;
      n -= run;
      ++q;
      r = 0;
    }
  }
#if defined(__CUDACC__)
  /// Depth times Width indices, on the device: rows a pitch apart, neighbours a step apart.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(uint64 (&to)[Depth][Width], index_t offset, index_t pitch, index_t step) const {
    const index_t first = position(offset), down = (Depth - 1) * pitch, across = (Width - 1) * step;
    rows_of(to, how, is_short(first | (first + down) | (first + across) | (first + down + across)), first, pitch, step);
  }
  /// The indices in the place of their offsets.
  template <int Depth, int Width>
  __device__ __forceinline__ void follow(uint64 (&offsets)[Depth][Width]) const {
    index_t all = 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) all |= position(static_cast<index_t>(offsets[d][k]));
    follow_as(offsets, how, is_short(all));
  }
#endif
  friend bool operator==(const folded&, const folded&) = default;

 protected:
  static constexpr index_t short_end = index_t{1} << 31;
  static LAZYFUSE_HD constexpr bool is_short(index_t position) { return static_cast<uint64>(position) < short_end; }
#if defined(__CUDACC__)
  /// Short: all positions are known to be of 31 bits, so that none needs a branch of its own, and each a third of the
  /// instructions.
  template <int Depth, int Width, class Index>
  __device__ __forceinline__ void rows_of(Index (&to)[Depth][Width], folding as, bool short_ones, index_t first,
                                          index_t pitch, index_t step) const {
    if (step == 0)  // along another axis
      fill<Depth, 1>(
          as, short_ones, [&](int d, int) { return first + d * pitch; },
          [&](int d, int, index_t index) {
#pragma unroll
            for (int k = 0; k < Width; ++k) to[d][k] = static_cast<Index>(index);
          });
    else
      fill<Depth, Width>(
          as, short_ones, [&](int d, int k) { return first + d * pitch + k * step; },
          [&](int d, int k, index_t index) { to[d][k] = static_cast<Index>(index); });
  }
  template <int Depth, int Width, class Index>
  __device__ __forceinline__ void follow_as(Index (&offsets)[Depth][Width], folding as, bool short_ones) const {
    fill<Depth, Width>(
        as, short_ones, [&](int d, int k) { return position(static_cast<index_t>(offsets[d][k])); },
        [&](int d, int k, index_t index) { offsets[d][k] = static_cast<Index>(index); });
  }
  /// put(d, k, index) of the position of each.
  template <int Depth, int Width>
  __device__ __forceinline__ void fill(folding as, bool short_ones, const auto& position_of, const auto& put) const {
    const auto all = [&](const auto& index) {
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; ++k) put(d, k, static_cast<index_t>(index(position_of(d, k))));
    };
    if (!short_ones) return all([&](index_t p) { return index_at(p); });
    const auto there = static_cast<unsigned>(extent < short_end ? extent : short_end);
    if (as == folding::nearest)
      return all([&](index_t at) {
        const auto p = static_cast<int>(at);
        return p < 0 ? 0 : static_cast<unsigned>(p) < there ? static_cast<unsigned>(p) : there - 1;
      });
    if (as == folding::quotient) return all([&](index_t p) { return by.quotient(static_cast<unsigned>(p)) - less; });
    const unsigned whole = static_cast<unsigned>(by.value), back = whole - (as == folding::mirrored ? 0 : 1);
    all([&](index_t at) {
      const auto p = static_cast<unsigned>(at);
      const unsigned r = p - by.quotient(p) * whole;
      return as == folding::remainder || r < there ? r : back - r;
    });
  }
#endif

 private:
  LAZYFUSE_HD index_t index_at(index_t p) const {
    if (how == folding::nearest) return p < 0 ? 0 : p < extent ? p : extent - 1;
    const index_t q = by.quotient(p);
    if (how == folding::quotient) return q - less;
    return folded_back(p - q * by.value);
  }
  /// The index of a position in what comes again.
  LAZYFUSE_HD index_t folded_back(index_t r) const {
    if (how == folding::remainder || r < extent) return r;
    return how == folding::mirrored ? by.value - r : by.value - 1 - r;
  }
};

/// Whether elements are such indices.
template <class E>
inline constexpr bool is_folded = false;
template <class E>
  requires requires { typename E::source_type; }
inline constexpr bool is_folded<E> = standard::is_same_v<typename E::source_type, folded>;

#if defined(__CUDACC__)
/// The same of positions that are all of 31 bits, and all folded alike: kernels that are made at run time know that.
template <folding How>
struct short_folded : folded {
  using value_type = unsigned;
  __device__ unsigned at(index_t offset) const {
    unsigned index[1][1];
    rows(index, offset, 0, 0);
    return index[0][0];
  }
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(unsigned (&to)[Depth][Width], index_t offset, index_t pitch,
                                       index_t step) const {
    rows_of(to, How, true, position(offset), pitch, step);
  }
  template <int Depth, int Width>
  __device__ __forceinline__ void follow(unsigned (&offsets)[Depth][Width]) const {
    follow_as(offsets, How, true);
  }
};
#endif

}  // namespace lazyfuse::ir
