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
  long inside = 0;         ///< handles to the owner within the expression
  bool elsewhere = false;  ///< the destination is read at other positions than it is written

  void see(const allocation* other, const void* from, int other_size, int other_rank, const index_t* other_extents,
           const index_t* other_steps, bool reduced);
};

/// Whether a dense row-major array of extents b reads as extents and steps a (axes of extent 1 aside).
bool same_order(const index_t* a_extents, const index_t* a_steps, int a_rank, const index_t* b_extents, int b_rank);

namespace layout_detail {
template <class T, class Space, int R>
void scan(const leaf<stored<T, Space>, R>& e, alias_scan& s, bool reduced) {
  s.see(e.source.owner.get(), e.source.data + e.offset, sizeof(T), R, e.extents.extent, e.steps.step, reduced);
}
template <int I, class T, class Space, int R>
void scan(const leaf<numbered_source<I, stored<T, Space>>, R>& e, alias_scan& s, bool reduced) {
  s.see(e.source.owner.get(), e.source.data + e.offset, sizeof(T), R, e.extents.extent, e.steps.step, reduced);
}
template <class Source, int R>
void scan(const leaf<Source, R>&, alias_scan&, bool) {}
template <class T, auto V>
void scan(const literal_leaf<T, V>&, alias_scan&, bool) {}
template <class Monoid, int Axes, class A, bool V, int R>
void scan(const leaf<reduced<Monoid, Axes, A, V>, R>& e, alias_scan& s, bool);
template <class Op, int... I, class... A>
void scan(const map_expr<Op, indices<I...>, A...>& e, alias_scan& s, bool reduced) {
  (scan(e.template argument<I>(), s, reduced), ...);
}
template <class Monoid, int Axes, class A, bool V, int R>
void scan(const leaf<reduced<Monoid, Axes, A, V>, R>& e, alias_scan& s, bool) {
  scan(e.source.argument, s, true);
}
}  // namespace layout_detail

}  // namespace lazyfuse
