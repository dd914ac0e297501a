// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements again: repeat, tile, kron; and around: pad. Gathers whose indices are arithmetic of positions.
#pragma once

#include <lazyfuse/expr/gather.hpp>
#include <lazyfuse/program/folded.hpp>

namespace lazyfuse {

/// What stands around an expression that is padded: its outermost elements, those of the other end, or its elements in
/// reverse order, with the outermost one between them or twice.
enum class padding { edge, wrap, reflect, symmetric };

namespace pad_detail {

/// repeat: each element `times`; tile: the axis again and again.
ir::folded repeated(index_t extent, index_t times, const char* operation);
ir::folded tiled(index_t extent, index_t times, const char* operation);
/// Throws index_error unless the widths are not negative, and shape_error if there is nothing that could be around.
ir::folded padded(padding mode, index_t extent, index_t before, index_t after);
void check_widths(index_t extent, index_t before, index_t after);

/// A gather of some axes at indices that are made of positions.
template <int R, int... Axis>
auto gather_of(const shape<R>& s, const ir::folded (&how)[sizeof...(Axis)], axes<Axis...>) {
  index_map<R, R> m;
  m.extents = checked(s, "pad");
  for (int k = 0; k < R; ++k) {
    m.source[k] = ((k == R + Axis) || ...) ? -1 : k;
    m.factor[k] = m.source[k] < 0 ? 0 : 1;
  }
  const auto index = [&](int axis, const ir::folded& f) {
    strides<R> one;
    one[axis] = 1;
    return tree::leaf<ir::folded, R>(f, s, one);
  };
  return [&]<int... I>(index_sequence<I...>) {
    return gather_detail::gather<R, R, ir::beyond::error, axes<Axis...>, bare_t<decltype(index(Axis, how[I]))>...>{
        m, {{index(R + Axis, how[I])}...}};
  }
  (make_index_sequence<sizeof...(Axis)>{});
}
template <int R, int... I>
auto gather_of_all(const shape<R>& s, const ir::folded (&how)[R], index_sequence<I...>) {
  return gather_of(s, how, axes<I - R...>{});
}
/// x with new axes of extent 1 at the front.
template <int R, class Tree>
auto of_rank(const Tree& e) {
  if constexpr (Tree::rank == R) return e;
  else {
    shape<R> s;
    for (int k = 0; k < R; ++k) s[k] = k < R - Tree::rank ? 1 : e.shape()[k - (R - Tree::rank)];
    return view_detail::broadcast_tree(e, s, "broadcast_to");
  }
}
template <class X, int K, int... A, class Tree>
auto repeat_along(X&& x, const Tree& e, const index_t (&times)[K], axes<A...>) {
  constexpr int R = Tree::rank;
  shape<R> s = e.shape();
  const ir::folded how[] = {repeated(s[A], times[0], "repeat")...};
  ((s[A] *= times[0]), ...);
  return over(gather_detail::gathered(e, gather_of(s, how, axes<A - R...>{})), static_cast<X&&>(x));
}
}  // namespace pad_detail

/// repeat(x, 3, axis<0>): each element so many times along an axis. Fuses. Throws index_error if the number is
/// negative. \numpy{repeat}
template <class X, class N, int A>
  requires expression<X>
auto repeat(X&& x, N times, axes<A>) {
  static_assert(std::is_integral_v<N>, "lazyfuse: repeat takes a whole number of times");
  constexpr int a = view_detail::normal_axis<A, rank_of<X>>();
  const index_t n[] = {static_cast<index_t>(times)};
  return pad_detail::repeat_along(static_cast<X&&>(x), x.tree, n, axes<a>{});
}
/// repeat(x, 3): each element of x in row-major order, as a sequence.
template <class X, class N>
  requires expression<X>
auto repeat(X&& x, N times) {
  static_assert(std::is_integral_v<N>, "lazyfuse: repeat takes a whole number of times");
  const index_t n[] = {static_cast<index_t>(times)};
  if constexpr (rank_of<X> == 1) return pad_detail::repeat_along(static_cast<X&&>(x), x.tree, n, axes<0>{});
  else return pad_detail::repeat_along(static_cast<X&&>(x), gather_detail::in_sequence(x.tree), n, axes<0>{});
}

/// tile(x, {2, 3}): x again and again along its last axes, or along new ones at the front. Fuses. Throws index_error if
/// a number is negative. \numpy{tile}
template <class X, int K>
  requires expression<X>
auto tile(X&& x, const index_t (&times)[K]) {
  constexpr int own = rank_of<X>, R = own > K ? own : K;
  const auto e = pad_detail::of_rank<R>(x.tree);
  shape<R> s = e.shape();
  ir::folded how[R];
  for (int k = 0; k < R; ++k) {
    const index_t n = k < R - K ? 1 : times[k - (R - K)];
    how[k] = pad_detail::tiled(s[k], n, "tile");
    s[k] *= n;
  }
  const auto g = pad_detail::gather_of_all(s, how, make_index_sequence<R>{});
  return over(gather_detail::gathered(e, g), static_cast<X&&>(x));
}
/// tile(x, 3): along the last axis.
template <class X, class N>
  requires expression<X>
auto tile(X&& x, N times) {
  static_assert(std::is_integral_v<N>, "lazyfuse: tile takes whole numbers of times");
  const index_t n[] = {static_cast<index_t>(times)};
  return tile(static_cast<X&&>(x), n);
}

/// kron(a, b): each element of a times all of b, the products beside each other; the axes are those of both, of the
/// one with fewer new ones at the front. Fuses. \numpy{kron}
template <class X, class Y>
  requires expression<X> && expression<Y>
auto kron(const X& a, const Y& b) {
  constexpr int of_a = rank_of<X>, of_b = rank_of<Y>, R = of_a > of_b ? of_a : of_b;
  if constexpr (R == 0) return a * b;
  else {
    const auto one = pad_detail::of_rank<R>(a.tree);
    const auto other = pad_detail::of_rank<R>(b.tree);
    const shape<R> s = one.shape(), t = other.shape();
    shape<R> all;
    ir::folded of_one[R], of_other[R];
    for (int k = 0; k < R; ++k) {
      of_one[k] = pad_detail::repeated(s[k], t[k], "kron");
      of_other[k] = pad_detail::tiled(t[k], s[k], "kron");
      all[k] = s[k] * t[k];
    }
    const auto seq = make_index_sequence<R>{};
    return over(gather_detail::gathered(one, pad_detail::gather_of_all(all, of_one, seq)), a) *
           over(gather_detail::gathered(other, pad_detail::gather_of_all(all, of_other, seq)), b);
  }
}

namespace pad_detail {
template <class X, int K>
constexpr void check_rank() {
  static_assert(K == rank_of<X>,
                "lazyfuse: pad takes two widths for each axis, pad(x, {{1, 1}, {0, 2}}), or one for all");
}
/// Positions along an axis of s, counted from `first`.
template <int R>
auto positions(const shape<R>& s, int axis, index_t first) {
  strides<R> one;
  one[axis] = 1;
  return tree::leaf<ir::position, R>({}, s, one, -first);
}
/// The tree with zeros around what it is made of.
template <int R, class Tree, int... I>
auto in_zeros(const Tree& e, const shape<R>& s, const index_t (&first)[R], index_sequence<I...>) {
  index_map<R, R> m;
  m.extents = s;
  for (int k = 0; k < R; ++k) m.source[k] = -1;
  using index = tree::leaf<ir::position, R>;
  const gather_detail::gather<R, R, ir::beyond::zero, axes<I - R...>,
                              bare_t<decltype((void)I, std::declval<index>())>...>
      g{m, {{positions(s, I, first[I])}...}};
  return gather_detail::gathered(e, g);
}
/// Where a position is inside of what is padded.
template <int R, int... I>
auto inside(const shape<R>& s, const shape<R>& from, const index_t (&first)[R], index_sequence<I...>) {
  const auto along = [&](int axis) {
    const auto at = over(positions(s, axis, first[axis]));
    return (at >= index_t{0}) & (at < from[axis]);
  };
  return (along(I) & ...);
}
}  // namespace pad_detail

/// pad(x, {{1, 2}, {0, 3}}, 0.5): x with a number of elements before and after it along each axis, of one value, 0
/// unless given. Fuses. Throws index_error if a number is negative, dtype_error if the value does not fit integers.
/// \numpy{pad}
template <class X, int K, class V = int>
  requires expression<X> && scalar<V>
auto pad(X&& x, const index_t (&widths)[K][2], const V& value = 0) {
  constexpr int R = rank_of<X>;
  pad_detail::check_rank<X, K>();
  if constexpr (K != R) return bare_t<X>(static_cast<X&&>(x));
  else {
    shape<R> s = x.shape();
    const shape<R> from = s;
    index_t first[R];
    for (int k = 0; k < R; ++k) {
      pad_detail::check_widths(s[k], widths[k][0], widths[k][1]);
      first[k] = widths[k][0];
      s[k] += widths[k][0] + widths[k][1];
    }
    (void)checked(s, "pad");
    const auto seq = make_index_sequence<R>{};
    const auto fill = full<value_t<X>>(shape<0>{}, value);
    const auto mask = pad_detail::inside(s, from, first, seq);
    return where(mask, over(pad_detail::in_zeros(x.tree, s, first, seq), static_cast<X&&>(x)), fill);
  }
}
/// pad<padding::edge>(x, {{1, 2}, {0, 3}}): with elements of x around it. Throws shape_error of what is empty, too.
template <padding Mode, class X, int K>
  requires expression<X>
auto pad(X&& x, const index_t (&widths)[K][2]) {
  constexpr int R = rank_of<X>;
  pad_detail::check_rank<X, K>();
  if constexpr (K != R) return bare_t<X>(static_cast<X&&>(x));
  else {
    shape<R> s = x.shape();
    ir::folded how[R];
    for (int k = 0; k < R; ++k) {
      how[k] = pad_detail::padded(Mode, s[k], widths[k][0], widths[k][1]);
      s[k] += widths[k][0] + widths[k][1];
    }
    const auto g = pad_detail::gather_of_all(s, how, make_index_sequence<R>{});
    return over(gather_detail::gathered(x.tree, g), static_cast<X&&>(x));
  }
}

}  // namespace lazyfuse
