// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers, neighbours and parts of floating-point numbers, and conversion.
#pragma once

#include <lazyfuse/core/floating.hpp>
#include <lazyfuse/core/math.hpp>
#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// The largest whole number not above x, in x's type.
struct floor : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "floor";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (real_number<T>) return math::floor(x);
    else return x;
  }
};

/// The smallest whole number not below x, in x's type.
struct ceil : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "ceil";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (real_number<T>) return math::ceil(x);
    else return x;
  }
};

/// x without its fraction, in x's type.
struct trunc : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "trunc";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (real_number<T>) return math::trunc(x);
    else return x;
  }
};

/// The nearest whole number, the even one of two, in x's type.
struct round : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "round";
  static constexpr const char* difference = "to whole numbers";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (real_number<T>) return math::rint(x);
    else return x;
  }
};

/// The magnitude of x with the sign of y, of zeros and NaN too.
struct copysign : exact_operation {
  using rule = rules::real_floating;
  static constexpr const char* name = "copysign";
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return math::copysign(x, y);
  }
  template <small_real T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    const auto sign = math::all_bits(y) ^ math::magnitude_bits(y);
    return __builtin_bit_cast(T, static_cast<math::bits_of<T>>(math::magnitude_bits(x) | sign));
  }
};

/// The number next to x in the direction of y, in x's type.
struct nextafter : exact_operation {
  using rule = rules::real_floating;
  static constexpr const char* name = "nextafter";
  static constexpr int cost = 8;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    return math::nextafter(x, y);
  }
  /// On the grid of the 16-bit type: its patterns are in order.
  template <small_real T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    const float from = x, to = y;
    if (from != from) return x;
    if (to != to || from == to) return y;
    T next = x;
    if (from == 0) next.bits = static_cast<standard::uint16_t>((to < 0 ? 0x8000u : 0u) | 1u);
    else next.bits = static_cast<standard::uint16_t>((from < to) == (from > 0) ? x.bits + 1 : x.bits - 1);
    return next;
  }
};

/// x times two to the power n, rounded once.
struct ldexp : exact_operation {
  using rule = rules::scaling;
  static constexpr const char* name = "ldexp";
  static constexpr int cost = 6;
  template <real_number T, integer N>
  LAZYFUSE_HD constexpr T operator()(T x, N by) const {
    constexpr int64 most = 5000;  // beyond, nothing changes
    int32 n = unsigned_integer<N> && static_cast<uint64>(by) > uint64{most} ? int32{most}
              : static_cast<int64>(by) > most                               ? int32{most}
              : static_cast<int64>(by) < -most                              ? -int32{most}
                                                                            : static_cast<int32>(by);
    // In steps that are exact until the last: a number is below 2^1024, and the smallest above 2^-1075.
    constexpr int span = sizeof(T) == 4 ? 126 : 1022;
    constexpr T up = sizeof(T) == 4 ? T(0x1p126) : T(0x1p1022), down = 1 / up;
    constexpr T down_exactly = down * (sizeof(T) == 4 ? T(0x1p24) : T(0x1p53));  // leaves room for the last rounding
    constexpr int exactly = span - (sizeof(T) == 4 ? 24 : 53);
    for (int k = 0; k < 3 && n > span; ++k, n -= span) x *= up;
    for (int k = 0; k < 3 && n < -span; ++k, n += exactly) x *= down_exactly;
    n = n > span ? span : n < -span ? -span : n;
    using bits = standard::conditional_t<sizeof(T) == 4, uint32, uint64>;
    constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
    return x * __builtin_bit_cast(T, static_cast<bits>(n + span + 1) << mantissa);
  }
};

/// The m of x = m * 2^exponent(x), with 0.5 <= abs(m) < 1; 0, infinities and NaN as they are.
struct mantissa : exact_operation {
  using rule = rules::real_floating;
  static constexpr const char* name = "mantissa";
  static constexpr const char* difference = "`auto [m, e] = frexp(x)` for both";
  static constexpr const char* numpy = "frexp[0]";
  static constexpr int cost = 4;
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if (x == 0 || x - x != 0) return x;
    return ldexp{}(x, -exponent_of(x));
  }
  /// Of a finite number that is not 0.
  template <real_number T>
  LAZYFUSE_HD static constexpr int32 exponent_of(T x) {
    using bits = standard::conditional_t<sizeof(T) == 4, uint32, uint64>;
    constexpr int width = sizeof(T) == 4 ? 23 : 52, bias = sizeof(T) == 4 ? 126 : 1022;
    constexpr T up = sizeof(T) == 4 ? T(0x1p24) : T(0x1p53);
    const auto field = [](T v) { return static_cast<int32>((__builtin_bit_cast(bits, v) >> width) & (2 * bias + 3)); };
    return field(x) != 0 ? field(x) - bias : field(x * up) - bias - width - 1;
  }
};

/// The exponent of x = mantissa(x) * 2^exponent, an int32; 0 of 0, infinities and NaN.
struct exponent : exact_operation {
  using rule = rules::real_floating;
  static constexpr const char* name = "exponent";
  static constexpr const char* difference = "`auto [m, e] = frexp(x)` for both";
  static constexpr const char* numpy = "frexp[1]";
  static constexpr int cost = 4;
  template <real_number T>
  LAZYFUSE_HD constexpr int32 operator()(T x) const {
    return x == 0 || x - x != 0 ? 0 : mantissa::exponent_of(x);
  }
};

/// Converts; towards zero from floating point to integer, saturating at the ends, NaN to 0. Complex to real is not a
/// conversion: take real(x).
template <class To>
struct cast : exact_operation {
  using rule = rules::unchanged;
  using converts_to = To;  ///< what sinks and registers that hold the other type may do themselves
  static constexpr const char* name = "cast";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr To operator()(T x) const {
    if constexpr (standard::is_same_v<To, T>) return x;
    else if constexpr (boolean<To>) return !(x == T(0));
    else if constexpr (integer<To> && floating_point<T>)
      return saturated(standard::conditional_t<sizeof(T) == 8, double, float>(x));
    else if constexpr (complex_number<To> && !complex_number<T>) return To(static_cast<part_t<To>>(x));
    else if constexpr (small_real<T>) return static_cast<To>(static_cast<float>(x));
    else if constexpr (standard::is_same_v<T, int64> && standard::is_same_v<To, double>)
      return math::real_of<double>(x);
    else return static_cast<To>(x);
  }

 private:
  template <real_number T>
  LAZYFUSE_HD static constexpr To saturated(T x) {
    constexpr To largest = largest_of<To>, lowest = lowest_of<To>;
    constexpr To middle = largest / 2 + 1;
    constexpr T limit = T(middle) * 2, least = T(lowest);
    return x != x ? To(0) : x >= limit ? largest : x < least ? lowest : static_cast<To>(x);
  }
};

}  // namespace op

/// The largest whole number not above x, in x's type. \numpy{floor}
template <class X>
  requires operands<X>
constexpr auto floor(X&& x) { return map<op::floor>(static_cast<X&&>(x)); }
/// The smallest whole number not below x, in x's type. \numpy{ceil}
template <class X>
  requires operands<X>
constexpr auto ceil(X&& x) { return map<op::ceil>(static_cast<X&&>(x)); }
/// x without its fraction, in x's type. \numpy{trunc}
template <class X>
  requires operands<X>
constexpr auto trunc(X&& x) { return map<op::trunc>(static_cast<X&&>(x)); }
/// The nearest whole number, the even one of two, in x's type. \numpy{round}
template <class X>
  requires operands<X>
constexpr auto round(X&& x) { return map<op::round>(static_cast<X&&>(x)); }
/// The magnitude of x with the sign of y, of zeros and NaN too. \numpy{copysign}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto copysign(X&& x, Y&& y) { return map<op::copysign>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The number next to x in the direction of y, in x's type. \numpy{nextafter}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto nextafter(X&& x, Y&& y) { return map<op::nextafter>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x times two to the power n, rounded once. \numpy{ldexp}
template <class X, class N>
  requires operands<X, N>
constexpr auto ldexp(X&& x, N&& n) { return map<op::ldexp>(static_cast<X&&>(x), static_cast<N&&>(n)); }
/// The first result of NumPy's frexp: m of x = m * 2^exponent(x), with 0.5 <= abs(m) < 1. \numpy{frexp[0]}
template <class X>
  requires operands<X>
constexpr auto mantissa(X&& x) { return map<op::mantissa>(static_cast<X&&>(x)); }
/// The second result of NumPy's frexp, an int32. \numpy{frexp[1]}
template <class X>
  requires operands<X>
constexpr auto exponent(X&& x) { return map<op::exponent>(static_cast<X&&>(x)); }
/// x converted to element type T. \numpy{astype}
template <arithmetic_type T, class X>
  requires operands<X>
constexpr auto cast(X&& x) {
  constexpr bool loses = complex_number<typename bare_t<X>::value_type> && !complex_number<T> && !boolean<T>;
  static_assert(!loses, "lazyfuse: cast does not make complex numbers real; use real(x), imag(x) or abs(x)");
  if constexpr (loses) return map<op::cast<part_t<typename bare_t<X>::value_type>>>(real(static_cast<X&&>(x)));
  else return map<op::cast<T>>(static_cast<X&&>(x));
}

/// The two results of frexp.
template <class Mantissa, class Exponent>
struct frexp_result {
  Mantissa mantissa;
  Exponent exponent;
};
/// auto [m, e] = frexp(x): x = m * 2^e with 0.5 <= abs(m) < 1. \numpy{frexp}
template <class X>
  requires operands<X>
constexpr auto frexp(const X& x) {
  return frexp_result<decltype(mantissa(x)), decltype(exponent(x))>{mantissa(x), exponent(x)};
}

namespace op {
using rounding_operations = list<floor, ceil, trunc, round, copysign, nextafter, ldexp, mantissa, exponent>;
}  // namespace op

}  // namespace lazyfuse
