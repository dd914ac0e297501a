// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's metaprogramming, all of it: lists of types, lists of integers, packs of values.
// Packs are base classes, never tuples: nvcc compiles them about seven times faster.
#pragma once

#include <lazyfuse/core/macros.hpp>

namespace lazyfuse {

/// A list of types.
template <class... T>
struct list {
  static constexpr int size = sizeof...(T);
};

/// A list of integers.
template <int... I>
struct index_sequence {
  static constexpr int size = sizeof...(I);
  static constexpr int at(int position) {
    const int values[] = {I..., 0};
    return values[position];
  }
};

namespace pack_detail {
template <class A, class B>
struct shifted;
template <int... I, int... J>
struct shifted<index_sequence<I...>, index_sequence<J...>> {
  using type = index_sequence<I..., int(sizeof...(I)) + J...>;
};
template <int N>
struct iota : shifted<typename iota<N / 2>::type, typename iota<N - N / 2>::type> {};
template <>
struct iota<0> {
  using type = index_sequence<>;
};
template <>
struct iota<1> {
  using type = index_sequence<0>;
};

template <class... L>
struct concat {
  using type = list<>;
};
template <class... A>
struct concat<list<A...>> {
  using type = list<A...>;
};
template <class... A, class... B, class... L>
struct concat<list<A...>, list<B...>, L...> : concat<list<A..., B...>, L...> {};

template <class T>
struct tag {};
template <class L>
struct inherit;
template <class... T>
struct inherit<list<T...>> : tag<T>... {};

template <int I, class T>
struct at_index {
  using type = T;
};
template <class Seq, class... T>
struct indexed;
template <int... I, class... T>
struct indexed<index_sequence<I...>, T...> : at_index<I, T>... {};
template <int I, class T>
at_index<I, T> pick(const at_index<I, T>*);
}  // namespace pack_detail

/// 0, 1, ..., N - 1.
template <int N>
using make_index_sequence = typename pack_detail::iota<N>::type;

/// One list after the other.
template <class... L>
using concat_t = typename pack_detail::concat<L...>::type;

/// List L and behind it T, always or on a condition.
template <class L, class T>
struct appended;
template <class... Ts, class T>
struct appended<list<Ts...>, T> {
  using type = list<Ts..., T>;
};
template <bool When, class L, class T>
struct appended_if {
  using type = L;
};
template <class L, class T>
struct appended_if<true, L, T> : appended<L, T> {};

/// Whether the distinct types of list L include T.
template <class T, class L>
inline constexpr bool contains = __is_base_of(pack_detail::tag<T>, pack_detail::inherit<L>);

/// The I-th type of a pack.
template <int I, class... T>
using type_at = typename decltype(pack_detail::pick<I>(
    static_cast<pack_detail::indexed<make_index_sequence<sizeof...(T)>, T...>*>(nullptr)))::type;

/// Tells types apart by its address, in constant expressions: work on values makes fewer and shorter types than work on
/// types.
template <class T>
inline constexpr char identity_of = 0;

/// One numbered value of a pack.
template <int I, class T>
struct element {
  T value;
};

/// Values of several types, numbered by Seq.
template <class Seq, class... T>
struct numbered;
template <int... I, class... T>
struct numbered<index_sequence<I...>, T...> : element<I, T>... {};

/// Values of several types, reached by number: get<I>(p).
template <class... T>
using pack = numbered<make_index_sequence<sizeof...(T)>, T...>;

template <int I, class T>
LAZYFUSE_HD constexpr const T& get(const element<I, T>& e) {
  return e.value;
}
template <int I, class T>
LAZYFUSE_HD constexpr T& get(element<I, T>& e) {
  return e.value;
}

}  // namespace lazyfuse
