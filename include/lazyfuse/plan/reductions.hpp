// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which expressions run as one reduction, and how the others are cut: a reduction that is broadcast
// back, or reduced again, is materialised first.
#pragma once

#include <lazyfuse/plan/axes.hpp>

namespace lazyfuse::planning {

namespace reductions_detail {
struct some : tree::any_leaf {
  template <class Kind, class A, int R>
  static constexpr bool deferred = Kind::in_kernel;
};
}  // namespace reductions_detail
/// Whether an expression contains a reduction.
template <class E>
inline constexpr bool has_reduction = tree::fold<reductions_detail::some, E>;

namespace reductions_detail {

/// What the reductions of an expression have in common: 0 none, -1 nothing that one kernel could do.
struct form {
  int axes = 0, rank = 0, count = 0;
  bool any = false, possible = true, other_leaves = false, kept_dims = false, viewed = false;
  constexpr form operator+(const form& b) const {
    form r = *this;
    if (!any) r.axes = b.axes, r.rank = b.rank;
    r.count = count + b.count;
    r.any = any || b.any;
    r.viewed = viewed || b.viewed;
    r.possible = possible && b.possible && (!any || !b.any || (axes == b.axes && rank == b.rank));
    r.other_leaves = other_leaves || b.other_leaves;
    r.kept_dims = kept_dims || b.kept_dims;
    return r;
  }
};
template <class Kind, class A, int R>
inline constexpr form form_of_leaf = {.other_leaves = R > 0};
template <class Monoid, int Axes, bool V, class A, int R>
inline constexpr form form_of_leaf<by_monoid<Monoid, Axes, V>, A, R> = {.axes = Axes,
                                                                        .rank = A::rank,
                                                                        .count = 1,
                                                                        .any = true,
                                                                        .possible = !has_reduction<A>,
                                                                        .kept_dims = R != A::rank - Axes,
                                                                        .viewed = V};
struct forming : tree::sums<form> {
  template <class Source, int R>
  static constexpr form leaf = {.other_leaves = R > 0};
  template <class Kind, class A, int R>
  static constexpr form deferred = form_of_leaf<Kind, A, R>;
};
template <class E>
inline constexpr form form_of = tree::fold<forming, E>;

/// A reduction or scan as it is computed: its own axes, in their order.
template <class Kind, class A>
auto own_result(const A& argument) {
  constexpr int K = A::rank - Kind::axes;
  shape<K> kept;
  for (int k = 0; k < K; ++k) kept[k] = argument.shape()[k];
  return leaf<deferred<Kind, A>, K>({argument}, kept, row_major(kept));
}

/// The extents of the one argument that all reductions share; false where they differ or where a
/// reduction is not read in its own order.
template <int Full>
struct common_argument {
  shape<Full> extents;
  bool seen = false, same = true;
};
template <class Source, int R, int Full>
void common(const leaf<Source, R>&, common_argument<Full>&) {}
template <class T, auto V, int Full>
void common(const literal_leaf<T, V>&, common_argument<Full>&) {}
template <class Kind, class A, int R, int Full>
void common(const leaf<deferred<Kind, A>, R>& e, common_argument<Full>& c) {
  const shape<Full>& s = e.source.argument.shape();
  c.same = c.same && (!c.seen || c.extents == s) && e.offset == 0 &&
           same_order(e.extents.extent, e.steps.step, R, s.extent, Full - Kind::axes);
  c.extents = s;
  c.seen = true;
}
template <class Op, int... I, class... A, int Full>
void common(const map_expr<Op, index_sequence<I...>, A...>& e, common_argument<Full>& c) {
  (common(e.template argument<I>(), c), ...);
}

/// The expression with its reductions at their own rank (keepdims undone); other leaves are scalars.
template <class E>
const E& without_keepdims(const E& e) {
  return e;
}
template <class Monoid, int Axes, bool V, class A, int R>
auto without_keepdims(const leaf<deferred<by_monoid<Monoid, Axes, V>, A>, R>& e) {
  return own_result<by_monoid<Monoid, Axes, V>>(e.source.argument);
}
template <class Op, int... I, class... A>
auto without_keepdims(const map_expr<Op, index_sequence<I...>, A...>& e) {
  using Node = map_expr<Op, index_sequence<I...>, bare_t<decltype(without_keepdims(e.template argument<I>()))>...>;
  return Node{{{without_keepdims(e.template argument<I>())}...},
              map_detail::join_shapes(Op::name, without_keepdims(e.template argument<I>()).shape()...)};
}

}  // namespace reductions_detail

}  // namespace lazyfuse::planning
