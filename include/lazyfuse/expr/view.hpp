// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views: slices, transposes, flips, broadcasts and reshapes of arrays and of unevaluated expressions.
// A view is an affine index map; it is pushed down to the leaves when it is taken, and costs nothing.
#pragma once

#include <lazyfuse/expr/index.hpp>
#include <lazyfuse/expr/numbers.hpp>

namespace lazyfuse {

namespace view_detail {
template <class S>
constexpr auto viewed(const S& source) {
  using To = typename tree::source_traits<S>::viewed;
  if constexpr (__is_same(To, S)) return source;
  else if constexpr (requires { source.argument; }) return To{source.argument};
  else return To(source);
}

template <class Source, int From, int To>
constexpr auto remap(const tree::leaf<Source, From>& e, const index_map<From, To>& m) {
  strides<To> steps;
  index_t offset = e.offset;
  for (int k = 0; k < From; ++k) offset += m.start[k] * e.steps[k];
  for (int k = 0; k < To; ++k) {
    steps[k] = m.source[k] < 0 ? 0 : m.factor[k] * e.steps[m.source[k]];
    if (m.beside[k] > 0) steps[k] += m.factor[k] * e.steps[m.beside[k] - 1];
  }
  return tree::leaf<typename tree::source_traits<Source>::viewed, To>(viewed(e.source), m.extents, steps, offset);
}
template <class T, auto Value, int To>
constexpr auto remap(const tree::literal_leaf<T, Value>& e, const index_map<0, To>&) {
  return e;
}

/// The map as an operand of shape s sees it, whose parent has the shape p.
template <int From, int To, int Rank>
constexpr index_map<Rank, To> through_broadcast(const index_map<From, To>& m, const shape<From>& p,
                                                const shape<Rank>& s) {
  index_map<Rank, To> r;
  r.extents = m.extents;
  constexpr int shift = From - Rank;
  for (int k = 0; k < Rank; ++k) r.start[k] = s[k] == p[k + shift] ? m.start[k + shift] : 0;
  const auto own = [&](int of_parent) {  // the operand's axis, or -1
    const int axis = of_parent - shift;
    return axis >= 0 && s[axis] == p[of_parent] ? axis : -1;
  };
  for (int k = 0; k < To; ++k) {
    const int axis = own(m.source[k]), other = own(m.beside[k] - 1);
    r.source[k] = axis >= 0 ? axis : other;
    r.beside[k] = axis >= 0 ? other + 1 : 0;
    r.factor[k] = r.source[k] >= 0 ? m.factor[k] : 0;
  }
  return r;
}

template <class Op, class Seq, class... A, int From, int To>
constexpr auto remap(const tree::map_expr<Op, Seq, A...>& e, const index_map<From, To>& m);

template <class A, int From, int To>
constexpr auto remap_argument(const A& a, const shape<From>& parent, const index_map<From, To>& m) {
  if constexpr (A::rank == 0 && From > 0) return a;  // a scalar beside arrays broadcasts anyway
  else return remap(a, through_broadcast(m, parent, a.shape()));
}
template <class Op, class Seq, class... A, int From, int To>
constexpr auto remap(const tree::map_expr<Op, Seq, A...>& e, const index_map<From, To>& m) {
  return tree::rebuilt(e, m.extents, [&](const auto& a) { return remap_argument(a, e.shape(), m); });
}

/// The same, of which types say what it shows (expr/numbers.hpp).
template <uint64 Axes, class Tree, int From, int To>
constexpr auto remap_known(const Tree& e, const index_map<From, To>& m) {
  if constexpr (number_detail::has_numbers<Tree>) return number_detail::with_numbers_of<Axes>(e, remap(e, m));
  else return remap(e, m);
}

template <int R, class I>
constexpr shape<R> shape_from(const I (&extents)[R]) {
  shape<R> s;
  for (int k = 0; k < R; ++k) s[k] = static_cast<index_t>(extents[k]);
  return s;
}
/// Axis in [0, R), or a compile-time sentence.
template <int Axis, int R>
constexpr int normal_axis() {
  static_assert(Axis >= -R && Axis < R, "lazyfuse: axis out of range for the rank of this expression");
  return Axis < 0 ? Axis + R : Axis;
}
}  // namespace view_detail

namespace view_detail {
/// Which axes a view of an expression of rank From shows, if types say it.
template <int From, class... S>
constexpr uint64 axes_shown() {
  if constexpr (((is_index<S> || __is_same(S, range)) || ...)) return number_detail::by_values;
  else {
    constexpr int wholes = (0 + ... + is_all<S>), ellipses = (0 + ... + __is_same(S, ellipsis_t));
    // a specification is as many axes of the expression as it takes, or a new one
    const int taken[] = {(is_all<S>                  ? 1
                          : __is_same(S, ellipsis_t) ? From - wholes
                                                     : -1)...,
                         ellipses == 0 ? From - wholes : 0};
    uint64 view = 0;
    int in = 0, out = 0;
    for (const int axes : taken) {
      for (int k = 0; k < axes; ++k) view |= uint64(++in) << 8 * out++;
      out += axes < 0;
    }
    return view;
  }
}
template <class Tree, class... Specs>
constexpr auto view_tree(const Tree& tree, Specs... specs) {
  const auto v = remap(tree, map_of(tree.shape(), specs...));
  if constexpr (number_detail::has_numbers<Tree>)
    return number_detail::with_numbers_of<axes_shown<Tree::rank, Specs...>()>(tree, v);
  else return v;
}
}  // namespace view_detail

/// The view of e that the index specifications name.
template <class E, class... Specs>
constexpr auto view(E&& e, Specs... specs) {
  return over(view_detail::view_tree(e.tree, specs...), static_cast<E&&>(e));
}

/// The axes of x in the order Order, which names each once (negative ones count from the end). A view.
/// \numpy{permute_dims}
template <int... Order, class X>
  requires expression<X>
constexpr auto permute_dims(X&& x) {
  constexpr int R = rank_of<X>;
  static_assert(sizeof...(Order) == R, "lazyfuse: permute_dims names every axis once");
  const auto& e = x.tree;
  index_map<R, R> m;
  const int order[R > 0 ? R : 1] = {view_detail::normal_axis<Order, R>()...};
  constexpr unsigned seen = (0u + ... + (1u << view_detail::normal_axis<Order, R>()));
  static_assert(seen == (1u << R) - 1, "lazyfuse: permute_dims names every axis once");
  for (int k = 0; k < R; ++k) {
    m.source[k] = order[k];
    m.factor[k] = 1;
    m.extents[k] = e.shape()[order[k]];
  }
  constexpr uint64 axes = [] {
    uint64 view = 0;
    int k = 0;
    ((view |= uint64(view_detail::normal_axis<Order, R>() + 1) << 8 * k++), ...);
    return view;
  }();
  return over(view_detail::remap_known<axes>(e, m), static_cast<X&&>(x));
}

namespace view_detail {
template <class X, int... I>
constexpr auto reversed(X&& x, index_sequence<I...>) {
  return permute_dims<int(sizeof...(I)) - 1 - I...>(static_cast<X&&>(x));
}
}  // namespace view_detail

/// The axes of x in reverse order: a view. \numpy{transpose}
template <class X>
  requires expression<X>
constexpr auto transpose(X&& x) {
  return view_detail::reversed(static_cast<X&&>(x), make_index_sequence<rank_of<X>>{});
}

template <class X, integer... N>
  requires(expression<X> && sizeof...(N) > 0)
constexpr auto transpose(X&& x, N...) {
  static_assert(sizeof...(N) == 0, "lazyfuse: transpose reverses the axes; another order is permute_dims<0, 2, 1>(x)");
  return bare_t<X>(static_cast<X&&>(x));
}

/// flip(x, axis<...>): x read backwards along the named axes; along all of them if none is named. A view. \numpy{flip}
template <class X, int... A>
  requires expression<X>
constexpr auto flip(X&& x, axes<A...> = {}) {
  constexpr int R = rank_of<X>;
  constexpr unsigned flipped = sizeof...(A) == 0 ? ~0u : (0u | ... | (1u << view_detail::normal_axis<A, R>()));
  const auto& e = x.tree;
  index_map<R, R> m;
  for (int k = 0; k < R; ++k) {
    const bool back = (flipped >> k) & 1;
    m.source[k] = k;
    m.factor[k] = back ? -1 : 1;
    m.extents[k] = e.shape()[k];
    m.start[k] = back && m.extents[k] > 0 ? m.extents[k] - 1 : 0;
  }
  constexpr uint64 axes = [] {
    uint64 view = 0;
    for (int k = 0; k < R; ++k) view |= (uint64(k + 1) | ((flipped >> k) & 1 ? number_detail::backwards : 0)) << 8 * k;
    return view;
  }();
  return over(view_detail::remap_known<axes>(e, m), static_cast<X&&>(x));
}

namespace view_detail {
template <class Tree, int To>
constexpr auto broadcast_tree(const Tree& e, const shape<To>& s, const char* operation) {
  constexpr int R = Tree::rank;
  static_assert(R <= To, "lazyfuse: broadcast_to cannot lower the rank");
  const auto from = e.shape();
  bool fits = true;
  index_map<R, To> m;
  m.extents = checked(s, operation);
  for (int k = 0; k < To; ++k) {
    const int in = k - (To - R);
    const bool own = in >= 0 && from[in >= 0 ? in : 0] == s[k];
    fits &= own || in < 0 || from[in >= 0 ? in : 0] == 1;
    m.source[k] = own ? in : -1;
    m.factor[k] = own ? 1 : 0;
  }
  if (!fits) throw_shapes(operation, from.extent, R, s.extent, To, "do not broadcast");
  return remap_known<number_detail::all_axes(R) << 8 * (To - R < 8 ? To - R : 0)>(e, m);
}
}  // namespace view_detail

/// x repeated along new axes at the front and along axes of extent 1: a view of shape s. Throws shape_error if x does
/// not broadcast to it. \numpy{broadcast_to}
template <class X, int To>
  requires expression<X>
constexpr auto broadcast_to(X&& x, const shape<To>& s) {
  return over(view_detail::broadcast_tree(x.tree, s, "broadcast_to"), static_cast<X&&>(x));
}
/// broadcast_to(x, {3, 4})
template <class X, int To>
  requires expression<X>
constexpr auto broadcast_to(X&& x, const index_t (&extents)[To]) {
  return broadcast_to(static_cast<X&&>(x), view_detail::shape_from(extents));
}

}  // namespace lazyfuse
