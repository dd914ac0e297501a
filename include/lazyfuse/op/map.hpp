// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operation catalogues need to know of expressions: that there are operands, and that map
// builds a node from them. The definition is in expr/map.hpp; lookup finds it at instantiation.
#pragma once

namespace lazyfuse {

/// Root of what elementwise functions take beside numbers, expressions and selections (selection/selection.hpp): it
/// holds nothing, and its friends are the operators.
struct operand_interface;
/// Root of every expression.
struct expression_interface;

namespace map_detail {
template <class T>
struct bare {
  using type = T;
};
template <class T>
struct bare<T&> {
  using type = T;
};
template <class T>
struct bare<const T> {
  using type = T;
};
template <class T>
struct bare<const T&> {
  using type = T;
};
template <class T>
struct bare<T&&> {
  using type = T;
};
template <class T>
inline constexpr bool scalar = false;
}  // namespace map_detail

/// A type without references and const.
template <class T>
using bare_t = typename map_detail::bare<T>::type;

/// An array or something computed from arrays: it has a value_type, a rank and a shape().
template <class E>
concept expression = __is_base_of(expression_interface, bare_t<E>);

/// A C++ number that an expression can meet.
template <class T>
concept scalar = map_detail::scalar<bare_t<T>>;

/// Expressions, selections and scalars, not scalars alone.
template <class... A>
concept operands = ((__is_base_of(operand_interface, bare_t<A>) || scalar<A>)&&...) &&
                   (__is_base_of(operand_interface, bare_t<A>) || ...);
/// Elements that a mask selects out of an expression, without a shape: how many they are is not known.
template <class S>
concept filtered = __is_base_of(operand_interface, bare_t<S>) && !expression<S>;

/// The node that applies Op element by element; NumPy's broadcasting and promotion.
template <class Op, class... A>
constexpr auto map(A&&... a);

}  // namespace lazyfuse
