// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions without arrays: constants of a shape, arange, linspace. They allocate nothing. What is made of positions:
// grid.hpp; random numbers: random.hpp.
#pragma once

#include <lazyfuse/core/promotion.hpp>
#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/expr/reshape.hpp>

namespace lazyfuse {

namespace create_detail {
/// T, or the element type of a value.
template <class T, class V>
struct element_of_value {
  using type = T;
};
template <scalar V>
struct element_of_value<void, V> {
  using type = like_t<V, scalar_element_t<component_t<V>>>;
};
}  // namespace create_detail

/// An expression of shape s that is value everywhere, of its element type, or of T: full<uint8>({3, 4}, 255). Throws
/// shape_error if an extent is negative, dtype_error if the value does not fit integers T. \numpy{full}
template <class T = void, int R, class V = T, class E = typename create_detail::element_of_value<T, V>::type>
  requires arithmetic_element<E>
constexpr auto full(const shape<R>& s, const V& value) {
  if constexpr (scalar<V>) return over(tree::constant_leaf(leaf_detail::element<E>(value, "full"), checked(s, "full")));
  else return over(tree::constant_leaf(static_cast<E>(value), checked(s, "full")));
}
/// full({3, 4}, value)
template <class T = void, int R, class V = T, class E = typename create_detail::element_of_value<T, V>::type>
  requires arithmetic_element<E>
constexpr auto full(const index_t (&extents)[R], const V& value) {
  return full<E>(view_detail::shape_from(extents), value);
}
namespace create_detail {
template <class T, class... N>
constexpr auto extents_as_numbers() {
  static_assert(sizeof...(N) == 0, "lazyfuse: extents are a list: zeros({3, 4}), ones<float>({10}), full({10}, 0.5)");
  return full(shape<int(sizeof...(N))>{}, T(0));
}
}  // namespace create_detail
template <integer N, scalar V>
constexpr auto full(N, const V&) {
  return create_detail::extents_as_numbers<V, N>();
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
template <arithmetic_element T = double, integer... N>
  requires(sizeof...(N) > 0)
constexpr auto zeros(N...) { return create_detail::extents_as_numbers<T, N...>(); }
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
template <arithmetic_element T = double, integer... N>
  requires(sizeof...(N) > 0)
constexpr auto ones(N...) { return create_detail::extents_as_numbers<T, N...>(); }

namespace create_detail {
template <class T>
constexpr auto counted(T start, T step, T stop, index_t n, bool exact_end) {
  return over(tree::leaf<ir::ramp<T>, 1>({start, step, stop, {}, exact_end ? n - 1 : -1}, shape<1>{n}, {{1}}));
}

/// An argument of a sequence of T as a number; what is none is converted to T.
template <class T, class A>
constexpr auto argument(const A& a) {
  if constexpr (small_real<A>) return static_cast<float>(a);
  else if constexpr (std::is_arithmetic_v<A>) return static_cast<scalar_element_t<A>>(a);
  else return static_cast<T>(a);
}
/// T, or where the arguments meet.
template <class T, class... A>
struct element_of_sequence {
  using type = T;
};
template <class... A>
struct element_of_sequence<void, A...> : rule_detail::common<weak<scalar_element_t<A>>...> {};
template <class T, class... A>
using sequence_element = typename element_of_sequence<T, A...>::type;

/// start, start + step, ... below stop: by how many steps of what size, upwards or downwards.
struct steps_between {
  uint64 count, by;
  bool up;
};
template <integer A, integer B>
constexpr bool below(A a, B b) {
  const bool negative = leaf_detail::is_negative(a);
  if (negative != leaf_detail::is_negative(b)) return negative;
  return static_cast<uint64>(a) < static_cast<uint64>(b);  // of one sign, the order of their bits
}
/// Exactly.
template <integer A, integer B, integer C>
constexpr steps_between steps_of(A start, B stop, C step) {
  const bool up = !leaf_detail::is_negative(step);
  const uint64 from = static_cast<uint64>(start), to = static_cast<uint64>(stop), by = static_cast<uint64>(step);
  if (up ? !below(start, stop) : !below(stop, start)) return {0, 1, up};
  const uint64 distance = up ? to - from : from - to;
  if (leaf_detail::is_negative(start) != leaf_detail::is_negative(stop) && distance < (up ? to : from))
    throw_value("arange: start and stop are 2^64 apart, or more");
  const uint64 size = up ? by : 0 - by;
  return {(distance - 1) / size + 1, size, up};
}
/// The number of elements from start to stop, as NumPy computes it; as many as index_t holds at most.
constexpr index_t count_of(double start, double stop, double step) {
  const double count = (stop - start) / step;
  if (count != count) throw_value("arange: (stop - start) / step, the number of elements, is NaN");
  if (count == 0 && start != stop) return (start < stop) == (step > 0);  // a step that is infinite, say
  if (!(count > 0)) return 0;
  constexpr index_t most = std::numeric_limits<index_t>::max();
  if (count >= static_cast<double>(most)) return most;
  const index_t n = static_cast<index_t>(count);
  return n + (static_cast<double>(n) < count);
}
/// A real number truncated to an integer of type T, or dtype_error.
template <integer T>
constexpr T truncated(double x, const char* operation) {
  constexpr int bits = std::numeric_limits<T>::digits;
  constexpr double beyond = 2.0 * static_cast<double>(uint64{1} << (bits - 1)), low = signed_integer<T> ? -beyond : 0;
  if (!(x < beyond && (x >= low || x > low - 1))) throw_unfit(operation, dtype_of<T>);
  return static_cast<T>(x);
}
/// Whether start and as many further steps are all of type T.
template <integer T>
constexpr bool reaches(T start, const steps_between& s) {
  constexpr T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  const uint64 from = static_cast<uint64>(start);
  const uint64 room = s.up ? static_cast<uint64>(high) - from : from - static_cast<uint64>(low);
  return s.count <= 1 || s.count - 1 <= room / s.by;
}
template <class T>
constexpr auto sequence(T start, T step, index_t n, const char* operation) {
  return counted<T>(start, step, T(0), checked(shape<1>{n}, operation)[0], false);
}
template <class T, class A, class B, class C>
constexpr auto progression(A start, B stop, C step, const char* operation) {
  if (step == 0) throw_value("arange: the step is zero");
  constexpr index_t most = std::numeric_limits<index_t>::max();
  if constexpr (integer<A> && integer<B> && integer<C>) {
    const steps_between s = steps_of(start, stop, step);
    if constexpr (integer<T>) {
      const bool fits = s.count == 0 || (leaf_detail::fits<T>(start) && reaches(static_cast<T>(start), s));
      if (!fits) throw_unfit(operation, dtype_of<T>);
    }
    const index_t n = s.count < static_cast<uint64>(most) ? static_cast<index_t>(s.count) : most;
    return sequence(static_cast<T>(start), static_cast<T>(step), n, operation);
  } else {
    const double from = static_cast<double>(start), by = static_cast<double>(step);
    const index_t n = count_of(from, static_cast<double>(stop), by);
    if constexpr (integer<T>) {
      const T first = n > 0 ? truncated<T>(from, operation) : T(0);
      const T second = n > 1 ? truncated<T>(from + by, operation) : first;
      const bool up = second > first;
      const uint64 distance = static_cast<uint64>(second) - static_cast<uint64>(first);
      if (first != second && !reaches(first, {static_cast<uint64>(n), up ? distance : 0 - distance, up}))
        throw_unfit(operation, dtype_of<T>);
      return sequence(first, static_cast<T>(distance), n, operation);
    } else return sequence(static_cast<T>(start), n > 1 ? static_cast<T>(step) : T(0), n, operation);
  }
}
}  // namespace create_detail

/// start, start + step, ... below stop (above it for a negative step): rank 1, of type T: an integer type, float or
/// double; if none is named, the type in which the arguments meet as in C++. How many there are is exact for integers,
/// and computed in double else. Elements are start + i * step; those of integers from real numbers are NumPy's: the
/// first two are truncated, and the others follow at their distance. Throws index_error if the step is zero or the
/// number of elements is NaN, dtype_error if an element does not fit T. \numpy{arange}
template <class T = void, class A, class B, class C>
constexpr auto arange(A start, B stop, C step) {
  using E = create_detail::sequence_element<T, A, B, C>;
  constexpr bool known = integer<E> || real_number<E>;
  static_assert(known, "lazyfuse: arange makes integers, float or double, as in arange<float>(0, 10)");
  if constexpr (known)
    return create_detail::progression<E>(create_detail::argument<E>(start), create_detail::argument<E>(stop),
                                         create_detail::argument<E>(step), "arange");
}
/// start, start + 1, ... below stop.
template <class T = void, class A, class B>
constexpr auto arange(A start, B stop) {
  return arange<create_detail::sequence_element<T, A, B>>(start, stop, 1);
}
/// 0, 1, ... below stop.
template <class T = void, class A>
constexpr auto arange(A stop) {
  return arange<create_detail::sequence_element<T, A>>(0, stop, 1);
}

namespace create_detail {
/// The floating-point type between two bounds: T if it was named, else theirs, or double for integers.
template <class T, class A, class B>
constexpr auto between(A start, B stop) {
  if constexpr (!__is_same(T, void)) return T{};
  else if constexpr (std::is_integral_v<decltype(start + stop)>) return 0.0;
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
  using E = std::conditional_t<__is_same(T, void), value_t<X>, T>;
  return zeros<E>(x.shape());
}
/// The same of ones. \numpy{ones_like}
template <class T = void, class X>
  requires expression<X>
constexpr auto ones_like(const X& x) {
  using E = std::conditional_t<__is_same(T, void), value_t<X>, T>;
  return ones<E>(x.shape());
}
/// The same of a value, which is converted to the element type. \numpy{full_like}
template <class T = void, class X, class V>
  requires(expression<X>&& scalar<V>)
constexpr auto full_like(const X& x, V value) {
  using E = std::conditional_t<__is_same(T, void), value_t<X>, T>;
  return full(x.shape(), leaf_detail::element<E>(value, "full_like"));
}

}  // namespace lazyfuse
