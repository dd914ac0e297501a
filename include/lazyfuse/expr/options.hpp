// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named arguments: functions with several of them take them after their operands in any order, found by type.
#pragma once

#include <lazyfuse/expr/reduce.hpp>

namespace lazyfuse {

/// What a variance subtracts from the number of elements before dividing by it: 1 for the unbiased one of a sample.
struct ddof {
  index_t value = 0;
};
/// What a normalization adds to its divisor, or the least value that the divisor takes.
struct epsilon {
  double value = 0;
};

/// Type of inf.
enum class infinity { positive, negative };
constexpr infinity operator-(infinity i) { return i == infinity::positive ? infinity::negative : infinity::positive; }
/// The order of the norm that is the largest magnitude, ord<inf>, and of the smallest, ord<-inf>.
inline constexpr infinity inf{};
/// Type of ord.
template <auto P>
struct order {};
/// The order of a norm: ord<1>, ord<2> or ord<inf>; norm takes any.
template <auto P>
inline constexpr order<P> ord{};

namespace options_detail {

template <class A>
inline constexpr bool is_axes = false;
template <int... A>
inline constexpr bool is_axes<axes<A...>> = true;
template <class A>
inline constexpr bool is_order = false;
template <auto P>
inline constexpr bool is_order<order<P>> = true;
template <class A>
inline constexpr bool is_keepdims = __is_same(A, keepdims_t);
template <class A>
inline constexpr bool is_ddof = __is_same(A, ddof);
template <class A>
inline constexpr bool is_epsilon = __is_same(A, epsilon);

/// Whether at most one of O... is of each kind.
template <class... O>
inline constexpr bool once = (0 + ... + is_axes<O>) <= 1 && (0 + ... + is_order<O>) <= 1 &&
                             (0 + ... + is_keepdims<O>) <= 1 && (0 + ... + is_ddof<O>) <= 1 &&
                             (0 + ... + is_epsilon<O>) <= 1;

/// The axes among the options, or those that are meant without.
template <class Otherwise>
constexpr Otherwise axes_in(Otherwise otherwise) {
  return otherwise;
}
template <class Otherwise, class A, class... O>
constexpr auto axes_in(Otherwise otherwise, const A& a, const O&... o) {
  if constexpr (is_axes<A>) return a;
  else return axes_in(otherwise, o...);
}
template <class Otherwise>
constexpr Otherwise order_in(Otherwise otherwise) {
  return otherwise;
}
template <class Otherwise, class A, class... O>
constexpr auto order_in(Otherwise otherwise, const A& a, const O&... o) {
  if constexpr (is_order<A>) return a;
  else return order_in(otherwise, o...);
}
/// The p of ord<p>.
template <auto P>
constexpr auto order_value(order<P>) {
  return P;
}
/// The option of type V among them, or the one that is meant without.
template <class V>
constexpr V value_in(V otherwise) {
  return otherwise;
}
template <class V, class A, class... O>
constexpr V value_in(V otherwise, const A& a, const O&... o) {
  if constexpr (__is_same(A, V)) return a;
  else return value_in(otherwise, o...);
}

/// The K-th expression among a...
template <int K, class A, class... B>
constexpr const auto& expression_in(const A& a, const B&... b) {
  if constexpr (!expression<A>) return expression_in<K>(b...);
  else if constexpr (K > 0) return expression_in<K - 1>(b...);
  else return a;
}
template <class... A>
inline constexpr int expressions = (0 + ... + int(expression<A>));

/// An operand that a function uses more than once: its arrays get numbers if there are several, or if others are beside
/// it. One array alone is recognised without, also outside the function: x * softmax(x).
template <bool Beside, class E>
constexpr auto used_often(const E& e) {
  if constexpr (Beside || number_detail::leaf_counts_of<tree_t<E>>.arrays > 1)
    return number_detail::numbered_argument<0>(e);
  else return e;
}
/// Two such operands.
template <class F, class X, class Y>
constexpr auto with_both(const F& f, const X& x, const Y& y) {
  return f(number_detail::numbered_argument<0>(x), number_detail::numbered_argument<number_detail::span<tree_t<X>>>(y));
}

template <int... A>
constexpr int axis_count(axes<A...>) {
  return int(sizeof...(A));
}
/// A view of w of rank R, whose axes become the given ones, the others of extent 1.
template <int R, class W, int... A>
constexpr auto along(const W& w, axes<A...>) {
  static_assert(rank_of<W> == sizeof...(A));
  constexpr int to[] = {(A < 0 ? A + R : A)...};
  index_map<int(sizeof...(A)), R> m;
  for (int k = 0; k < R; ++k) {
    m.source[k] = -1;
    m.factor[k] = 0;
    m.extents[k] = 1;
  }
  for (int j = 0; j < int(sizeof...(A)); ++j) {
    m.source[to[j]] = j;
    m.factor[to[j]] = 1;
    m.extents[to[j]] = w.shape()[j];
  }
  return over(view_detail::remap(w.tree, m), w);
}

/// Reduces over the axes, and keeps them with extent 1 if Keep.
template <bool Keep, class Reduction, class X, int... A>
constexpr auto reduce_keeping(reduction_function<Reduction> f, X&& x, axes<A...> a) {
  if constexpr (Keep) return f(static_cast<X&&>(x), a, keepdims);
  else return f(static_cast<X&&>(x), a);
}

}  // namespace options_detail

}  // namespace lazyfuse
