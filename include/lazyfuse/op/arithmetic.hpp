// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic. An operation is its struct (name, rule, scalar function) and its function, two lines below.
#pragma once

#include <lazyfuse/core/math.hpp>
#include <lazyfuse/core/usual.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// The unsigned type in which integers wrap around as NumPy's do, instead of overflowing; as wide as C++ computes.
template <integer T>
using wrapping = standard::conditional_t<sizeof(T) == 8, uint64, uint32>;

/// The sum; of bool, whether one is true. Integers wrap around.
struct add : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "add";
  static constexpr const char* symbol = "+";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (integer<T>) return static_cast<T>(static_cast<wrapping<T>>(x) + static_cast<wrapping<T>>(y));
    else return static_cast<T>(x + y);
  }
};

/// The difference; integers wrap around.
struct subtract : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "subtract";
  static constexpr const char* symbol = "-";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (integer<T>) return static_cast<T>(static_cast<wrapping<T>>(x) - static_cast<wrapping<T>>(y));
    else return x - y;
  }
};

/// The product; of bool, whether both are true. Integers wrap around.
struct multiply : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "multiply";
  static constexpr int complex_ulp = 4;
  static constexpr const char* symbol = "*";
  static constexpr bool squares = true;  // x * x
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (integer<T>) return static_cast<T>(static_cast<wrapping<T>>(x) * static_cast<wrapping<T>>(y));
    else return static_cast<T>(x * y);
  }
};

struct divisor;
struct divide_by;
/// The quotient of floating-point numbers, IEEE 754's: division by zero gives an infinity or NaN.
struct divide : exact_operation {
  using rule = rules::true_division;
  static constexpr const char* name = "divide";
  static constexpr const char* difference = "integers are refused: `cast` them, or `floor_divide`";
  static constexpr int complex_ulp = 8;
  static constexpr const char* symbol = "/";
  static constexpr int cost = 8;
  static constexpr bool branches = true;
  /// Where many share the right operand: what is made of it once, and what takes that (rewritten.hpp).
  using prepares = divisor;
  using with_prepared = divide_by;
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return x / y;
  }
#if defined(__CUDACC__)
  __device__ static float usual(bool& unusual, math::only<float> x, math::only<float> y) {
    return math::usual_quotient(unusual, x.value, y.value);
  }
  __device__ static float usual(bool& unusual, math::only<float> x, const math::usual_number& y) {
    return math::usual_quotient(unusual, x.value, y);
  }
#endif
};

/// One divided by x; a division by zero gives an infinity.
struct reciprocal : exact_operation {
  using rule = rules::true_division;
  static constexpr const char* name = "reciprocal";
  static constexpr const char* difference = "integers are refused";
  static constexpr int complex_ulp = 8;
  static constexpr int cost = 8;
  static constexpr bool branches = true;
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (complex_number<T>)
      if (x == T(0)) return {x.re / x.re, x.re / x.re};  // NumPy's: infinite in no direction
    return T(1) / x;
  }
#if defined(__CUDACC__)
  __device__ static float usual(bool& unusual, math::only<float> x) {
    return math::usual_quotient(unusual, 1.0f, x.value);
  }
  __device__ static float usual(bool& unusual, const math::usual_number& x) {
    return math::usual_quotient(unusual, 1.0f, x);
  }
#endif
};

struct whole_divisor_of;
struct floor_divide_by;
struct remainder_by;
/// Rounds towards minus infinity; an integer divided by zero gives 0, as in NumPy. Reals are divided as by NumPy's
/// npy_floor_divide, from the exact remainder, so that no large quotient is rounded up.
struct floor_divide : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "floor_divide";
  static constexpr int cost = 20;
  using prepares_whole = whole_divisor_of;  // of integers, as divide's
  using with_whole = floor_divide_by;
  template <integer T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if (y == 0) return 0;
    if constexpr (unsigned_integer<T>) return static_cast<T>(x / y);
    else {
      if (y == -1) return subtract{}(T(0), x);  // the quotient of the smallest integer wraps instead of trapping
      const T quotient = static_cast<T>(x / y);
      return (x % y != 0 && (x < 0) != (y < 0)) ? static_cast<T>(quotient - 1) : quotient;
    }
  }
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    if (y == 0) return x / y;
    const T rest = math::fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return __builtin_copysign(T(0), x / y);
    const T whole = math::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
  }
};

/// The remainder with the sign of the divisor (Python's %); an integer modulo zero is 0, as in NumPy.
struct remainder : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "remainder";
  static constexpr int cost = 20;
  using prepares_whole = whole_divisor_of;  // of integers, as divide's
  using with_whole = remainder_by;
  template <integer T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (unsigned_integer<T>) return y == 0 ? T(0) : static_cast<T>(x % y);
    else {
      if (y == 0 || y == -1) return 0;
      const T rest = static_cast<T>(x % y);
      return (rest != 0 && (rest < 0) != (y < 0)) ? static_cast<T>(rest + y) : rest;
    }
  }
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    const T rest = math::fmod(x, y);
    if (y == 0) return rest;
    if (rest == 0) return y < 0 ? T(-0.0) : T(0);
    return (y < 0) != (rest < 0) ? rest + y : rest;
  }
};

/// The sign turned; the smallest integer stays as it is.
struct negative : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "negative";
  static constexpr const char* symbol = "-";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
#if defined(__CUDA_ARCH__)
    // ptxas 13.0 makes one instruction of min(min(a, -x), -y) and loses the sign of x; of complements it makes none.
    if constexpr (integer<T> && sizeof(T) == 4)
      if (!__builtin_is_constant_evaluated()) {
        uint32 to;
        asm("{ .reg .b32 t; not.b32 t, %1; add.s32 %0, t, 1; }" : "=r"(to) : "r"(static_cast<uint32>(x)));
        return static_cast<T>(to);
      }
#endif
    if constexpr (integer<T>) return subtract{}(T(0), x);
    else return -x;
  }
};

/// The distance from zero; bool stays, and so does the smallest integer. Of complex numbers, a real number.
struct abs : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "abs";
  static constexpr int complex_ulp = 4;
  template <computable T>
  LAZYFUSE_HD constexpr part_t<T> operator()(T x) const {
    if constexpr (complex_number<T>) return math::hypot(x.re, x.im);
    else if constexpr (real_number<T>) return math::abs(x);
    else if constexpr (signed_integer<T>) return x < 0 ? subtract{}(T(0), x) : x;
    else return x;
  }
};

/// The product of x and itself, of one type with it: bool stays bool, where NumPy gives int8.
struct square : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "square";
  static constexpr int complex_ulp = 4;
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    return multiply{}(x, x);
  }
};

/// x itself.
struct positive : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "positive";
  static constexpr const char* symbol = "+";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    return x;
  }
};

/// The remainder with the sign of x (C's %, and std::fmod); an integer modulo zero is 0.
struct fmod : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "fmod";
  static constexpr int cost = 20;
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (real_number<T>) return math::fmod(x, y);
    else return y == 0 || y == static_cast<T>(-1) ? modulo_one(x, y) : static_cast<T>(x % y);
  }

 private:
  template <integer T>
  LAZYFUSE_HD static constexpr T modulo_one(T x, T y) {
    if constexpr (unsigned_integer<T>) return y == 0 ? T(0) : x % y;
    else return 0;
  }
};

}  // namespace op

/// x + y. \numpy{add}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto add(X&& x, Y&& y) { return map<op::add>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x - y. \numpy{subtract}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto subtract(X&& x, Y&& y) { return map<op::subtract>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x * y. \numpy{multiply}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto multiply(X&& x, Y&& y) { return map<op::multiply>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x / y of floating-point operands. \numpy{divide}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto divide(X&& x, Y&& y) { return map<op::divide>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// 1 / x of floating-point operands; many divisions by one value are cheaper as products with it. \numpy{reciprocal}
template <class X>
  requires operands<X>
constexpr auto reciprocal(X&& x) { return map<op::reciprocal>(static_cast<X&&>(x)); }
/// The largest integer not above x / y. \numpy{floor_divide}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto floor_divide(X&& x, Y&& y) { return map<op::floor_divide>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x - y * floor_divide(x, y), with the sign of y. \numpy{remainder}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto remainder(X&& x, Y&& y) { return map<op::remainder>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// -x. \numpy{negative}
template <class X>
  requires operands<X>
constexpr auto negative(X&& x) { return map<op::negative>(static_cast<X&&>(x)); }
/// x itself. \numpy{positive}
template <class X>
  requires operands<X>
constexpr auto positive(X&& x) { return map<op::positive>(static_cast<X&&>(x)); }
/// The remainder with the sign of x. \numpy{fmod}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto fmod(X&& x, Y&& y) { return map<op::fmod>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The absolute value; of complex numbers their length, which is real. \numpy{abs}
template <class X>
  requires operands<X>
constexpr auto abs(X&& x) { return map<op::abs>(static_cast<X&&>(x)); }
/// x * x. \numpy{square}
template <class X>
  requires operands<X>
constexpr auto square(X&& x) { return map<op::square>(static_cast<X&&>(x)); }

namespace op {
using arithmetic_operations =
    list<add, subtract, multiply, divide, reciprocal, floor_divide, remainder, fmod, negative, positive, abs, square>;
}  // namespace op

}  // namespace lazyfuse
