// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operation catalogues need to know of expressions: that there are operands, and that map
// builds a node from them. The definition is in expr/map.hpp; lookup finds it at instantiation.
#pragma once

namespace lazyfuse {

/// Root of every expression: it holds nothing, and its friends are the operators.
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

/// Expressions and scalars, at least one expression among them.
template <class... A>
concept operands = ((expression<A> || scalar<A>)&&...) && (expression<A> || ...);

/// The node that applies Op element by element; NumPy's broadcasting and promotion.
template <class Op, class... A>
constexpr auto map(A&&... a);

}  // namespace lazyfuse
