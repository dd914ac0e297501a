// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits, shifts and divisors of integers.
#pragma once

#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// The bits that both have; of bool, whether both are true.
struct bitwise_and : exact_operation {
  using rule = rules::bits;
  static constexpr const char* name = "bitwise_and";
  static constexpr const char* symbol = "&";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return static_cast<T>(x & y);
  }
};

/// The bits that one has; of bool, whether one is true.
struct bitwise_or : exact_operation {
  using rule = rules::bits;
  static constexpr const char* name = "bitwise_or";
  static constexpr const char* symbol = "|";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return static_cast<T>(x | y);
  }
};

/// The bits in which they differ; of bool, whether they differ.
struct bitwise_xor : exact_operation {
  using rule = rules::bits;
  static constexpr const char* name = "bitwise_xor";
  static constexpr const char* symbol = "^";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return static_cast<T>(x ^ y);
  }
};

/// Every bit turned; of bool, whether it is false.
struct bitwise_invert : exact_operation {
  using rule = rules::bits;
  static constexpr const char* name = "bitwise_invert";
  static constexpr const char* numpy = "bitwise_invert";
  static constexpr const char* symbol = "~";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (boolean<T>) return !x;
    else return static_cast<T>(~x);
  }
};

/// x times 2^y, wrapped around; 0 where y is not below the number of bits.
struct bitwise_left_shift : exact_operation {
  using rule = rules::whole;
  static constexpr const char* name = "bitwise_left_shift";
  static constexpr const char* symbol = "<<";
  template <integer T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    using U = standard::conditional_t<sizeof(T) == 8, uint64, uint32>;
    const auto by = static_cast<U>(y);
    return by < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(x) << by) : T(0);
  }
};

/// x divided by 2^y, rounded down; 0, or -1 below zero, where y is not below the number of bits.
struct bitwise_right_shift : exact_operation {
  using rule = rules::whole;
  static constexpr const char* name = "bitwise_right_shift";
  static constexpr const char* symbol = ">>";
  template <integer T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    using U = standard::conditional_t<sizeof(T) == 8, uint64, uint32>;
    return static_cast<U>(y) < 8 * sizeof(T) ? static_cast<T>(x >> y) : x < 0 ? T(-1) : T(0);
  }
};

/// The greatest common divisor, not negative (but where only the smallest integer divides); that of 0 and 0 is 0.
struct gcd : exact_operation {
  using rule = rules::whole;
  static constexpr const char* name = "gcd";
  static constexpr int cost = 60;
  template <integer T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    auto a = magnitude(x), b = magnitude(y);
    while (b != 0) {
      const auto rest = static_cast<decltype(b)>(a % b);
      a = b;
      b = rest;
    }
    return static_cast<T>(a);
  }
  template <integer T>
  LAZYFUSE_HD static constexpr auto magnitude(T x) {
    using U = standard::make_unsigned_t<T>;
    return static_cast<U>(x < 0 ? 0u - static_cast<standard::conditional_t<sizeof(T) == 8, uint64, uint32>>(x) : x);
  }
};

/// The least common multiple, not negative, wrapped around; 0 with 0.
struct lcm : exact_operation {
  using rule = rules::whole;
  static constexpr const char* name = "lcm";
  static constexpr int cost = 70;
  template <integer T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if (x == 0 || y == 0) return 0;
    using U = standard::conditional_t<sizeof(T) == 8, uint64, uint32>;
    const U common = gcd::magnitude(gcd{}(x, y));
    return static_cast<T>(gcd::magnitude(x) / common * gcd::magnitude(y));
  }
};

}  // namespace op

/// The bits that both have; of bool, whether both are true. \numpy{bitwise_and}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto bitwise_and(X&& x, Y&& y) { return map<op::bitwise_and>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The bits that one has; of bool, whether one is true. \numpy{bitwise_or}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto bitwise_or(X&& x, Y&& y) { return map<op::bitwise_or>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The bits in which they differ; of bool, whether they differ. \numpy{bitwise_xor}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto bitwise_xor(X&& x, Y&& y) { return map<op::bitwise_xor>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Every bit turned; of bool, whether it is false. \numpy{bitwise_invert}
template <class X>
  requires operands<X>
constexpr auto bitwise_invert(X&& x) { return map<op::bitwise_invert>(static_cast<X&&>(x)); }
/// x times 2^y, wrapped around; 0 where y is not below the number of bits. \numpy{bitwise_left_shift}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto bitwise_left_shift(X&& x, Y&& y) {
  return map<op::bitwise_left_shift>(static_cast<X&&>(x), static_cast<Y&&>(y));
}
/// x divided by 2^y, rounded down; 0, or -1 below zero, where y is not below the number of bits.
/// \numpy{bitwise_right_shift}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto bitwise_right_shift(X&& x, Y&& y) {
  return map<op::bitwise_right_shift>(static_cast<X&&>(x), static_cast<Y&&>(y));
}
/// The greatest common divisor, not negative; that of 0 and 0 is 0. \numpy{gcd}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto gcd(X&& x, Y&& y) { return map<op::gcd>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The least common multiple, not negative, wrapped around; 0 with 0. \numpy{lcm}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto lcm(X&& x, Y&& y) { return map<op::lcm>(static_cast<X&&>(x), static_cast<Y&&>(y)); }

namespace op {
using bitwise_operations =
    list<bitwise_and, bitwise_or, bitwise_xor, bitwise_invert, bitwise_left_shift, bitwise_right_shift, gcd, lcm>;
}  // namespace op

}  // namespace lazyfuse
