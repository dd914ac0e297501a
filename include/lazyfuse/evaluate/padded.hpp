// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large results of what is padded with a number, on devices. Inside of what is around, elements lie as in any view, and
// no position is looked at: the box of those is a kernel, and the bands around it are others.
#pragma once

#include <lazyfuse/evaluate/choices.hpp>
#include <lazyfuse/evaluate/graph_nodes.hpp>

namespace lazyfuse::run_detail {

/// Positions before or from a number on, along several axes.
template <class E>
inline constexpr bool is_bound = false;
template <class Less, class Pair, int R>
  requires(ir::comparison<Less> || ir::opposite_comparison<Less>)
inline constexpr bool is_bound<map_expr<Less, Pair, leaf<ir::position, R>, leaf<ir::constant<int64>, 0>>> = R > 0;
template <ir::conjunction And, class Pair, class A, class B>
inline constexpr bool is_bound<map_expr<And, Pair, A, B>> = is_bound<A>&& is_bound<B>;
template <class E>
inline constexpr bool is_bound<tree::named<E>> = is_bound<E>;
/// X within such bounds, Y elsewhere; one bound is a choice.
template <class E>
inline constexpr bool is_padded = false;
template <ir::choice Where, class Seq, class Bound, class X, class Y>
inline constexpr bool is_padded<map_expr<Where, Seq, Bound, X, Y>> =
    is_bound<Bound> && !is_choice<map_expr<Where, Seq, Bound, X, Y>>;
struct padding_nodes {
  template <class N>
  static constexpr bool holds = is_padded<N>;
};
/// Whether an expression is one that may be cut there.
template <class Space, class... E>
inline constexpr bool may_be_padded = false;
template <class Space, class E>
inline constexpr bool may_be_padded<Space, E> = [] {
  if constexpr (!space_traits<Space>::on_device || E::rank == 0 || planning::has_reduction<E> || tree::has_barrier<E> ||
                tree::fold<graph_detail::holding_graphs, E>)
    return false;
  else return tree::any_node<padding_nodes, E> && !may_turn<Space, E>;  // rolls are cut as a whole
}();

/// The positions that are within all bounds.
struct bounded {
  box inside;
  bool known = true;
};
template <int R, class Op, class Pair, class A, class B>
void meet_bounds(const map_expr<Op, Pair, A, B>& e, const shape<R>& whole, bounded& to) {
  const auto& left = e.template argument<0>();
  const auto& right = e.template argument<1>();
  if constexpr (ir::conjunction<Op>) {
    meet_bounds(tree::unnamed(left), whole, to);
    meet_bounds(tree::unnamed(right), whole, to);
  } else {
    choice_cut cut;
    meet_choice(left, right.source.value, whole, cut);
    to.known = to.known && cut.one;
    if (!to.known) return;
    index_t& first = to.inside.first[cut.axis];
    index_t& end = to.inside.end[cut.axis];
    if constexpr (ir::comparison<Op>) end = cut.at < end ? cut.at : end;
    else first = cut.at > first ? cut.at : first;
  }
}
template <int R, class E>
void find_bounds(const E&, const shape<R>&, bounded&) {}
template <int R, class Op, int... I, class... A>
void find_bounds(const map_expr<Op, index_sequence<I...>, A...>& e, const shape<R>& whole, bounded& to) {
  if constexpr (is_padded<map_expr<Op, index_sequence<I...>, A...>>) {
    meet_bounds(tree::unnamed(e.template argument<0>()), whole, to);
    find_bounds(tree::unnamed(e.template argument<1>()), whole, to);
  } else (find_bounds(tree::unnamed(e.template argument<I>()), whole, to), ...);
}
/// What the expression is within them.
template <class E>
auto within_bounds(const E& e) {
  if constexpr (tree::is_named<E>) return within_bounds(tree::unnamed(e));
  else if constexpr (is_padded<E>)
    return within_bounds(view_detail::broadcast_tree(tree::unnamed(e.template argument<1>()), e.shape(), "pad"));
  else if constexpr (tree::any_node<padding_nodes, E>)
    return tree::rebuilt(e, [](const auto& a) { return within_bounds(a); });
  else return e;
}

/// Returns false, and has done nothing, where one kernel is as good. Not for lists to be launched, as between turns.
template <class Space, int R, class T, class E>
bool run_within_bounds(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
                       const E& e) {
  constexpr index_t least_bytes = 1 << 25;  // bands are launches, too
  if (s.size() * index_t{sizeof(T)} < least_bytes || (x.list && x.list->has_memory())) return false;
  const box whole = whole_of(s);
  bounded found{whole};
  find_bounds(tree::unnamed(e), s, found);
  const box& inside = found.inside;
  index_t most = found.known ? 1 : 0;
  for (int k = 0; k < R; ++k) most *= inside.end[k] > inside.first[k] ? inside.end[k] - inside.first[k] : 0;
  if (2 * most < s.size()) return false;
  const auto own = within_bounds(part_in<R>(tree::unnamed(e), inside));
  if (!reads_fit<memory_of<Space>>(own)) return false;
  run<Space, R, T>(x, own.shape(), place_in(to, inside), owners, with_elements<memory_of<Space>>(own));
  shared_launches bands(x, true);
  box around[2 * R];
  const int n = boxes_around(inside, whole, R, around);
  for (int i = 0; i < n; ++i) {
    const auto band = part_in<R>(tree::unnamed(e), around[i]);
    run<Space, R, T>(x.together ? x : bands.x, band.shape(), place_in(to, around[i]), owners, band);
  }
  bands.launch();
  return true;
}

}  // namespace lazyfuse::run_detail
