// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation meets elements that its scalar function is not written for: what is stored as half or bfloat16 is
// computed in float and rounded once, and short vectors are computed component by component. The one place that knows.
#pragma once

#include <lazyfuse/core/pack.hpp>
#include <lazyfuse/core/short_vector.hpp>

namespace lazyfuse {

namespace compute_detail {
template <class T>
LAZYFUSE_HD constexpr decltype(auto) widened(const T& x) {
  if constexpr (small_real<T>) return static_cast<float>(x);
  else return (x);
}
/// The first 16-bit type among T...
template <class T, class... Rest>
struct first_small : first_small<Rest...> {};
template <small_real T, class... Rest>
struct first_small<T, Rest...> {
  using type = T;
};
/// Of the vectors among T...
template <class T, class... Rest>
inline constexpr int length = vec_detail::size<T> > 0 ? vec_detail::size<T> : length<Rest...>;
template <class T>
inline constexpr int length<T> = vec_detail::size<T>;
template <class Op, int... K, class... T>
LAZYFUSE_HD constexpr auto by_components(index_sequence<K...>, const T&... x);
}  // namespace compute_detail

/// Op of these elements. An operation that takes 16-bit elements, or vectors, as they are is left to do so.
template <class Op, class... T>
LAZYFUSE_HD constexpr auto compute(const T&... x) {
  if constexpr (!((small_real<T> || short_vector<T>) || ...)) return Op{}(x...);
  else if constexpr (requires { Op{}(x...); }) return Op{}(x...);
  else if constexpr ((short_vector<T> || ...)) {
    return compute_detail::by_components<Op>(make_index_sequence<compute_detail::length<T...>>{}, x...);
  } else {
    const auto value = Op{}(compute_detail::widened(x)...);
    if constexpr (standard::is_same_v<decltype(value), const float>)
      return static_cast<typename compute_detail::first_small<T...>::type>(value);
    else return value;
  }
}
namespace compute_detail {
template <class Op, class... T>
LAZYFUSE_HD constexpr auto at_component(int k, const T&... x) {
  return compute<Op>(component_of(x, k)...);
}
template <class Op, int... K, class... T>
LAZYFUSE_HD constexpr auto by_components(index_sequence<K...>, const T&... x) {
  return vec<decltype(at_component<Op>(0, x...)), sizeof...(K)>(at_component<Op>(K, x...)...);
}
}  // namespace compute_detail

/// The type of that.
template <class Op, class... T>
using computed_t = decltype(compute<Op>(standard::declval<const T&>()...));

}  // namespace lazyfuse
