// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many bytes of memory operands are (compiled).
#pragma once

#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::planning {

/// Whether it is somewhere in memory.
bool has_memory(const operand_info& o);
/// From the first byte of an operand to beyond its last. Those of a batch are elsewhere.
struct byte_span {
  const char *begin, *end;
  bool overlaps(const byte_span& other) const { return begin < other.end && other.begin < end; }
};
byte_span span_of(const index_t* extents, int rank, const operand_info& o);

/// Bytes of memory that a kernel asks for: all elements of every operand, broadcast ones once.
index_t asked_bytes(const index_t* extents, int rank, const operand_info* operands, int count);
/// Of these, different ones: what several operands read counts once. Of operands that overlap without being equal, at
/// most what lies between the first and the last element of all.
index_t distinct_bytes(const index_t* extents, int rank, const operand_info* operands, int count);

}  // namespace lazyfuse::planning
