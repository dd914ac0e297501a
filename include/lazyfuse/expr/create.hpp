// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions without arrays: constants of a shape, arange, linspace. They allocate nothing. What is made of positions:
// grid.hpp; random numbers: random.hpp.
#pragma once

#include <lazyfuse/expr/reshape.hpp>

namespace lazyfuse {

/// An expression of shape s that is value everywhere, of its element type. Throws shape_error if an extent is negative.
/// \numpy{full}
template <arithmetic_element T, int R>
constexpr auto full(const shape<R>& s, T value) {
  return over(constant_leaf(value, checked(s, "full")));
}
/// full({3, 4}, value)
template <arithmetic_element T, int R>
constexpr auto full(const index_t (&extents)[R], T value) {
  return full(view_detail::shape_from(extents), value);
}
/// Zeros of element type T and shape s. Throws shape_error if an extent is negative. \numpy{zeros}
template <arithmetic_element T = double, int R>
constexpr auto zeros(const shape<R>& s) {
  return full(s, T(0));
}
/// zeros<float>({3, 4})
template <arithmetic_element T = double, int R>
constexpr auto zeros(const index_t (&extents)[R]) {
  return full(view_detail::shape_from(extents), T(0));
}
/// Ones, as zeros. \numpy{ones}
template <arithmetic_element T = double, int R>
constexpr auto ones(const shape<R>& s) {
  return full(s, T(1));
}
/// ones<float>({3, 4})
template <arithmetic_element T = double, int R>
constexpr auto ones(const index_t (&extents)[R]) {
  return full(view_detail::shape_from(extents), T(1));
}

namespace create_detail {
template <class T>
constexpr auto counted(T start, T step, T stop, index_t n, bool exact_end) {
  return over(leaf<ramp<T>, 1>({start, step, stop, exact_end ? n - 1 : -1}, shape<1>{n}, {{1}}));
}
}  // namespace create_detail

/// start, start + step, ... below stop (above it for a negative step): rank 1, of type T. Elements are start + i *
/// step. Throws index_error if the step is zero. \numpy{arange}
template <number T>
constexpr auto arange(T start, T stop, T step = 1) {
  if (step == 0) throw_value("arange: the step is zero");
  const double count = (static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step);
  index_t n = count > 0 ? static_cast<index_t>(count) : 0;
  n += static_cast<double>(n) < count;
  return create_detail::counted<T>(start, step, T(0), n, false);
}
/// 0, 1, ... below stop.
template <number T>
constexpr auto arange(T stop) {
  return arange<T>(T(0), stop, T(1));
}

namespace create_detail {
/// The floating-point type between two bounds: T if it was named, else theirs, or double for integers.
template <class T, class A, class B>
constexpr auto between(A start, B stop) {
  if constexpr (!__is_same(T, void)) return T{};
  else if constexpr (::cuda::std::is_integral_v<decltype(start + stop)>) return 0.0;
  else return start + stop;
}
template <class T, class A, class B>
using between_t = decltype(between<T>(A{}, B{}));
}  // namespace create_detail

/// n evenly spaced values from start to stop, both exact: rank 1, of type T (float or double), or else of that of start
/// and stop, double for integers. Throws shape_error if n is negative. \numpy{linspace}
template <class T = void, class A, class B, class E = create_detail::between_t<T, A, B>>
  requires real_number<E>
constexpr auto linspace(A start, B stop, index_t n) {
  checked(shape<1>{n}, "linspace");
  const E first = static_cast<E>(start), last = static_cast<E>(stop);
  const E step = n > 1 ? (last - first) / static_cast<E>(n - 1) : E(0);
  return create_detail::counted<E>(first, step, last, n, n > 1);
}

/// Zeros of the shape of x, and of its element type unless another is named: zeros_like(x), zeros_like<int>(x). They
/// have no space of their own: with x they are evaluated in that of x, alone in the default one. \numpy{zeros_like}
template <class T = void, class X>
  requires expression<X>
constexpr auto zeros_like(const X& x) {
  using E = ::cuda::std::conditional_t<__is_same(T, void), value_t<X>, T>;
  return zeros<E>(x.shape());
}
/// The same of ones. \numpy{ones_like}
template <class T = void, class X>
  requires expression<X>
constexpr auto ones_like(const X& x) {
  using E = ::cuda::std::conditional_t<__is_same(T, void), value_t<X>, T>;
  return ones<E>(x.shape());
}
/// The same of a value, which is converted to the element type. \numpy{full_like}
template <class T = void, class X, class V>
  requires(expression<X>&& scalar<V>)
constexpr auto full_like(const X& x, V value) {
  using E = ::cuda::std::conditional_t<__is_same(T, void), value_t<X>, T>;
  return full(x.shape(), leaf_detail::element<E>(value, "full_like"));
}

}  // namespace lazyfuse
