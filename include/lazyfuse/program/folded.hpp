// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that arithmetic makes of positions: where what is repeated or padded comes from.
#pragma once

#include <lazyfuse/program/remapped.hpp>

namespace lazyfuse::ir {

/// How positions along an axis become indices along that of what is read.
enum class folding : standard::int64_t { quotient, remainder, nearest, mirrored, mirrored_twice };

/// The index for each position. Positions are moved on by `ahead`, so that none is negative but those of `nearest`.
struct folded {
  using value_type = int64;
  static constexpr bool is_memory = false;
  static constexpr int together = 1, cost = 4;
  folding how;
  position_divisor by;    ///< what is divided by, or the length of what comes again
  index_t extent, ahead;  ///< extent: of what is read
  index_t origin = 0;     ///< the position of offset 0
  index_t less = 0;       ///< what quotients are diminished by

  LAZYFUSE_HD int64 at(index_t offset) const {
    const index_t p = origin + offset + ahead;
    if (how == folding::nearest) return p < 0 ? 0 : p < extent ? p : extent - 1;
    const index_t q = by.quotient(p);
    if (how == folding::quotient) return q - less;
    return folded_back(p - q * by.value);
  }
  /// n indices a step apart, on the host: of neighbours one is divided.
  void write(int64* to, index_t offset, index_t step, index_t n) const {
    const folded own = *this;
    index_t p = origin + offset + ahead;
    if (step != 1 || how == folding::nearest) {
      for (index_t i = 0; i < n; ++i) to[i] = own.at(offset + i * step);
      return;
    }
    index_t q = by.quotient(p), r = p - q * by.value;
    while (n > 0) {
      const index_t left = by.value - r, run = left < n ? left : n;
      for (index_t i = 0; i < run; ++i) to[i] = how == folding::quotient ? q - own.less : own.folded_back(r + i);
      to += run;
      n -= run;
      ++q;
      r = 0;
    }
  }
#if defined(__CUDACC__)
  /// Depth times Width indices, on the device: rows a pitch apart, neighbours a step apart. One of a row is divided.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(int64 (&to)[Depth][Width], index_t offset, index_t pitch, index_t step) const {
    const index_t whole = by.value;
    const bool walks = how != folding::nearest && step >= 0 && step <= whole;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t first = offset + d * pitch, p = origin + first + ahead;
      if (!walks) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = at(first + k * step);
        continue;
      }
      index_t q = by.quotient(p), r = p - q * whole;
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        to[d][k] = how == folding::quotient ? q - less : folded_back(r);
        r += step;
        if (r >= whole) {
          r -= whole;
          ++q;
        }
      }
    }
  }
#endif
  friend bool operator==(const folded&, const folded&) = default;

 private:
  /// The index of a position in what comes again.
  LAZYFUSE_HD index_t folded_back(index_t r) const {
    if (how == folding::remainder || r < extent) return r;
    return how == folding::mirrored ? by.value - r : by.value - 1 - r;
  }
};

}  // namespace lazyfuse::ir
