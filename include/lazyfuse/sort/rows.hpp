// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of sorting share: options, keys of an expression with the axis last, and the way back.
#pragma once

#include <lazyfuse/array/empty.hpp>
#include <lazyfuse/evaluate/to.hpp>
#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/expr/take.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/op/sorting.hpp>
#include <lazyfuse/sort/keys.hpp>

namespace lazyfuse {

/// Type of descending.
enum class descending_t {};
/// Sorts from the largest element to the smallest: sort(x, descending).
inline constexpr descending_t descending{};

namespace sort_detail {

template <class O>
inline constexpr bool is_descending = __is_same(O, descending_t);
template <class... O>
inline constexpr bool descends = (is_descending<O> || ...);

/// Whether elements of X have an order, and it has axes; says why not.
template <class X>
constexpr bool takes() {
  using T = value_t<X>;
  constexpr bool ordered = boolean<T> || integer<T> || floating_point<T>, has_axis = rank_of<X> >= 1;
  static_assert(ordered,
                "lazyfuse: complex numbers, vectors and structs have no order; sort real(x), imag(x) or abs(x)");
  static_assert(has_axis || !ordered, "lazyfuse: a single number is not sorted: x has an axis or more");
  return ordered && has_axis;
}
/// Whether options are known ones, and one axis at most.
template <bool Known, class... Options>
constexpr bool known_options() {
  constexpr bool good = Known && options_detail::once<Options...>;
  static_assert(good,
                "lazyfuse: sort, argsort, topk and partition take axis<A> once; the first two take descending, too");
  return good;
}

/// The axis among the options, counted from the first; the last one if there is none.
template <int R, class... Options>
constexpr int axis_of() {
  using found = decltype(options_detail::axes_in(axes<-1>{}, Options{}...));
  constexpr bool one = options_detail::axis_count(found{}) == 1;
  static_assert(one, "lazyfuse: sorting goes along one axis; of all elements in one row write sort(reshape(x, {-1}))");
  if constexpr (!one) return R - 1;
  else {
    constexpr int axis = []<int A>(axes<A>) { return view_detail::normal_axis<A, R>(); }(found{});
    return axis >= 0 && axis < R ? axis : R - 1;
  }
}

template <int A, class X, int... I>
constexpr auto axis_last(const X& x, index_sequence<I...>) {
  constexpr int R = sizeof...(I);
  return permute_dims<(I == R - 1 ? A : I < A ? I : I + 1)...>(x);
}
template <int A, class X, int... I>
constexpr auto axis_back(const X& x, index_sequence<I...>) {
  constexpr int R = sizeof...(I);
  return permute_dims<(I == A ? R - 1 : I < A ? I : I - 1)...>(x);
}
/// x with axis A behind all others.
template <int A, class X>
constexpr decltype(auto) with_axis_last(const X& x) {
  if constexpr (A == rank_of<X> - 1) return (x);
  else return axis_last<A>(x, make_index_sequence<rank_of<X>>{});
}
/// The same undone.
template <int A, class X>
constexpr decltype(auto) with_axis_back(const X& x) {
  if constexpr (A == rank_of<X> - 1) return (x);
  else return axis_back<A>(x, make_index_sequence<rank_of<X>>{});
}

/// Zeros of either sign as one, where elements keep the order in which they are.
template <bool Places, class X>
constexpr auto keys_of(const X& x) {
  using T = value_t<X>;
  if constexpr (Places && floating_point<T>) return map<op::sort_key>(where(x == 0, 0, x));
  else return map<op::sort_key>(x);
}
/// The keys of x along axis A in memory of their own, by one kernel. Places: they are sorted with their places.
template <bool Places, bool Descending, int A, class X, class = maker>
auto new_keys(const X& x) {
  using keys = array<key_of<value_t<X>>, rank_of<X>, result_space<X>>;
  if constexpr (Descending) return keys(bitwise_invert(keys_of<Places>(with_axis_last<A>(x))));
  else return keys(keys_of<Places>(with_axis_last<A>(x)));
}
/// The elements of type T whose keys they are.
template <class T, bool Descending, class K>
constexpr auto elements_of(const K& keys) {
  const auto like = full(shape<0>{}, T(0));
  if constexpr (Descending) return map<op::from_sort_key>(bitwise_invert(keys), like);
  else return map<op::from_sort_key>(keys, like);
}
template <class K, int R, class Space>
key_rows rows_in(array<K, R, Space>& keys) {
  const index_t n = keys.shape()[R - 1];
  return {int(sizeof(K)), n > 0 ? keys.size() / n : 0, n, keys.size() > 0 ? keys.data() : nullptr};
}
/// The same, of elements of type T, so that zeros of either sign are one.
template <class T, bool Descending, class K, int R, class Space>
key_rows rows_with_zeros(array<K, R, Space>& keys) {
  key_rows rows = rows_in(keys);
  if constexpr (floating_point<T>) {
    const auto plus = top_of<T>, minus = static_cast<key_of<T>>(~plus);
    rows.minus_zero = Descending ? plus : minus;
    rows.zero = Descending ? minus : plus;
  }
  return rows;
}
/// s with another last extent.
template <int R>
constexpr shape<R> with_length(shape<R> s, index_t n) {
  s[R - 1] = n;
  return s;
}
/// All elements in row-major order.
template <class X>
auto in_a_row(const X& x) {
  return over(gather_detail::in_sequence(x.tree), x);
}
/// An array of the expression, itself if it is one.
template <int A, class T, int R, class Space, class = maker>
auto result_of(array<T, R, Space>&& a) {
  if constexpr (A == R - 1) return static_cast<array<T, R, Space>&&>(a);
  else return array<T, R, Space>(with_axis_back<A>(a));
}

/// What is in force while a function runs: where it was called, and the GPU of its operands.
template <class Space>
struct call_scope {
  asked_at at;
  memory_detail::device_scope<Space> device;
  template <class X>
  call_scope(const X& x, caller where) : at(where), device(array_detail::device_of(x)) {
    record_detail::refuse_computing("a function of sorting");
  }
};

}  // namespace sort_detail

}  // namespace lazyfuse
