// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short vectors as elements: pixels, points, velocities. The operations on them are those on their components
// (op/compute.hpp, op/lifted.hpp); here is only what holds them.
#pragma once

#include <lazyfuse/core/short_vector.hpp>

namespace lazyfuse {

namespace vec_detail {
/// What lets a whole vector be read at once, where it can be: the layout of CUDA's float4, uchar4, ...
constexpr int alignment(int bytes, int of_component) {
  return (bytes & (bytes - 1)) == 0 ? (bytes < 16 ? bytes : 16) : of_component;
}
/// Whether a component of type T is made of a U without a word.
template <class T, class U>
concept takes = requires(U u) {
  static_cast<T>(u);
}
&&!(integer<T> && (standard::is_floating_point_v<U> || small_real<U>)) && (complex_number<T> || !complex_number<U>);
}  // namespace vec_detail

/// N numbers of type T as one element of an array, side by side in memory. Operations on arrays of them work component
/// by component: `pixels * 0.5f`, `positions + dt * velocities`. Those of two vectors are for functions that are
/// given to map and reduce.
template <class T, int N>
struct alignas(vec_detail::alignment(N * sizeof(T), alignof(T))) vec {
  static_assert(element_type<T> && vec_detail::size<T> == 0 && N > 0,
                "lazyfuse: vec<T, N> has N numbers, or bools, as components");
  using value_type = T;
  static constexpr int size = N;

  T data[N];

  vec() = default;
  /// All components the same.
  template <class U>
    requires(vec_detail::takes<T, U>)
  LAZYFUSE_HD constexpr explicit vec(U each) : data{} {
    for (int k = 0; k < N; ++k) data[k] = static_cast<T>(each);
  }
  /// These components; integers are not made of floating-point numbers.
  template <class... U>
    requires(N > 1 && sizeof...(U) == N && (vec_detail::takes<T, U> && ...))
  LAZYFUSE_HD constexpr vec(U... components) : data{static_cast<T>(components)...} {}
  /// The components of another, converted.
  template <class U>
  LAZYFUSE_HD constexpr explicit vec(const vec<U, N>& x) : data{} {
    for (int k = 0; k < N; ++k) data[k] = static_cast<T>(x[k]);
  }

  LAZYFUSE_HD constexpr T& operator[](int k) { return data[k]; }
  LAZYFUSE_HD constexpr const T& operator[](int k) const { return data[k]; }
  LAZYFUSE_HD friend constexpr vec operator+(const vec& x, const vec& y) {
    return of([&](int k) { return x[k] + y[k]; });
  }
  LAZYFUSE_HD friend constexpr vec operator-(const vec& x, const vec& y) {
    return of([&](int k) { return x[k] - y[k]; });
  }
  LAZYFUSE_HD friend constexpr vec operator*(const vec& x, const vec& y) {
    return of([&](int k) { return x[k] * y[k]; });
  }
  LAZYFUSE_HD friend constexpr vec operator/(const vec& x, const vec& y) {
    return of([&](int k) { return x[k] / y[k]; });
  }
  LAZYFUSE_HD friend constexpr vec operator*(const vec& x, T y) { return x * vec(y); }
  LAZYFUSE_HD friend constexpr vec operator*(T x, const vec& y) { return vec(x) * y; }
  LAZYFUSE_HD friend constexpr vec operator/(const vec& x, T y) { return x / vec(y); }
  LAZYFUSE_HD friend constexpr vec operator-(const vec& x) { return vec(T(0)) - x; }
  LAZYFUSE_HD friend constexpr bool operator==(const vec& x, const vec& y) {
    bool same = true;
    for (int k = 0; k < N; ++k) same = same && x[k] == y[k];
    return same;
  }

 private:
  template <class F>
  LAZYFUSE_HD static constexpr vec of(const F& f) {
    vec all(T(0));
    for (int k = 0; k < N; ++k) all.data[k] = static_cast<T>(f(k));
    return all;
  }
};
template <class... T>
  requires(sizeof...(T) > 1)
vec(T...)
->vec<standard::common_type_t<T...>, sizeof...(T)>;

template <class T, int N>
inline constexpr dtype dtype_of<vec<T, N>> = types_detail::vector_of(dtype_of<T>, N);

}  // namespace lazyfuse
