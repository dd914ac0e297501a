// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, truth and choice. Comparisons are element by element and give bool.
#pragma once

#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// Whether x and y are the same number: 0.0 is -0.0, NaN is nothing.
struct equal : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "equal";
  static constexpr const char* symbol = "==";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x == y;
  }
};

/// Whether x and y are different numbers: NaN is different from all, itself included.
struct not_equal : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "not_equal";
  static constexpr const char* symbol = "!=";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x != y;
  }
};

/// Whether x is below y; false with NaN, as are the three that follow. false is below true.
struct less : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "less";
  static constexpr const char* symbol = "<";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x < y;
  }
};

/// Whether x is not above y.
struct less_equal : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "less_equal";
  static constexpr const char* symbol = "<=";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x <= y;
  }
};

/// Whether x is above y.
struct greater : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "greater";
  static constexpr const char* symbol = ">";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x > y;
  }
};

/// Whether x is not below y.
struct greater_equal : exact_operation {
  using rule = rules::numeric;
  static constexpr const char* name = "greater_equal";
  static constexpr const char* symbol = ">=";
  template <arithmetic_type T>
  LAZYFUSE_HD constexpr bool operator()(T x, T y) const {
    return x >= y;
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

/// Whether x is false.
struct logical_not : exact_operation {
  using rule = rules::logical;
  static constexpr const char* name = "logical_not";
  LAZYFUSE_HD constexpr bool operator()(bool x) const { return !x; }
};

/// x where the condition holds, y elsewhere; both are read.
struct where : exact_operation {
  using rule = rules::selection;
  static constexpr const char* name = "where";
  template <element_type T>
  LAZYFUSE_HD constexpr T operator()(bool condition, T x, T y) const {
    return condition ? x : y;
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
/// Element by element, bool. \numpy{logical_and}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto logical_and(X&& x, Y&& y) { return map<op::logical_and>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{logical_or}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto logical_or(X&& x, Y&& y) { return map<op::logical_or>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// Element by element, bool. \numpy{logical_not}
template <class X>
  requires operands<X>
constexpr auto logical_not(X&& x) { return map<op::logical_not>(static_cast<X&&>(x)); }
/// x where condition holds, y elsewhere. \numpy{where}
template <class C, class X, class Y>
  requires operands<C, X, Y>
constexpr auto where(C&& condition, X&& x, Y&& y) {
  return map<op::where>(static_cast<C&&>(condition), static_cast<X&&>(x), static_cast<Y&&>(y));
}

namespace op {
using comparison_operations =
    list<equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or, logical_not, where>;
}  // namespace op

}  // namespace lazyfuse
