// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of arrays and of expressions that are views: diagonals, windows, pieces; and what is computed of neighbours.
#pragma once

#include <lazyfuse/expr/barrier.hpp>
#include <lazyfuse/expr/options.hpp>

#include <vector>

namespace lazyfuse {

namespace parts_detail {
/// A view by a map of whose axes types say nothing.
template <class X, int From, int To>
constexpr auto mapped(X&& x, const index_map<From, To>& m) {
  return over(view_detail::remap_known<number_detail::by_values>(x.tree, m), static_cast<X&&>(x));
}
/// x along an axis from one index to another.
template <int Axis, class X>
constexpr auto piece(const X& x, index_t from, index_t to) {
  constexpr int R = rank_of<X>;
  index_map<R, R> m;
  m.extents = x.shape();
  for (int k = 0; k < R; ++k) {
    m.source[k] = k;
    m.factor[k] = 1;
  }
  m.start[Axis] = to > from ? from : 0;
  m.extents[Axis] = to > from ? to - from : 0;
  return mapped(x, m);
}
constexpr void check_window(index_t n, index_t extent) {
  if (n < 1 || n > extent) throw_value("sliding_window_view: a window is as long as the axis at most, and not empty");
}
}  // namespace parts_detail

/// diagonal(x, k, axis<0, 1>): the elements whose index along the second of two axes is k beyond that along the first,
/// 0 unless given; along a new last axis, the others before it. A view. \numpy{diagonal}
template <class X, int A = 0, int B = 1>
  requires expression<X>
constexpr auto diagonal(X&& x, index_t k = 0, axes<A, B> = {}) {
  constexpr int R = rank_of<X>;
  static_assert(R >= 2, "lazyfuse: a diagonal is of two axes, and this expression has fewer");
  if constexpr (R < 2) return bare_t<X>(static_cast<X&&>(x));
  else {
    constexpr int a = view_detail::normal_axis<A, R>(), b = view_detail::normal_axis<B, R>();
    static_assert(a != b, "lazyfuse: the two axes of a diagonal are not one");
    const auto shape = x.shape();
    index_map<R, R - 1> m;
    int to = 0;
    for (int axis = 0; axis < R; ++axis) {
      if (axis == a || axis == b) continue;
      m.source[to] = axis;
      m.factor[to] = 1;
      m.extents[to++] = shape[axis];
    }
    const index_t down = k < 0 ? (k < -shape[a] ? shape[a] : -k) : 0, right = k > 0 ? (k > shape[b] ? shape[b] : k) : 0;
    const index_t rows = shape[a] - down, columns = shape[b] - right, n = rows < columns ? rows : columns;
    m.start[a] = n > 0 ? down : 0;
    m.start[b] = n > 0 ? right : 0;
    m.source[to] = a;
    m.beside[to] = b + 1;
    m.factor[to] = 1;
    m.extents[to] = n;
    return parts_detail::mapped(static_cast<X&&>(x), m);
  }
}

/// sliding_window_view(x, n, axis<0>): all runs of n neighbours along an axis, each along a new last axis; element
/// (..., i, ..., j) is element (..., i + j, ...) of x. A view. Throws index_error unless n is from 1 to the axis'
/// extent. \numpy{lib.stride_tricks.sliding_window_view}
template <class X, int A>
  requires expression<X>
constexpr auto sliding_window_view(X&& x, index_t n, axes<A>) {
  constexpr int R = rank_of<X>;
  static_assert(R < max_rank, "lazyfuse: a window has an axis of its own, and this expression has 8 already");
  if constexpr (R >= max_rank) return bare_t<X>(static_cast<X&&>(x));
  else {
    constexpr int a = view_detail::normal_axis<A, R>();
    parts_detail::check_window(n, x.shape()[a]);
    index_map<R, R + 1> m;
    for (int k = 0; k <= R; ++k) {
      m.source[k] = k < R ? k : a;
      m.factor[k] = 1;
      m.extents[k] = k < R ? x.shape()[k] - (k == a ? n - 1 : 0) : n;
    }
    (void)checked(m.extents, "sliding_window_view");
    return parts_detail::mapped(static_cast<X&&>(x), m);
  }
}
/// sliding_window_view(x, {3, 3}): windows over all axes, whose own are the last ones.
template <class X, int K>
  requires expression<X>
constexpr auto sliding_window_view(X&& x, const index_t (&windows)[K]) {
  constexpr int R = rank_of<X>;
  constexpr bool all_axes = K == R, few = 2 * R <= max_rank;
  static_assert(all_axes,
                "lazyfuse: sliding_window_view takes an extent for each axis, or one extent and its axis, as in "
                "sliding_window_view(x, 3, axis<0>)");
  static_assert(few || !all_axes, "lazyfuse: windows have as many axes once more, and an expression has 8 at most");
  if constexpr (!all_axes || !few) return bare_t<X>(static_cast<X&&>(x));
  else {
    index_map<R, 2 * R> m;
    for (int k = 0; k < R; ++k) {
      const index_t n = windows[k];
      parts_detail::check_window(n, x.shape()[k]);
      for (const int to : {k, R + k}) {
        m.source[to] = k;
        m.factor[to] = 1;
      }
      m.extents[k] = x.shape()[k] - n + 1;
      m.extents[R + k] = n;
    }
    (void)checked(m.extents, "sliding_window_view");
    return parts_detail::mapped(static_cast<X&&>(x), m);
  }
}
template <class X, class I, class... A>
  requires(expression<X>&& std::is_integral_v<I> && (std::is_integral_v<A> && ...))
auto sliding_window_view(X&& x, I, A...) {
  static_assert(!__is_same(I, I),
                "lazyfuse: sliding_window_view takes its axis as axis<...>: sliding_window_view(x, 3, axis<0>)");
  return bare_t<X>(static_cast<X&&>(x));
}

/// split<0>(x, 3): so many pieces of one length along an axis, as views, in a std::vector. Throws index_error if there
/// are none of one length. \numpy{split}
template <int Axis = 0, class X, class I>
  requires(expression<X>&& std::is_integral_v<I>)
auto split(const X& x, I count) {
  constexpr int a = view_detail::normal_axis<Axis, rank_of<X>>();
  const index_t n = x.shape()[a], pieces = static_cast<index_t>(count);
  if (pieces < 1 || n % pieces != 0) throw_value("split: the axis has no such number of pieces of one length");
  std::vector<decltype(parts_detail::piece<a>(x, 0, 0))> all;
  all.reserve(static_cast<std::size_t>(pieces));
  for (index_t k = 0; k < pieces; ++k)
    all.push_back(parts_detail::piece<a>(x, k * (n / pieces), (k + 1) * (n / pieces)));
  return all;
}
/// split<0>(x, {2, 5}): the pieces before, between and behind these indices; negative ones count from the end.
template <int Axis = 0, class X, int K>
  requires expression<X>
auto split(const X& x, const index_t (&at)[K]) {
  constexpr int a = view_detail::normal_axis<Axis, rank_of<X>>();
  const index_t n = x.shape()[a];
  std::vector<decltype(parts_detail::piece<a>(x, 0, 0))> all;
  const auto clipped = [n](index_t i) { return i < -n ? 0 : i < 0 ? i + n : i > n ? n : i; };
  index_t from = 0;
  for (const index_t i : at) {
    all.push_back(parts_detail::piece<a>(x, from, clipped(i)));
    from = clipped(i);
  }
  all.push_back(parts_detail::piece<a>(x, from, n));
  return all;
}

template <int Axis = 0, class X, class N>
  requires expression<X>
auto split(const X& x, const N&, int) {
  static_assert(!__is_same(N, N), "lazyfuse: split takes its axis as split<1>(x, 3)");
  return x;
}

/// diff<2>(x, axis<0>): the differences of neighbours along an axis, the last unless given, taken N times, once unless
/// given; the axis is shorter by N, or empty. Of bool: whether they differ. Each third time into memory, for each reads
/// twice what the one before made. \numpy{diff}
template <int N = 1, class X, int A = -1>
  requires expression<X>
constexpr auto diff(const X& x, axes<A> a = {}) {
  static_assert(N >= 0, "lazyfuse: differences are taken a number of times that is not negative");
  if constexpr (N <= 0) return x;
  else if constexpr (N > 3) return diff<N - 3>(barrier(diff<3>(x, a)), a);
  else {
    constexpr int axis = view_detail::normal_axis<A, rank_of<X>>();
    const index_t n = x.shape()[axis];
    const auto later = parts_detail::piece<axis>(x, 1, n), earlier = parts_detail::piece<axis>(x, 0, n - 1);
    if constexpr (boolean<value_t<X>>) return diff<N - 1>(later != earlier, a);
    else return diff<N - 1>(later - earlier, a);
  }
}
template <int N = 1, class X, class I, class... A>
  requires(expression<X>&& std::is_integral_v<I>)
auto diff(const X& x, I, A...) {
  static_assert(!__is_same(I, I), "lazyfuse: diff takes how often and its axis as diff<2>(x, axis<0>)");
  return x;
}

}  // namespace lazyfuse
