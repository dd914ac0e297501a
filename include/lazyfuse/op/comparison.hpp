// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, truth and what kind of number one is. Comparisons are element by element and give bool.
#pragma once

#include <lazyfuse/core/math.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// Integers of unlike signs, by value.
struct by_value {
  LAZYFUSE_HD static constexpr bool below(int64 x, uint64 y) { return x < 0 || static_cast<uint64>(x) < y; }
  LAZYFUSE_HD static constexpr bool below(uint64 x, int64 y) { return y > 0 && x < static_cast<uint64>(y); }
};

/// Whether x and y are the same number: 0.0 is -0.0, NaN is nothing.
struct equal : exact_operation {
  using rule = rules::equality;
  static constexpr const char* name = "equal";
  static constexpr const char* symbol = "==";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x == y;
  }
  template <integer T, integer U>
  LAZYFUSE_HD constexpr bool operator()(T x, U y) const {
    return !by_value::below(x, y) && !by_value::below(y, x);
  }
};

/// Whether x and y are different numbers: NaN is different from all, itself included.
struct not_equal : exact_operation {
  using rule = rules::equality;
  static constexpr const char* name = "not_equal";
  static constexpr const char* symbol = "!=";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return !(x == y);
  }
  template <integer T, integer U>
  LAZYFUSE_HD constexpr bool operator()(T x, U y) const {
    return by_value::below(x, y) || by_value::below(y, x);
  }
};

/// Whether x is below y; false with NaN, as are the three that follow. false is below true.
struct less : exact_operation {
  using rule = rules::order;
  static constexpr const char* name = "less";
  static constexpr const char* symbol = "<";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x < y;
  }
  template <integer T, integer U>
  LAZYFUSE_HD constexpr bool operator()(T x, U y) const {
    return by_value::below(x, y);
  }
};

/// Whether x is not above y.
struct less_equal : exact_operation {
  using rule = rules::order;
  static constexpr const char* name = "less_equal";
  static constexpr const char* symbol = "<=";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x <= y;
  }
  template <integer T, integer U>
  LAZYFUSE_HD constexpr bool operator()(T x, U y) const {
    return !by_value::below(y, x);
  }
};

/// Whether x is above y.
struct greater : exact_operation {
  using rule = rules::order;
  static constexpr const char* name = "greater";
  static constexpr const char* symbol = ">";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x > y;
  }
  template <integer T, integer U>
  LAZYFUSE_HD constexpr bool operator()(T x, U y) const {
    return by_value::below(y, x);
  }
};

/// Whether x is not below y.
struct greater_equal : exact_operation {
  using rule = rules::order;
  static constexpr const char* name = "greater_equal";
  static constexpr const char* symbol = ">=";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x >= y;
  }
  template <integer T, integer U>
  LAZYFUSE_HD constexpr bool operator()(T x, U y) const {
    return !by_value::below(x, y);
  }
};

/// Whether both are true. Every number but zero is, NaN included.
struct logical_and : exact_operation {
  using rule = rules::logical;
  static constexpr const char* name = "logical_and";
  LAZYFUSE_HD constexpr bool operator()(bool x, bool y) const { return x & y; }
};

/// Whether one is true, or both.
struct logical_or : exact_operation {
  using rule = rules::logical;
  static constexpr const char* name = "logical_or";
  LAZYFUSE_HD constexpr bool operator()(bool x, bool y) const { return x | y; }
};

/// Whether one is true and the other is not.
struct logical_xor : exact_operation {
  using rule = rules::logical;
  static constexpr const char* name = "logical_xor";
  LAZYFUSE_HD constexpr bool operator()(bool x, bool y) const { return x != y; }
};

/// Whether x is false.
struct logical_not : exact_operation {
  using rule = rules::logical;
  static constexpr const char* name = "logical_not";
  LAZYFUSE_HD constexpr bool operator()(bool x) const { return !x; }
};

/// Whether x, or a part of it, is not a number. By its bits, so that no compiler's option makes it false.
struct isnan : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "isnan";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x) const {
    if constexpr (complex_number<T>) return (*this)(x.re) || (*this)(x.im);
    else if constexpr (real_number<T>) return math::magnitude_bits(x) > math::magnitude_bits(math::infinity<T>());
    else return false;
  }
};

/// Whether x, or a part of it, is an infinity.
struct isinf : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "isinf";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x) const {
    if constexpr (complex_number<T>) return (*this)(x.re) || (*this)(x.im);
    else if constexpr (real_number<T>) return math::magnitude_bits(x) == math::magnitude_bits(math::infinity<T>());
    else return false;
  }
};

/// Whether x, or both its parts, are neither infinite nor NaN.
struct isfinite : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "isfinite";
  template <computable T>
  LAZYFUSE_HD constexpr bool operator()(T x) const {
    if constexpr (complex_number<T>) return (*this)(x.re) && (*this)(x.im);
    else if constexpr (real_number<T>) return math::magnitude_bits(x) < math::magnitude_bits(math::infinity<T>());
    else return true;
  }
};

/// Whether the sign of x is minus, that of -0.0 and NaN too.
struct signbit : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "signbit";
  template <class T>
    requires(number<T> || small_real<T>)
  LAZYFUSE_HD constexpr bool operator()(T x) const {
    if constexpr (floating_point<T>) return math::magnitude_bits(x) != math::all_bits(x);
    else return x < 0;
  }
};

}  // namespace op

/// Element by element, bool. \numpy{equal}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto equal(X&& x, Y&& y) { return map<op::equal>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{not_equal}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto not_equal(X&& x, Y&& y) { return map<op::not_equal>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{less}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto less(X&& x, Y&& y) { return map<op::less>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{less_equal}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto less_equal(X&& x, Y&& y) { return map<op::less_equal>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{greater}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto greater(X&& x, Y&& y) { return map<op::greater>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{greater_equal}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto greater_equal(X&& x, Y&& y) { return map<op::greater_equal>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Whether both are true. Every number but zero is, NaN included. \numpy{logical_and}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto logical_and(X&& x, Y&& y) { return map<op::logical_and>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Whether one is true, or both. \numpy{logical_or}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto logical_or(X&& x, Y&& y) { return map<op::logical_or>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Whether one is true and the other is not. \numpy{logical_xor}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto logical_xor(X&& x, Y&& y) { return map<op::logical_xor>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Whether x is false. \numpy{logical_not}
template <class X>
  requires operands<X>
constexpr auto logical_not(X&& x) { return map<op::logical_not>(static_cast<X&&>(x)); }
/// Whether x, or a part of it, is not a number. By its bits, so that no compiler's option makes it false. \numpy{isnan}
template <class X>
  requires operands<X>
constexpr auto isnan(X&& x) { return map<op::isnan>(static_cast<X&&>(x)); }
/// Whether x, or a part of it, is an infinity. \numpy{isinf}
template <class X>
  requires operands<X>
constexpr auto isinf(X&& x) { return map<op::isinf>(static_cast<X&&>(x)); }
/// Whether x, or both its parts, are neither infinite nor NaN. \numpy{isfinite}
template <class X>
  requires operands<X>
constexpr auto isfinite(X&& x) { return map<op::isfinite>(static_cast<X&&>(x)); }
/// Whether the sign of x is minus, that of -0.0 and NaN too. \numpy{signbit}
template <class X>
  requires operands<X>
constexpr auto signbit(X&& x) { return map<op::signbit>(static_cast<X&&>(x)); }

namespace op {
using comparison_operations = list<equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or,
                                   logical_xor, logical_not, isnan, isinf, isfinite, signbit>;
}  // namespace op

}  // namespace lazyfuse
