// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning that needs no types: merging axes, finding out who overlaps whom. Compiled once (src/layout.cpp).
#pragma once

#include <lazyfuse/plan/lower.hpp>

namespace lazyfuse {

/// Merges neighbouring axes of [from, to) where every operand walks them as one, drops axes of extent 1,
/// moves what remains to the end of the section (1 in front) and returns how many axes remain.
int coalesce(index_t* extents, int from, int to, operand_info* operands, int count);

/// Sorts the axes of [from, to) so that the steps of the first operands (the targets) fall.
void order_axes(index_t* extents, int from, int to, operand_info* operands, int count, int targets);

/// Sorts the reduced axes [from, to) so that the operands' steps fall: the order of a reduction is free.
void order_reduced_axes(index_t* extents, int from, int to, operand_info* operands, int count);

/// Whether the inner loop of a reduction should run along the last kept axis (memory is contiguous there).
bool runs_along_kept(const index_t* extents, int kept, int rank, const operand_info* operands, int count);

/// What an assignment finds out about the memory its expression reads, seen from its destination.
struct alias_scan {
  const allocation* owner;  ///< of the destination; null for borrowed memory
  const char* data;
  int element_size, rank;
  const index_t* extents;
  const index_t* steps;
  bool elsewhere = false;  ///< the destination is read at other positions than it is written

  template <class E>
  void scan(const E& e) {
    if constexpr (lower_detail::leaf_count < E >> 0) {
      const lower_detail::leaves<E> all(e);
      see(all.record, all.count);
    }
  }
  void see(const leaf_record* leaves, int count);
};

/// Whether a dense row-major array of extents b reads as extents and steps a (axes of extent 1 aside).
bool same_order(const index_t* a_extents, const index_t* a_steps, int a_rank, const index_t* b_extents, int b_rank);

}  // namespace lazyfuse
