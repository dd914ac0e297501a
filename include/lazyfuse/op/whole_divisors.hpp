// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers divided by one that many have in common: processors multiply several times as fast as they divide. What is
// multiplied with is found once.
#pragma once

#include <lazyfuse/op/arithmetic.hpp>

namespace lazyfuse::op {

/// A divisor of elements of type T, and its reciprocal (Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994). Of signed elements, which have a bit less, the reciprocal has all its bits.
template <integer T>
struct whole_divisor {
  using U = wrapping<T>;
  static constexpr int bits = 8 * int(sizeof(U));
  static constexpr bool has_sign = signed_integer<T>;
  __extension__ using wide = standard::conditional_t<bits == 32, uint64, unsigned __int128>;

  U size;  ///< |d|
  U reciprocal = 0;
  int shift = 0;
  bool positive, zero;

  LAZYFUSE_HD explicit whole_divisor(T d) : size(static_cast<U>(d)), positive(d != 0), zero(d == 0) {
    if constexpr (has_sign)
      if (d < 0) {
        size = U(0) - size;
        positive = false;
      }
    if (zero) return;
    while (shift < bits && (wide(1) << shift) < size) ++shift;
    const wide power = wide(1) << shift;  // not below |d|
    if constexpr (has_sign) reciprocal = static_cast<U>(((power << (bits - 1)) + (size - 1)) / size);
    else reciprocal = static_cast<U>(((power - size) << bits) / size + 1);
  }
  /// The largest integer not above x / |d|, of d that is not 0. Of a negative x the complement is divided.
  LAZYFUSE_HD U floored(U x) const {
    if constexpr (has_sign) {
      const U sign = U(0) - (x >> (bits - 1));
      return (static_cast<U>((wide((x ^ sign) << 1) * reciprocal) >> bits) >> shift) ^ sign;
    } else {
      const U high = static_cast<U>((wide(x) * reciprocal) >> bits);
      const int last = shift - (shift > 0);
      return static_cast<U>((high + ((x - high) >> (shift > 0))) >> last);
    }
  }
};

/// The elements of a constant as divisors, and what takes them in place of floor_divide and remainder.
struct whole_divisor_of : exact_operation {
  static constexpr const char* name = "";  ///< programs do not show it
  static constexpr bool makes_divisor = true;
  template <integer T>
  LAZYFUSE_HD whole_divisor<T> operator()(T d) const {
    return whole_divisor<T>(d);
  }
};
struct floor_divide_by : exact_operation {
  static constexpr const char* name = "floor_divide";
  static constexpr int cost = 6;
  template <integer T>
  LAZYFUSE_HD T operator()(T x, const whole_divisor<T>& by) const {
    using U = typename whole_divisor<T>::U;
    const U from = static_cast<U>(x), quotient = by.floored(from);
    if (by.positive) return static_cast<T>(quotient);
    return by.zero ? T(0) : static_cast<T>(U(0) - quotient - U(quotient * by.size != from));
  }
};
struct remainder_by : exact_operation {
  static constexpr const char* name = "remainder";
  static constexpr int cost = 8;
  template <integer T>
  LAZYFUSE_HD T operator()(T x, const whole_divisor<T>& by) const {
    using U = typename whole_divisor<T>::U;
    const U from = static_cast<U>(x), rest = from - by.floored(from) * by.size;
    if (by.positive) return static_cast<T>(rest);
    return static_cast<T>(by.zero || rest == 0 ? U(0) : rest - by.size);
  }
};

}  // namespace lazyfuse::op
