// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What device code needs of the standard library: facts about types, and integers of known size. A compiler at run time
// has no headers of the standard, and those of cuda/std take it longer than all of lazyfuse: it gets a few of its own.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
namespace lazyfuse {
namespace standard = ::std;
}
#else
namespace lazyfuse::standard {

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using size_t = decltype(sizeof(0));

template <bool B>
struct bool_constant {
  static constexpr bool value = B;
};
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <bool B, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class T>
inline constexpr bool is_const_v = false;
template <class T>
inline constexpr bool is_const_v<const T> = true;
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);

/// What is known of an arithmetic type. U: of an integer, the unsigned one in its place. Enumerators, for the compiler
/// makes variables of the GPU of static members.
template <bool Integral, class T, class U = void>
struct arithmetic {
  enum : bool { integral = Integral, floating = !Integral, is_signed = Integral ? T(-1) < T(0) : true };
  using make_unsigned = U;
};
template <class T>
struct facts {
  enum : bool { integral = false, floating = false, is_signed = false };
};
template <class T>
struct facts<const T> : facts<T> {};
// clang-format off
template <> struct facts<bool> : arithmetic<true, bool> {};
template <> struct facts<char> : arithmetic<true, char, unsigned char> {};
template <> struct facts<signed char> : arithmetic<true, signed char, unsigned char> {};
template <> struct facts<unsigned char> : arithmetic<true, unsigned char, unsigned char> {};
template <> struct facts<short> : arithmetic<true, short, unsigned short> {};
template <> struct facts<unsigned short> : arithmetic<true, unsigned short, unsigned short> {};
template <> struct facts<int> : arithmetic<true, int, unsigned> {};
template <> struct facts<unsigned> : arithmetic<true, unsigned, unsigned> {};
template <> struct facts<long> : arithmetic<true, long, unsigned long> {};
template <> struct facts<unsigned long> : arithmetic<true, unsigned long, unsigned long> {};
template <> struct facts<long long> : arithmetic<true, long long, unsigned long long> {};
template <> struct facts<unsigned long long> : arithmetic<true, unsigned long long, unsigned long long> {};
template <> struct facts<float> : arithmetic<false, float> {};
template <> struct facts<double> : arithmetic<false, double> {};
// clang-format on
template <class T>
inline constexpr bool is_integral_v = facts<T>::integral;
template <class T>
inline constexpr bool is_floating_point_v = facts<T>::floating;
template <class T>
inline constexpr bool is_arithmetic_v = facts<T>::integral || facts<T>::floating;
template <class T>
inline constexpr bool is_signed_v = facts<T>::is_signed;
template <class T>
using make_unsigned_t = typename facts<T>::make_unsigned;

template <class T>
T&& declval() noexcept;
template <class A, class... B>
struct common {
  using type = A;
};
template <class A, class B, class... C>
struct common<A, B, C...> : common<decltype(true ? declval<A>() : declval<B>()), C...> {};
template <class... T>
using common_type_t = typename common<T...>::type;

template <class T>
struct numeric_limits {
  static constexpr T all_ones = static_cast<T>(~T(0));
  static constexpr bool is_signed = is_signed_v<T>;
  static constexpr T max() {
    if constexpr (is_signed) return static_cast<T>(static_cast<make_unsigned_t<T>>(all_ones) >> 1);
    else return all_ones;
  }
  static constexpr T lowest() { return is_signed ? static_cast<T>(-max() - 1) : T(0); }
};
template <>
struct numeric_limits<bool> {
  static constexpr bool max() { return true; }
  static constexpr bool lowest() { return false; }
};
template <>
struct numeric_limits<float> {
  static constexpr float max() { return 0x1.fffffep+127f; }
  static constexpr float lowest() { return -max(); }
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
};
template <>
struct numeric_limits<double> {
  static constexpr double max() { return 0x1.fffffffffffffp+1023; }
  static constexpr double lowest() { return -max(); }
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ul); }
};

}  // namespace lazyfuse::standard
#endif

namespace lazyfuse {

/// As constants: device code may read these where it may not call the functions.
template <class T>
inline constexpr T infinity_of = standard::numeric_limits<T>::infinity();
template <class T>
inline constexpr T lowest_of = standard::numeric_limits<T>::lowest();
template <class T>
inline constexpr T largest_of = standard::numeric_limits<T>::max();

}  // namespace lazyfuse
