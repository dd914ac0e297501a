// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice: the larger, the smaller, one or the other, and what replaces what is not wanted.
#pragma once

#include <lazyfuse/core/complex_math.hpp>
#include <lazyfuse/core/select.hpp>
#include <lazyfuse/op/extremes.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// x within [low, high]: high where low is above it; NaN stays.
struct clip : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "clip";
  static constexpr const char* difference = "both bounds are given";
  static constexpr int cost = 2;
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x, T low, T high) const {
    return minimum{}(maximum{}(x, low), high);
  }
};

/// x where the condition holds, y elsewhere; both are read.
struct where : exact_operation {
  using rule = rules::selection;
  static constexpr const char* name = "where";
  static constexpr const char* difference = "three operands";
  template <element_type T>
  LAZYFUSE_HD constexpr T operator()(bool condition, T x, T y) const {
    return math::select(condition, x, y);
  }
};

/// -1, 0 or 1; NaN stays. Of a complex number z / abs(z).
struct sign : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "sign";
  static constexpr int complex_ulp = 4;
  static constexpr int ulp = 0;
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (complex_number<T>) {
      const auto large = math::larger(math::abs(x.re), math::abs(x.im));
      if (large == 0) return T(0);
      const bool ends = large == math::infinity<part_t<T>>();
      const part_t<T> a = ends ? math::end_of(x.re) : x.re / large, b = ends ? math::end_of(x.im) : x.im / large;
      const auto length = math::hypot(a, b);
      return T{a / length, b / length};
    } else if constexpr (real_number<T>) return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
    else return static_cast<T>((x > 0) - (x < 0));
  }
};

/// x above zero, else 0; NaN stays.
struct relu : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "relu";
  static constexpr const char* numpy = "-";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    return maximum{}(x, T(0));
  }
};

/// 0 below zero, 1 above, and h at zero.
struct heaviside : exact_operation {
  using rule = rules::real_floating;
  static constexpr const char* name = "heaviside";
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return math::select(x == 0, y, x != x ? x : x < 0 ? T(0) : T(1));
  }
};

/// Finite numbers: 0 for NaN, the largest and the lowest number of the type for the infinities.
struct nan_to_num : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "nan_to_num";
  static constexpr const char* difference = "without options";
  template <class T>
    requires(number<T> || small_real<T>)
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (complex_number<T>) return {(*this)(x.re), (*this)(x.im)};
    else if constexpr (integer<T>) return x;
    else if constexpr (small_real<T>)
      return x != x ? T(0) : x - x == 0 ? x : x > 0 ? math::largest<T>() : T(-math::largest<T>());
    else return math::select(x != x, T(0), math::smaller(math::larger(x, T(-math::largest<T>())), math::largest<T>()));
  }
};

}  // namespace op

/// The larger of x and y; NaN wins. \numpy{maximum}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto maximum(X&& x, Y&& y) { return map<op::maximum>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The smaller of x and y; NaN wins. \numpy{minimum}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto minimum(X&& x, Y&& y) { return map<op::minimum>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The larger operand; a number wins over NaN. \numpy{fmax}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto fmax(X&& x, Y&& y) { return map<op::fmax>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// The smaller operand; a number wins over NaN. \numpy{fmin}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto fmin(X&& x, Y&& y) { return map<op::fmin>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x within [low, high]; high where low is above it. \numpy{clip}
template <class X, class Low, class High>
  requires operands<X, Low, High>
constexpr auto clip(X&& x, Low&& low, High&& high) {
  return map<op::clip>(static_cast<X&&>(x), static_cast<Low&&>(low), static_cast<High&&>(high));
}
/// x where condition holds, y elsewhere. \numpy{where}
template <class Condition, class X, class Y>
  requires operands<Condition, X, Y>
constexpr auto where(Condition&& condition, X&& x, Y&& y) {
  return map<op::where>(static_cast<Condition&&>(condition), static_cast<X&&>(x), static_cast<Y&&>(y));
}
/// -1, 0 or 1; NaN stays. Of a complex number z / abs(z). \numpy{sign}
template <class X>
  requires operands<X>
constexpr auto sign(X&& x) { return map<op::sign>(static_cast<X&&>(x)); }
/// x above zero, else 0; NaN stays.
template <class X>
  requires operands<X>
constexpr auto relu(X&& x) { return map<op::relu>(static_cast<X&&>(x)); }
/// 0 below zero, 1 above, and h at zero. \numpy{heaviside}
template <class X, class H>
  requires operands<X, H>
constexpr auto heaviside(X&& x, H&& h) { return map<op::heaviside>(static_cast<X&&>(x), static_cast<H&&>(h)); }
/// Finite numbers: 0 for NaN, the largest and the lowest number of the type for the infinities. \numpy{nan_to_num}
template <class X>
  requires operands<X>
constexpr auto nan_to_num(X&& x) { return map<op::nan_to_num>(static_cast<X&&>(x)); }

namespace op {
using selection_operations = list<maximum, minimum, fmax, fmin, clip, where, sign, relu, heaviside, nan_to_num>;
}  // namespace op

}  // namespace lazyfuse
