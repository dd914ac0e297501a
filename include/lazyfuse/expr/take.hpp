// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements by their indices: take, take_along_axis.
#pragma once

#include <lazyfuse/expr/gather.hpp>

namespace lazyfuse {

/// take(x, i, axis<0>): the elements of x at indices along an axis, in the place of which the axes of i are. Indices
/// are integers, of any expression, or one number; negative ones count from the end. On the host one beyond the axis
/// throws index_error when it is evaluated, unless all of x is one constant; on the GPU it is the nearest one. Fuses;
/// only what is asked for is read, but reductions and barriers inside x are computed into memory first. \numpy{take}
template <class X, class I, int A>
  requires(expression<X> && (expression<I> || scalar<I>))
auto take(X&& x, I&& i, axes<A>) {
  constexpr int R = rank_of<X>;
  const auto index = gather_detail::index_tree(i);
  constexpr int Q = decltype(index)::rank;
  constexpr bool whole = gather_detail::is_index<I>, fits = R - 1 + Q <= max_rank;
  static_assert(whole, "lazyfuse: take reads elements by their indices, which are integers");
  static_assert(fits, "lazyfuse: an expression has 8 axes at most: those of x but one, and those of the indices");
  if constexpr (!whole || !fits) return bare_t<X>(static_cast<X&&>(x));
  else {
    constexpr int a = view_detail::normal_axis<A, R>();
    const auto g = gather_detail::along<R, a, Q>(x.shape(), index, "take");
    return gather_detail::result(gather_detail::gathered(x.tree, g), static_cast<X&&>(x), static_cast<I&&>(i));
  }
}
/// take(x, i): from all elements of x in row-major order.
template <class X, class I>
  requires(expression<X> && (expression<I> || scalar<I>))
auto take(X&& x, I&& i) {
  if constexpr (rank_of<X> == 1) return take(static_cast<X&&>(x), static_cast<I&&>(i), axis<0>);
  else {
    const auto all = over(gather_detail::in_sequence(x.tree), static_cast<X&&>(x));
    return take(all, static_cast<I&&>(i), axis<0>);
  }
}

/// take_along_axis(x, i, axis<1>): element (a, b, c) is element (a, i(a, b, c), c) of x: i has as many axes, and
/// the others are broadcast. What argsort and argmax find is read so. As take otherwise. Throws shape_error.
/// \numpy{take_along_axis}
template <class X, class I, int A>
  requires(expression<X>&& expression<I>)
auto take_along_axis(X&& x, I&& i, axes<A>) {
  constexpr int R = rank_of<X>;
  constexpr bool whole = gather_detail::is_index<I>, alike = rank_of<I> == R;
  static_assert(whole, "lazyfuse: take_along_axis reads elements by their indices, which are integers");
  static_assert(alike || !whole, "lazyfuse: the indices of take_along_axis have as many axes as the expression");
  if constexpr (!whole || !alike) return bare_t<X>(static_cast<X&&>(x));
  else {
    constexpr int a = view_detail::normal_axis<A, R>();
    const auto g = gather_detail::beside<R, a>(x.shape(), i.tree, "take_along_axis");
    return gather_detail::result(gather_detail::gathered(x.tree, g), static_cast<X&&>(x), static_cast<I&&>(i));
  }
}
/// take_along_axis<1>(x, i)
template <int A, class X, class I>
  requires(expression<X>&& expression<I>)
auto take_along_axis(X&& x, I&& i) { return take_along_axis(static_cast<X&&>(x), static_cast<I&&>(i), axis<A>); }

}  // namespace lazyfuse
