// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short vectors taken apart and put together.
#pragma once

#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// Component K of a vec.
template <int K>
struct component : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "component";
  template <class T, int N>
  LAZYFUSE_HD constexpr T operator()(const vec<T, N>& x) const {
    return x[K];
  }
};

/// The vec of these components.
struct vec_of : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "vec_of";
  template <arithmetic_type... T>
  LAZYFUSE_HD constexpr auto operator()(T... x) const {
    return vec<common_t<T...>, int(sizeof...(T))>(x...);
  }
};

}  // namespace op

namespace components_detail {
template <class X>
struct element {
  using type = X;
};
template <expression X>
struct element<X> {
  using type = typename X::value_type;
};
}  // namespace components_detail

/// Component K of every element of x, whose elements are vec<T, N>: an expression of elements T. `component<0>(pixels)`
/// is the first colour of an image, of the image's shape.
template <int K, class X>
  requires operands<X>
constexpr auto component(X&& x) {
  constexpr bool exists = K >= 0 && K < vec_detail::size<typename bare_t<X>::value_type>;
  static_assert(exists, "lazyfuse: component<K>(x) needs elements vec<T, N> and K from 0 to N - 1");
  if constexpr (exists) return map<op::component<K>>(static_cast<X&&>(x));
  else return bare_t<X>(static_cast<X&&>(x));
}
/// The elements of x, ..., numbers, side by side as vec<T, N>, T being the type they meet in; shapes are broadcast.
/// What component() takes apart.
template <class... X>
  requires(sizeof...(X) > 1 && operands<X...>)
constexpr auto vec_of(X&&... x) {
  constexpr bool numbers = !(short_vector<typename components_detail::element<bare_t<X>>::type> || ...);
  static_assert(numbers, "lazyfuse: vec_of combines numbers; take vectors apart with component<K>(x) first");
  if constexpr (numbers) return map<op::vec_of>(static_cast<X&&>(x)...);
}

}  // namespace lazyfuse
