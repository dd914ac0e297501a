// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the registry of operations tells, as tables and tests ask for it.
#pragma once

#include "tensor.hpp"

#include <lazyfuse/op/registry.hpp>

#include <string>

namespace lf = lazyfuse;

namespace test {

using element_types = lf::list<bool, lf::int32, lf::int64, float, double>;

/// Calls f(tag) for every type of a list; its element is tag's value_type.
template <class T>
struct type_tag {
  using value_type = T;
};
template <class... T, class F>
void for_each_type(lf::list<T...>, F f) {
  (f(type_tag<T>{}), ...);
}

/// The least number of operands that an operation can be called with.
template <class Op>
inline constexpr int arity = std::is_invocable_v<Op, double>                   ? 1
                             : std::is_invocable_v<Op, double, double>         ? 2
                             : std::is_invocable_v<Op, double, double, double> ? 3
                                                                               : 0;

/// What NumPy calls an operation or a monoid.
template <class Op>
constexpr const char* numpy_name() {
  if constexpr (requires { Op::numpy; }) return Op::numpy;
  else return Op::name;
}

/// Whether the first operand is a condition, whatever the others are.
template <class Op>
inline constexpr bool has_condition = std::is_same_v<typename Op::rule, lf::rules::selection>;
template <class Op, int I, class T>
using operand_type = std::conditional_t<I == 0 && has_condition<Op>, bool, T>;

/// The element type of the result where all operands but a condition have element type T.
template <class Op, class T>
auto result_of() {
  using rule = typename Op::rule;
  if constexpr (arity<Op> == 1) return Op{}(typename rule::template argument<0, T>{});
  else if constexpr (arity<Op> == 2)
    return Op{}(typename rule::template argument<0, T, T>{}, typename rule::template argument<1, T, T>{});
  else {
    using C = operand_type<Op, 0, T>;
    return Op{}(typename rule::template argument<0, C, T, T>{}, typename rule::template argument<1, C, T, T>{},
                typename rule::template argument<2, C, T, T>{});
  }
}
template <class Op, class T>
using result_type = decltype(result_of<Op, T>());

/// The lf:: function of an operation or a monoid, and its operator: call<op::add>{}(x, y), call<op::add>::infix(x, y).
/// A specialisation for each is written when the tests are built, by data/operations.cpp.
template <class Op>
struct call;

}  // namespace test
