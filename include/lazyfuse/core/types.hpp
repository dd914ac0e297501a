// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and how they are called. How two of them meet is in core/promotion.hpp: kernels do not ask.
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
template <class T>
struct part {
  using type = T;
};
template <class T>
struct part<complex<T>> {
  using type = T;
};
}  // namespace types_detail

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
