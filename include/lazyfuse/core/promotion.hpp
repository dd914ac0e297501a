// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How two element types meet: NumPy's promotion. It is asked when expressions are made.
#pragma once

#include <lazyfuse/core/types.hpp>
#include <lazyfuse/core/vec.hpp>

namespace lazyfuse {

namespace types_detail {
struct no_common_type {};

/// The integer of that many bytes.
template <int Bytes, bool Signed>
constexpr auto integer_of() {
  if constexpr (Bytes == 1) return standard::conditional_t<Signed, int8, uint8>{};
  else if constexpr (Bytes == 2) return standard::conditional_t<Signed, int16, uint16>{};
  else if constexpr (Bytes == 4) return standard::conditional_t<Signed, int32, uint32>{};
  else return standard::conditional_t<Signed, int64, uint64>{};
}
/// The least floating-point type that holds every A: half up to 8 bits, float up to 16, else double.
template <class A>
constexpr auto floating_for() {
  if constexpr (floating_point<A>) return A{};
  else if constexpr (sizeof(A) == 1) return half{};
  else if constexpr (sizeof(A) == 2) return float{};
  else return double{};
}
/// The precision that a number has, or needs, as the part of a complex one.
template <class A>
constexpr auto part_for() {
  if constexpr (complex_number<A>) return typename A::value_type{};
  else if constexpr (integer<A>) return standard::conditional_t<(sizeof(A) <= 2), float, double>{};
  else return standard::conditional_t<small_real<A>, float, A>{};
}

template <class A, class B>
constexpr auto promote() {
  if constexpr (standard::is_same_v<A, B>) return A{};
  else if constexpr (boolean<A> || boolean<B>) return no_common_type{};
  else if constexpr (integer<A> && integer<B>) {
    if constexpr (signed_integer<A> == signed_integer<B>)
      return standard::conditional_t<(sizeof(A) > sizeof(B)), A, B>{};
    else {
      constexpr int of_signed = signed_integer<A> ? sizeof(A) : sizeof(B),
                    of_unsigned = signed_integer<A> ? sizeof(B) : sizeof(A);
      if constexpr (of_unsigned == 8) return no_common_type{};  // NumPy's double holds neither
      else return integer_of<(of_signed > of_unsigned ? of_signed : 2 * of_unsigned), true>();
    }
  } else if constexpr (complex_number<A> || complex_number<B>)
    return complex<decltype(promote<decltype(part_for<A>()), decltype(part_for<B>())>())>{};
  else if constexpr (integer<A> && standard::is_same_v<B, bfloat16>) return promote<B, A>();
  else if constexpr (standard::is_same_v<A, bfloat16> && integer<B>) {
    if constexpr (sizeof(B) == 1) return A{};
    else return floating_for<B>();
  } else if constexpr (small_real<A> && small_real<B>) return float{};
  else if constexpr (integer<A> || integer<B>)
    return promote<decltype(floating_for<A>()), decltype(floating_for<B>())>();
  else return standard::conditional_t<(sizeof(A) > sizeof(B)), A, B>{};
}
/// The element type that holds every value of a C++ scalar A: of long long int64, of long double double.
template <class A>
constexpr auto element_of_scalar() {
  if constexpr (arithmetic_type<A>) return A{};
  else if constexpr (standard::is_integral_v<A>) return integer_of<sizeof(A), standard::is_signed_v<A>>();
  else if constexpr (standard::is_floating_point_v<A>) return double{};
  else if constexpr (requires { typename A::value_type; }) return complex<typename A::value_type>{};
  else return no_common_type{};
}
/// Where two C++ scalars meet: in the type of both; else as in C++, where any real type wins over integers.
template <class A, class B>
constexpr auto meet_as_scalars() {
  if constexpr (standard::is_same_v<A, B>) return A{};
  else if constexpr (boolean<A> || boolean<B>) return no_common_type{};
  else if constexpr (integer<A> && integer<B>) return element_of_scalar<decltype(A{} + B{})>();
  else if constexpr (complex_number<A> && integer<B>) return A{};
  else if constexpr (complex_number<B> && integer<A>) return B{};
  else if constexpr (integer<A>) return B{};
  else if constexpr (integer<B>) return A{};
  else return promote<A, B>();
}
template <class... T>
struct promoted;
template <class A>
struct promoted<A> {
  using type = A;
};
template <class A, class B>
struct promoted<A, B> {
  using type = no_common_type;
};
template <arithmetic_type A, arithmetic_type B>
struct promoted<A, B> {
  using type = decltype(promote<A, B>());
};
template <class A>
struct promoted<A, A> {
  using type = A;
};
template <arithmetic_type A>
struct promoted<A, A> {
  using type = A;
};
template <class A, class B, class C, class... D>
struct promoted<A, B, C, D...> : promoted<typename promoted<A, B>::type, C, D...> {};
}  // namespace types_detail

/// The type in which elements of these types meet; no_common_type for bool with a number and int64 with uint64.
template <class... T>
using promoted_t = typename types_detail::promoted<T...>::type;

/// Whether elements of these types meet at all.
template <class... T>
concept have_common_type = !standard::is_same_v<promoted_t<T...>, types_detail::no_common_type>;

namespace types_detail {
template <class A, class B>
inline constexpr bool widens = standard::is_same_v<A, B>;
template <arithmetic_type A, arithmetic_type B>
inline constexpr bool widens<A, B> = standard::is_same_v<promoted_t<A, B>, B>;
}  // namespace types_detail

/// Whether every A is also a B: what an assignment converts implicitly.
template <class A, class B>
concept widens_to = types_detail::widens<A, B>;

template <class A, class B, int N>
inline constexpr bool types_detail::widens<vec<A, N>, vec<B, N>> = widens_to<A, B>;

/// The element type of a C++ scalar: its own, or the one of its kind and size where arrays have none such.
template <class A>
using scalar_element_t = decltype(types_detail::element_of_scalar<A>());

}  // namespace lazyfuse
