// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reshape: other extents for the same elements in row-major order, as a view.
#pragma once

#include <lazyfuse/expr/view.hpp>

namespace lazyfuse {

namespace view_detail {
/// Steps with which `from` extents and steps read as `to` extents; false where that needs a copy.
bool reshape_steps(const index_t* from, const index_t* steps, int rank, const index_t* to, int to_rank,
                   index_t* to_steps);

template <class Source, int R, int To>
constexpr auto reshape_node(const tree::leaf<Source, R>& e, const shape<R>& parent, const shape<To>& s) {
  const strides<R> seen = tree::broadcast_steps(e, parent);
  strides<To> steps;
  if (!reshape_steps(parent.extent, seen.step, R, s.extent, To, steps.step))
    throw_shapes("reshape", parent.extent, R, s.extent, To, "need a copy: write reshape(materialize(x), ...)");
  return tree::leaf<typename tree::source_traits<Source>::viewed, To>(viewed(e.source), s, steps, e.offset);
}
template <class T, auto V, int R, int To>
constexpr auto reshape_node(const tree::literal_leaf<T, V>& e, const shape<R>&, const shape<To>&) {
  return e;
}
template <class Op, class Seq, class... A, int R, int To>
constexpr auto reshape_node(const tree::map_expr<Op, Seq, A...>& e, const shape<R>& parent, const shape<To>& s) {
  return tree::rebuilt(e, s, [&](const auto& a) {
    if constexpr (bare_t<decltype(a)>::rank == R) return reshape_node(a, parent, s);
    else if constexpr (bare_t<decltype(a)>::rank == 0) return a;
    else return reshape_node(broadcast_tree(a, parent, "reshape"), parent, s);
  });
}
}  // namespace view_detail

/// x with other extents and the same elements in row-major order; one extent may be -1. A view where
/// strides allow it (contiguous arrays always do), else shape_error asks for materialize. \numpy{reshape}
template <class X, int To>
  requires expression<X>
constexpr auto reshape(X&& x, shape<To> s) {
  const auto& e = x.tree;
  const auto from = e.shape();
  index_t known = 1;
  int open = -1;
  for (int k = 0; k < To; ++k) (s[k] == -1 && open < 0) ? void(open = k) : void(known *= s[k]);
  if (open >= 0) s[open] = known > 0 ? from.size() / known : 0;
  if (s.size() != from.size()) throw_shapes("reshape", from.extent, rank_of<X>, s.extent, To, "have different sizes");
  return over(view_detail::reshape_node(e, from, s), static_cast<X&&>(x));
}
/// reshape(x, {3, -1})
template <class X, int To>
  requires expression<X>
constexpr auto reshape(X&& x, const index_t (&extents)[To]) {
  return reshape(static_cast<X&&>(x), view_detail::shape_from(extents));
}
template <class X, integer... N>
  requires(expression<X> && sizeof...(N) > 0)
constexpr auto reshape(X&& x, N...) {
  static_assert(sizeof...(N) == 0, "lazyfuse: the extents of reshape are a list: reshape(x, {3, -1})");
  return bare_t<X>(static_cast<X&&>(x));
}

}  // namespace lazyfuse
