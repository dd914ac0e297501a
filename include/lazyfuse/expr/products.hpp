// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of vectors, matrices and arrays of any rank: sums of products that are broadcast, as anybody would write
// them, so that they fuse with what is before and after them. Backends compute such sums by tiles, or by a library.
#pragma once

#include <lazyfuse/expr/parts.hpp>
#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/expr/roll.hpp>

namespace lazyfuse {

namespace products_detail {
using namespace options_detail;

/// Where the axes of two operands go: those of x that stay, those of y, and last those that are summed over.
template <int X, int Y, int Summed>
struct contraction {
  static constexpr int rank = X + Y - Summed, results = rank - Summed;
  int x[X > 0 ? X : 1] = {}, y[Y > 0 ? Y : 1] = {};
  /// Of axis in_x[k] of one with axis in_y[k] of the other.
  constexpr contraction(const int* in_x, const int* in_y) {
    for (int& a : x) a = -1;
    for (int& a : y) a = -1;
    for (int k = 0; k < Summed; ++k) x[in_x[k]] = y[in_y[k]] = results + k;
    int next = 0;
    for (int k = 0; k < X; ++k)
      if (x[k] < 0) x[k] = next++;
    for (int k = 0; k < Y; ++k)
      if (y[k] < 0) y[k] = next++;
  }
};

template <int... A>
constexpr bool are_distinct(axes<A...>) {
  return ((1u << A) + ... + 0u) == ((1u << A) | ... | 0u);
}
template <int First, int... I>
constexpr axes<First + I...> axes_from(index_sequence<I...>) {
  return {};
}
/// The last K axes.
template <int K>
using last_axes = decltype(axes_from<-K>(make_index_sequence<K>{}));

/// The type of a product, and the one it is computed in: 16-bit reals in float.
template <class... X>
using product_t = value_t<decltype((... * std::declval<const X&>()))>;
template <class T>
using factor_t = std::conditional_t<small_real<T>, float, T>;

/// f(cast<T>(x)...), of those that are of another type.
template <class T, class F, class... X>
constexpr auto with_factors(const F& f, const X&... x) {
  const auto as_factor = [](const auto& z) {
    if constexpr (std::is_same_v<value_t<decltype(z)>, T>) return z;
    else return cast<T>(z);
  };
  return f(as_factor(x)...);
}

/// The sum over the last K axes of the product of x..., which is of the type that the product has, whatever sums are
/// of.
template <int K, class... X>
constexpr auto sum_of_products(const X&... x) {
  const auto reduced = [](auto function, const auto& products) {
    if constexpr (K == 0) return products;
    else return function(products, last_axes<K>{});
  };
  constexpr int bools = (0 + ... + boolean<value_t<X>>);
  if constexpr (bools == int(sizeof...(X))) return reduced(any, (... & x));
  else if constexpr (bools > 0) return (... * x);  // whose rule says what is wrong
  else {
    using T = product_t<X...>;
    const auto product = [&](const auto&... y) { return reduced(sum, (... * y)); };
    if constexpr (small_real<T> || integer<T>) return cast<T>(with_factors<factor_t<T>>(product, x...));
    else return with_factors<T>(product, x...);
  }
}

template <class X, class Y>
constexpr void check_extents(const X& x, const Y& y, int axis_of_x, int axis_of_y, const char* operation) {
  if (x.shape()[axis_of_x] != y.shape()[axis_of_y])
    throw_shapes(operation, x.shape().extent, rank_of<X>, y.shape().extent, rank_of<Y>,
                 "differ along the axes that are summed over");
}

template <auto Way, class X, class Y, int... I, int... J>
constexpr auto contracted(const X& x, const Y& y, index_sequence<I...>, index_sequence<J...>) {
  using way = bare_t<decltype(Way)>;  // of a constant, to nvcc's compiler of the host
  constexpr int R = way::rank;
  return sum_of_products<R - way::results>(along<R>(x, axes<Way.x[I]...>{}), along<R>(y, axes<Way.y[J]...>{}));
}
/// The products of x and y summed over axes A of x, each with that of y in its place, of one extent.
template <class X, class Y, int... A, int... B>
constexpr auto contract(const char* operation, const X& x, const Y& y, axes<A...>, axes<B...>) {
  if constexpr (rank_of<X> == 0 || rank_of<Y> == 0) return sum_of_products<0>(x, y);
  else {
    constexpr int a[] = {A..., 0}, b[] = {B..., 0};
    using way = contraction<rank_of<X>, rank_of<Y>, int(sizeof...(A))>;
    constexpr bool fits = way::rank <= max_rank;
    static_assert(fits,
                  "lazyfuse: the axes of both operands of this product, those that are summed over counted once, are "
                  "more than 8");
    if constexpr (!fits) return x;
    else {
      (check_extents(x, y, A, B, operation), ...);
      return contracted<way(a, b)>(x, y, make_index_sequence<rank_of<X>>{}, make_index_sequence<rank_of<Y>>{});
    }
  }
}

/// x with its last two axes exchanged.
template <class X, int... I>
constexpr auto turned(const X& x, index_sequence<I...>) {
  return permute_dims<I..., int(sizeof...(I)) + 1, int(sizeof...(I))>(x);
}
}  // namespace products_detail

/// matmul(x, y): the matrix product: of the last axis of x with the last but one of y, which have one extent, or throws
/// shape_error; the axes before are broadcast. A vector has no more axes in the result. Sums are as those of sum, or on
/// the host of OpenBLAS for 128 products at a time; of 16-bit reals they are float before they are rounded, of integers
/// they wrap around, of bool they are any. An expression like
/// sum(x(all, newaxis, all) * y.T()(newaxis, all, all), axis<2>): it fuses. \numpy{matmul}
template <class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto matmul(const X& x, const Y& y) {
  using namespace products_detail;
  constexpr int a = rank_of<X>, b = rank_of<Y>;
  constexpr bool factors = a > 0 && b > 0, ranks = (a > b ? a : b) < max_rank;
  static_assert(factors, "lazyfuse: matmul takes vectors and matrices; a number multiplies by *");
  static_assert(ranks, "lazyfuse: matmul takes arrays of rank 7 at most");
  if constexpr (!factors || !ranks) return x;
  else {
    check_extents(x, y, a - 1, b > 1 ? b - 2 : 0, "matmul");
    if constexpr (b == 1) return sum_of_products<1>(x, y);
    else {
      const auto columns = turned(y, make_index_sequence<b - 2>{});
      if constexpr (a == 1) return sum_of_products<1>(x, columns);
      else return sum_of_products<1>(x(ellipsis, newaxis, all), columns(ellipsis, newaxis, all, all));
    }
  }
}

/// dot(x, y): the sum of products of the last axis of x and the last but one of y, the only one of a vector: of vectors
/// a number, of matrices their product; all other axes of x, then those of y. Numbers multiply. Throws
/// shape_error where the extents of these axes differ. \numpy{dot}
template <class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto dot(const X& x, const Y& y) {
  using namespace products_detail;
  constexpr int a = rank_of<X>, b = rank_of<Y>;
  if constexpr (a == 0 || b == 0) return x * y;
  else return contract("dot", x, y, axes<a - 1>{}, axes<(b > 1 ? b - 2 : 0)>{});
}
/// inner(x, y): the sum of products along the last axes: the other axes of x, then those of y. Throws shape_error
/// where their extents differ. \numpy{inner}
template <class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto inner(const X& x, const Y& y) {
  using namespace products_detail;
  if constexpr (rank_of<X> == 0 || rank_of<Y> == 0) return x * y;
  else return contract("inner", x, y, axes<rank_of<X> - 1>{}, axes<rank_of<Y> - 1>{});
}
/// vdot(x, y): the sum of conj(x) * y over all axes of two arrays of one shape, or throws shape_error. \numpy{vdot}
template <class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto vdot(const X& x, const Y& y) {
  using namespace products_detail;
  constexpr bool alike = rank_of<X> == rank_of<Y>;
  static_assert(alike, "lazyfuse: vdot takes two arrays of one shape; reshape one of them");
  if constexpr (alike) {
    if (x.shape() != y.shape())
      throw_shapes("vdot", x.shape().extent, rank_of<X>, y.shape().extent, rank_of<Y>, "differ");
    if constexpr (complex_number<value_t<X>>) return sum_of_products<rank_of<X>>(conj(x), y);
    else return sum_of_products<rank_of<X>>(x, y);
  } else return x;
}
/// vecdot(x, y, axis<-1>): the sums of conj(x) * y along an axis of one extent, the last unless given; the others are
/// broadcast. Throws shape_error where extents differ. \numpy{vecdot}
template <class X, class Y, int A = -1>
  requires(expression<X>&& expression<Y>)
constexpr auto vecdot(const X& x, const Y& y, axes<A> = {}) {
  using namespace products_detail;
  constexpr int a = rank_of<X>, b = rank_of<Y>, axis = A < 0 ? A : A - a;
  constexpr bool counted = A < 0 || a == b, have = a > 0 && b > 0 && axis >= -a && axis >= -b && axis < 0;
  static_assert(counted,
                "lazyfuse: the axis of a vecdot of operands of unlike ranks is counted from the last, as axis<-1>");
  static_assert(have || !counted, "lazyfuse: vecdot sums along an axis that both of its operands have");
  if constexpr (!have || !counted) return x;
  else {
    check_extents(x, y, a + axis, b + axis, "vecdot");
    const auto last = [](const auto& z) {  // the axis
      constexpr int rank = rank_of<bare_t<decltype(z)>>;
      return [&]<int... I>(index_sequence<I...>) {
        return permute_dims<(I < rank + axis ? I : I < rank - 1 ? I + 1 : rank + axis)...>(z);
      }
      (make_index_sequence<rank>{});
    };
    if constexpr (complex_number<value_t<X>>) return sum_of_products<1>(last(conj(x)), last(y));
    else return sum_of_products<1>(last(x), last(y));
  }
}

/// outer(x, y): the products of each element of one vector with each of another, a matrix. \numpy{outer}
template <class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto outer(const X& x, const Y& y) {
  constexpr bool vectors = rank_of<X> == 1 && rank_of<Y> == 1;
  static_assert(vectors, "lazyfuse: outer takes two vectors; reshape(x, {-1}) is an array as one");
  if constexpr (vectors) return products_detail::sum_of_products<0>(x(all, newaxis), y(newaxis, all));
  else return x;
}

/// tensordot<K>(x, y): the sum of products over the last K axes of x and the first K of y, 2 unless given. The axes
/// that are left, those of x first, are those of the result. Throws shape_error where extents differ. \numpy{tensordot}
template <int K = 2, class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto tensordot(const X& x, const Y& y) {
  using namespace products_detail;
  constexpr bool have = K >= 0 && K <= rank_of<X> && K <= rank_of<Y>;
  static_assert(have, "lazyfuse: tensordot<K> sums over K axes, which both of its operands have");
  if constexpr (have) {
    constexpr auto first = make_index_sequence<K>{};
    return contract("tensordot", x, y, axes_from<rank_of<X> - K>(first), axes_from<0>(first));
  } else return x;
}
/// tensordot(x, y, axis<0, 2>, axis<1, 0>): over these axes of x, each with that of y in its place.
template <class X, class Y, int... A, int... B>
  requires(expression<X>&& expression<Y>)
constexpr auto tensordot(const X& x, const Y& y, axes<A...>, axes<B...>) {
  using namespace products_detail;
  constexpr bool pairs = sizeof...(A) == sizeof...(B);
  static_assert(pairs, "lazyfuse: tensordot takes as many axes of one operand as of the other");
  if constexpr (pairs) {
    constexpr auto a = axes<view_detail::normal_axis<A, rank_of<X>>()...>{};
    constexpr auto b = axes<view_detail::normal_axis<B, rank_of<Y>>()...>{};
    constexpr bool once = are_distinct(a) && are_distinct(b);
    static_assert(once, "lazyfuse: tensordot sums over each axis once");
    if constexpr (once) return contract("tensordot", x, y, a, b);
    else return x;
  } else return x;
}
template <class X, class Y, class... I>
  requires(expression<X>&& expression<Y> && sizeof...(I) > 0 && (std::is_integral_v<I> && ...))
auto tensordot(const X& x, const Y&, I...) {
  static_assert(sizeof...(I) == 0, "lazyfuse: tensordot takes its axes as tensordot<1>(x, y), or as axis<0>, axis<1>");
  return x;
}

/// cross(x, y): the vector products of vectors of three elements along the last axis, of each; the others are
/// broadcast. Throws shape_error if they have not three. \numpy{cross}
template <class X, class Y>
  requires(expression<X>&& expression<Y>)
constexpr auto cross(const X& x, const Y& y) {
  constexpr int a = rank_of<X>, b = rank_of<Y>;
  constexpr bool vectors = a > 0 && b > 0;
  static_assert(vectors, "lazyfuse: cross takes vectors of three elements");
  if constexpr (!vectors) return x;
  else {
    if (x.shape()[a - 1] != 3 || y.shape()[b - 1] != 3)
      throw_shapes("cross", x.shape().extent, a, y.shape().extent, b,
                   "do not have three elements along their last axes");
    const auto moved = [](const auto& z, int by) { return roll(z, by, axis<-1>); };
    return moved(x, 2) * moved(y, 1) - moved(x, 1) * moved(y, 2);
  }
}

/// trace(x, k, axis<0, 1>): the sums of diagonals (expr/parts.hpp), of the first two axes unless given. Integers are
/// summed in 64 bits, as sum does. \numpy{trace}
template <class X, int A = 0, int B = 1>
  requires expression<X>
constexpr auto trace(X&& x, index_t k = 0, axes<A, B> a = {}) {
  if constexpr (rank_of<X> < 2) return diagonal(static_cast<X&&>(x), k, a);  // which says what is wrong
  else return sum(diagonal(static_cast<X&&>(x), k, a), axes<-1>{});
}

}  // namespace lazyfuse
