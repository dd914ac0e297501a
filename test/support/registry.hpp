// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the registry of operations tells, as tables and tests ask for it.
#pragma once

#include "tensor.hpp"

#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/op/registry.hpp>

#include <string>

namespace lf = lazyfuse;

namespace test {

/// The element types by kind, and all of them.
using integer_types =
    lf::list<lf::int8, lf::int16, lf::int32, lf::int64, lf::uint8, lf::uint16, lf::uint32, lf::uint64>;
using real_types = lf::list<lf::half, lf::bfloat16, float, double>;
using complex_types = lf::list<lf::complex<float>, lf::complex<double>>;
using every_element_type =
    lf::concat_t<lf::concat_t<lf::list<bool>, integer_types>, lf::concat_t<real_types, complex_types>>;
/// Those that stand for the others where all would take long.
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
inline constexpr int arity = std::is_invocable_v<Op, double> || std::is_invocable_v<Op, int> ? 1
                             : std::is_invocable_v<Op, double, double> || std::is_invocable_v<Op, int, int> ||
                                     std::is_invocable_v<Op, double, int>
                                 ? 2
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
/// Whether the second operand is an int32, whatever the first is.
template <class Op>
inline constexpr bool has_exponent = std::is_same_v<typename Op::rule, lf::rules::scaling>;
template <class Op, int I, class T>
using operand_type =
    std::conditional_t<I == 0 && has_condition<Op>, bool, std::conditional_t<I == 1 && has_exponent<Op>, lf::int32, T>>;

/// The element type of the result where all operands but a condition or an exponent have element type T.
template <class Op, class T, int... I>
auto result_of(lf::index_sequence<I...>) {
  using rule = typename Op::rule;
  return lf::compute<Op>(typename rule::template argument<I, operand_type<Op, I, T>...>{}...);
}
template <class Op, class T>
using result_type = decltype(result_of<Op, T>(lf::make_index_sequence<arity<Op>>{}));

/// The lf:: function of an operation or a monoid, and its operator: call<op::add>{}(x, y), call<op::add>::infix(x, y).
/// A specialisation for each is written when the tests are built, by data/calls.cpp.
template <class Op>
struct call;

}  // namespace test
