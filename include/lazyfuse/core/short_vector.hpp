// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements are short vectors, for whoever treats them apart: most programs have none of core/vec.hpp.
#pragma once

#include <lazyfuse/core/types.hpp>

namespace lazyfuse {

template <class T, int N>
struct vec;

namespace vec_detail {
template <class T>
inline constexpr int size = 0;
template <class T, int N>
inline constexpr int size<vec<T, N>> = N;

template <class T>
struct component {
  using type = T;
};
template <class T, int N>
struct component<vec<T, N>> {
  using type = T;
};
/// T in the place of the components of V, if that is a vec; else T.
template <class V, class T>
struct like {
  using type = T;
};
template <class U, int N, class T>
struct like<vec<U, N>, T> {
  using type = vec<T, N>;
};
}  // namespace vec_detail

/// vec<T, N>.
template <class T>
concept short_vector = vec_detail::size<T>
!= 0;
/// What zeros are made of: numbers, bool, and vectors of them.
template <class T>
concept arithmetic_element = arithmetic_type<T> || short_vector<T>;

/// The type of the components of a vec, the type itself for the rest.
template <class T>
using component_t = typename vec_detail::component<T>::type;
/// vec<T, N> if V is a vec of N components, T for the rest.
template <class V, class T>
using like_t = typename vec_detail::like<V, T>::type;

/// Component k of a vec, the value itself for the rest.
template <class T>
LAZYFUSE_HD constexpr const auto& component_of(const T& x, int k) {
  if constexpr (short_vector<T>) return x.data[k];
  else return x;
}

}  // namespace lazyfuse
