// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x(mask) and x(indices), read; where elements are not zero.
#pragma once

#include <lazyfuse/expr/take.hpp>
#include <lazyfuse/selection/evaluate.hpp>

#include <array>

namespace lazyfuse {

namespace selection_detail {

template <int R>
constexpr int rank_of_shape(const shape<R>&) {
  return R;
}
template <int R, int To, int... A, class... I>
auto gather_of(const index_map<R, To>& m, index_sequence<A...>, const I&... index) {
  return gather_detail::gather<R, To, gather_detail::beyond::error, axes<A - R...>, I...>{m, {{index}...}};
}
/// The tree of indices of rank To along the first axes of x, one operand of the gather for each.
template <class X, class... I>
auto at_indices(X&& x, const I&... i) {
  constexpr int R = rank_of<X>, count = sizeof...(I), whole = (integer<value_t<I>> && ...);
  static_assert(whole,
                "lazyfuse: elements are read by their indices, which are integers, or by a mask, which is of bool");
  static_assert(count <= R, "lazyfuse: more indices than the expression has axes");
  const auto s = map_detail::join_shapes("index", i.shape()...);
  constexpr int Q = rank_of_shape(bare_t<decltype(s)>{}), To = Q + R - count;
  static_assert(To <= max_rank,
                "lazyfuse: an expression has 8 axes at most: those of the indices, and the others of x");
  if constexpr (whole && count <= R && To <= max_rank) {
    index_map<R, To> m;
    index_map<Q, To> of_index;
    for (int k = 0; k < To; ++k) {
      m.source[k] = k < Q ? -1 : k - Q + count;
      m.factor[k] = k < Q ? 0 : 1;
      m.extents[k] = k < Q ? s[k < Q ? k : 0] : x.shape()[k < Q ? 0 : k - Q + count];
      of_index.source[k] = k < Q ? k : -1;
      of_index.factor[k] = k < Q ? 1 : 0;
    }
    of_index.extents = checked(m.extents, "index");
    const auto each = [&](const auto& tree) {
      return view_detail::remap(view_detail::broadcast_tree(tree, s, "index"), of_index);
    };
    const auto g = gather_of<R>(m, make_index_sequence<count>{}, each(i.tree)...);
    return over(gather_detail::gathered(x.tree, g), static_cast<X&&>(x), i...);
  } else return plain(static_cast<X&&>(x));
}
}  // namespace selection_detail

/// flatnonzero(x): where elements are not zero, or true, in row-major order: a selection of int64. \numpy{flatnonzero}
template <class X>
  requires expression<X>
auto flatnonzero(const X& x) {
  const auto places = reductions_detail::places(x.shape(), axes<>{});
  if constexpr (boolean<value_t<X>>) return compress(x, places);
  else return compress(cast<bool>(x), places);
}

/// compress(mask, x, axis<1>): what a mask selects along an axis, of whose length it is. The mask is evaluated at once,
/// the result is an expression, as take. Throws shape_error. \numpy{compress}
template <class Mask, class X, int A>
  requires(expression<Mask>&& expression<X>)
auto compress(const Mask& mask, X&& x, axes<A>) {
  constexpr int a = view_detail::normal_axis<A, rank_of<X>>();
  constexpr bool one_axis = rank_of<Mask> == 1 && boolean<value_t<Mask>>;
  static_assert(one_axis, "lazyfuse: a mask along an axis has one axis itself, and is of bool");
  if constexpr (one_axis) {
    if (mask.shape()[0] != x.shape()[a])
      throw_shapes("compress", mask.shape().extent, 1, x.shape().extent, rank_of<X>,
                   "do not fit: a mask has the length of its axis");
    using joined = map_detail::joined<expression_space_t<Mask>, expression_space_t<X>>;
    using Space = typename array_detail::space_of_result<typename joined::type>::type;
    const array<int64, 1, Space> where = to<Space>(flatnonzero(mask));
    return take(static_cast<X&&>(x), where, axis<a>);
  } else return selection_detail::plain(static_cast<X&&>(x));
}

/// x(mask), a selection; of a mask of one axis what it selects along the first one, as compress; x(i), x(i, j): the
/// elements whose indices along the first axes the expressions i, j of integers are, broadcast to one shape: an
/// expression, as take.
template <class E, class... I>
  requires(expression<I> || ...)
auto view(E&& e, I... i) {
  constexpr bool known = (expression<I> && ...);
  static_assert(known,
                "lazyfuse: indices that are arrays stand beside no ranges: x(i)(all, 0) for NumPy's x[i, 0]; of "
                "another axis take(x, i, axis<1>)");
  if constexpr (!known) return selection_detail::plain(static_cast<E&&>(e));
  else if constexpr (sizeof...(I) == 1 && (boolean<value_t<I>> && ...)) {
    if constexpr (((rank_of<I> == 1) && ...) && rank_of < E >> 1) return compress(i..., static_cast<E&&>(e), axis<0>);
    else return compress(i..., e);
  } else return selection_detail::at_indices(static_cast<E&&>(e), i...);
}

/// nonzero(x): for each axis the indices of the elements that are not zero, or true, in row-major order: a std::array
/// of arrays of int64, for x(i, j). Evaluates x once. \numpy{nonzero}
template <class X, class = maker>
  requires expression<X>
auto nonzero(const X& x) {
  constexpr int R = rank_of<X>;
  static_assert(R > 0, "lazyfuse: nonzero is of expressions that have axes");
  using indices = array<int64, 1, result_space<X>>;
  const indices places(flatnonzero(x));
  if constexpr (R == 1) return std::array<indices, 1>{places};
  else return [&]<int... A>(index_sequence<A...>) {
      const auto along = [&](int axis) {
        int64 step = 1;
        for (int k = axis + 1; k < R; ++k) step *= x.shape()[k];
        const int64 n = x.shape()[axis];
        return indices(remainder(floor_divide(places, step > 0 ? step : 1), n > 0 ? n : 1));
      };
      return std::array<indices, static_cast<std::size_t>(R)>{along(A)...};
    }
  (make_index_sequence<R>{});
}
/// argwhere(x): the same as rows of one array of shape (count, axes of x). \numpy{argwhere}
template <class X, class = maker>
  requires expression<X>
auto argwhere(const X& x) {
  const auto each = nonzero(x);
  return [&]<int... A>(index_sequence<A...>) {
    return array<int64, 2, result_space<X>>(stack<1>(each[static_cast<std::size_t>(A)]...));
  }
  (make_index_sequence<rank_of<X>>{});
}

}  // namespace lazyfuse
