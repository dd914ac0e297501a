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
  folding how;
  position_divisor by;    ///< what is divided by, or the length of what comes again
  index_t extent, ahead;  ///< extent: of what is read
  index_t origin = 0;     ///< the position of offset 0

  LAZYFUSE_HD int64 at(index_t offset) const {
    const index_t p = origin + offset + ahead;
    if (how == folding::nearest) return p < 0 ? 0 : p < extent ? p : extent - 1;
    const index_t q = by.quotient(p);
    if (how == folding::quotient) return q;
    const index_t r = p - q * by.value;
    if (how == folding::remainder || r < extent) return r;
    return how == folding::mirrored ? by.value - r : by.value - 1 - r;
  }
  friend bool operator==(const folded&, const folded&) = default;
};

}  // namespace lazyfuse::ir
