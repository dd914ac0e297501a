// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, how two of them meet (NumPy's promotion) and how they are called.
#pragma once

#include <lazyfuse/core/complex.hpp>
#include <lazyfuse/core/half.hpp>
#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/standard.hpp>

namespace lazyfuse {

/// Integers of 8 bits; with int16, int32, int64 and uint8 to uint64 the integers of arrays. They wrap around.
using int8 = standard::int8_t;
using int16 = standard::int16_t;
using int32 = standard::int32_t;
using int64 = standard::int64_t;
using uint8 = standard::uint8_t;
using uint16 = standard::uint16_t;
using uint32 = standard::uint32_t;
using uint64 = standard::uint64_t;

/// Anything an array can hold; operations other than map and where ask for a number.
template <class T>
concept element_type = standard::is_trivially_copyable_v<T> && !standard::is_const_v<T>;

namespace types_detail {
template <class T, class... U>
inline constexpr bool one_of = (standard::is_same_v<T, U> || ...);
}  // namespace types_detail

/// bool.
template <class T>
concept boolean = standard::is_same_v<T, bool>;
/// int8 to int64.
template <class T>
concept signed_integer = types_detail::one_of<T, int8, int16, int32, int64>;
/// uint8 to uint64.
template <class T>
concept unsigned_integer = types_detail::one_of<T, uint8, uint16, uint32, uint64>;
/// int8 to int64 and uint8 to uint64.
template <class T>
concept integer = signed_integer<T> || unsigned_integer<T>;
/// float and double: what real arithmetic is computed in.
template <class T>
concept real_number = standard::is_same_v<T, float> || standard::is_same_v<T, double>;
/// half and bfloat16: stored in 16 bits, computed in float.
template <class T>
concept small_real = standard::is_same_v<T, half> || standard::is_same_v<T, bfloat16>;
/// half, bfloat16, float and double.
template <class T>
concept floating_point = real_number<T> || small_real<T>;
/// complex<float> and complex<double>.
template <class T>
concept complex_number = standard::is_same_v<T, complex<float>> || standard::is_same_v<T, complex<double>>;
/// What scalar functions are written for.
template <class T>
concept number = integer<T> || real_number<T> || complex_number<T>;
/// Those and bool.
template <class T>
concept computable = number<T> || boolean<T>;
/// The element types that operations know: bool, integers, floating point, complex.
template <class T>
concept arithmetic_type = computable<T> || small_real<T>;

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

template <class T>
struct part {
  using type = T;
};
template <class T>
struct part<complex<T>> {
  using type = T;
};
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

/// The element type of a C++ scalar: its own, or the one of its kind and size where arrays have none such.
template <class A>
using scalar_element_t = decltype(types_detail::element_of_scalar<A>());

/// The type of the real part of complex numbers, the type itself for the rest.
template <class T>
using part_t = typename types_detail::part<T>::type;

/// int64 for bool and integers, uint64 for unsigned ones, float for 16-bit reals, the type itself for the rest: what
/// sums are kept in.
template <class T>
using accumulator_t = standard::conditional_t<
    unsigned_integer<T>, uint64,
    standard::conditional_t<boolean<T> || integer<T>, int64, standard::conditional_t<small_real<T>, float, T>>>;

/// double for integers and bool, the type itself for the rest: what means and sines are computed in.
template <class T>
using floating_t = standard::conditional_t<boolean<T> || integer<T>, double, T>;

/// The element types that printing, files and explain know; anything else is "struct". Vectors of one of them count
/// their components in the upper byte.
enum class dtype : unsigned short {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  other
};

namespace types_detail {
template <class T, class... U>
constexpr dtype position() {
  const bool same[] = {standard::is_same_v<T, U>..., true};
  int i = 0;
  while (!same[i]) ++i;
  return static_cast<dtype>(i);
}
constexpr dtype vector_of(dtype type, int components) {
  return components < 256 ? static_cast<dtype>(static_cast<int>(type) | components << 8) : dtype::other;
}
constexpr dtype component_of(dtype type) { return static_cast<dtype>(static_cast<int>(type) & 0xff); }
constexpr int components_of(dtype type) { return static_cast<int>(type) >> 8; }
}  // namespace types_detail

/// The name of an element type as a value.
template <class T>
inline constexpr dtype dtype_of =
    types_detail::position<T, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, half, bfloat16, float,
                           double, complex<float>, complex<double>>();

/// NumPy's name: "float32", "vec<float32, 3>"; "struct" of others.
const char* name_of(dtype type);

}  // namespace lazyfuse
