// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The node of all element-by-element operations, and map, which builds it: checks the rule of the
// operation, converts the operands to the type they meet in, and broadcasts their shapes.
#pragma once

#include <lazyfuse/core/promotion.hpp>
#include <lazyfuse/expr/lazy.hpp>
#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/op/lifted.hpp>

namespace lazyfuse {

namespace map_detail {
template <class... S>
struct joined;
template <>
struct joined<> {
  static constexpr bool mixed = false;
  using type = anywhere;
};
template <class S, class... T>
struct joined<S, T...> {
  using rest = joined<T...>;
  using both = space_detail::join<S, typename rest::type>;
  static constexpr bool mixed = both::mixed || rest::mixed;
  using type = typename both::type;
};
}  // namespace map_detail

namespace tree {

/// Op applied element by element. Operands are numbered base classes, no tuple.
template <class Op, class Seq, class... A>
struct map_expr;

template <class Op, int... I, class... A>
struct map_expr<Op, index_sequence<I...>, A...> {
  using operation = Op;
  using node_type = map_expr;
  using operands_list = list<A...>;
  using value_type = bare_t<computed_t<Op, typename A::value_type...>>;
  using space = typename map_detail::joined<typename A::space...>::type;
  static constexpr int rank = [] {
    int r = 0;
    ((r = A::rank > r ? A::rank : r), ...);
    return r;
  }();
  static constexpr int arity = sizeof...(A);
  static constexpr int owners = (0 + ... + A::owners);

  numbered<index_sequence<I...>, A...> arguments;
  lazyfuse::shape<rank> extents;

  template <int K>
  constexpr const auto& argument() const {
    return get<K>(arguments);
  }
  constexpr const lazyfuse::shape<rank>& shape() const { return extents; }
};

/// A sub-expression that the user gave a name: used twice, it is meant to be computed once. Found by
/// being an lvalue where it was used; whether two of one type really are the same is checked at launch.
template <class E>
struct named : E {
  using node_type = named;
  using expression_type = E;
};
template <class E>
inline constexpr bool is_named = false;
template <class E>
inline constexpr bool is_named<named<E>> = true;

}  // namespace tree

/// The space in which an expression's arrays live; anywhere if it has none.
template <class E>
using expression_space_t = typename bare_t<E>::space;

namespace op {
/// Calls the function that is its first operand: how map(f, x, ...) carries a callable with its state.
struct call : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "map";
  static constexpr int cost = 4;
  template <class F, class... T>
  LAZYFUSE_HD constexpr auto operator()(const F& f, const T&... x) const {
    return f(x...);
  }
};
}  // namespace op

namespace map_detail {
/// An operand as its rule sees it: an element type, or weak<T>.
template <class A>
struct seen {
  using type = typename A::value_type;
};
template <auto V>
struct seen<literal_scalar<V>> {
  using type = weak<typename literal_scalar<V>::value_type>;
};
template <class A>
  requires lazyfuse::scalar<A>
struct seen<A> {
  using type = weak<like_t<A, scalar_element_t<component_t<A>>>>;
};
template <class A>
using seen_t = typename seen<bare_t<A>>::type;

template <class A>
inline constexpr bool is_lvalue = false;
template <class A>
inline constexpr bool is_lvalue<A&> = true;
template <class N>
inline constexpr bool is_composite = false;
template <class Op, class Seq, class... A>
inline constexpr bool is_composite<tree::map_expr<Op, Seq, A...>> = true;

template <int R>
constexpr shape<R> join_shapes(const char*, const shape<R>& s) {
  return s;
}
template <int A, int B, int... C>
constexpr auto join_shapes(const char* operation, const shape<A>& a, const shape<B>& b, const shape<C>&... c) {
  return join_shapes(operation, broadcast_shapes(a, b, operation), c...);
}

template <class T, auto V>
constexpr tree::literal_leaf<T, V> literal_of(const literal_scalar<V>&) {
  if constexpr (integer<T> && std::is_integral_v<decltype(V)>) {
    constexpr bool fits = leaf_detail::fits<T>(V);
    static_assert(fits, "lazyfuse: the constant does not fit the integer type it meets");
  }
  return {};
}

template <class Op, class Seq, class... N>
constexpr tree::map_expr<Op, Seq, N...> node(const N&... a) {
  return {{{a}...}, join_shapes(Op::name, a.extents...)};
}
/// e as elements of type T, of as many components.
template <class T, class N>
constexpr auto cast_node(const N& e) {
  return tree::map_expr<op::cast<component_t<T>>, index_sequence<0>, N>{{{e}}, e.shape()};
}
/// What operand A becomes when it is wanted as elements of type T, and whether that is its own tree as it is.
template <class T, class A>
struct operand_as {
  using own = tree_t<A>;
  static constexpr bool converts = !__is_same(value_t<own>, T);
  static constexpr bool is_name = is_composite<own> && is_lvalue<A>;
  static constexpr bool as_it_is = !converts && !is_name;
  static constexpr auto of(const bare_t<A>& a, const char*) {
    if constexpr (converts) return cast_node<T>(a.tree);
    else if constexpr (is_name) return tree::named<own>{a.tree};
    else return a.tree;
  }
};
template <class T, class A>
  requires lazyfuse::scalar<A>
struct operand_as<T, A> {
  static constexpr bool as_it_is = false;
  static constexpr auto of(const bare_t<A>& a, const char* operation) {
    return tree::constant_leaf(leaf_detail::element<T>(a, operation), shape<0>{});
  }
};
template <class T, class A>
  requires requires(const bare_t<A>& a) { literal_of<T>(a); }
struct operand_as<T, A> {
  static constexpr bool as_it_is = false;
  static constexpr auto of(const bare_t<A>& a, const char*) { return literal_of<T>(a); }
};

template <class A>
constexpr lazy_detail::handle_range handles_of(const A& a, bool moved) {
  if constexpr (requires { a.memory; }) return a.memory.range(moved);
  else return {nullptr, 0, false};
}
template <class A>
inline constexpr bool gives_handles = false;
template <class A>
  requires requires { bare_t<A>::is_array; }
inline constexpr bool gives_handles<A> = lazy_detail::gives<A>;

/// Whether all operands are expressions, none of them named, of the types that the rule names.
template <class Op, class Seq, class... A>
inline constexpr bool as_they_are = false;
template <class Op, int... I, class... A>
inline constexpr bool as_they_are<Op, index_sequence<I...>, A...> =
    (operand_as<typename lifted<typename Op::rule, seen_t<A>...>::template argument<I>, A>::as_it_is && ...);

/// Op over operands of any kind, converted to the types that the rule names.
template <class Op, int... I, class... A>
constexpr auto convert_and_join(index_sequence<I...>, A&&... a) {
  const auto n = node<Op, index_sequence<I...>>(
      operand_as<typename lifted<typename Op::rule, seen_t<A>...>::template argument<I>, A>::of(a, Op::name)...);
  return lazy<bare_t<decltype(n)>>{{}, n, handles<bare_t<decltype(n)>::owners>({handles_of(a, gives_handles<A>)...})};
}

/// The space of an operand; scalars have none.
template <class A>
struct operand_space {
  using type = typename A::space;
};
template <class A>
  requires lazyfuse::scalar<A>
struct operand_space<A> {
  using type = anywhere;
};

/// The element type with which map calls a user's function.
template <class A>
using callable_argument = typename rule_detail::plain<seen_t<A>>::type;

/// What a wrong call returns, so that one mistake is one error.
template <class A, class... B>
constexpr auto first_expression(A&& a, B&&... b) {
  if constexpr (requires { a.shape(); }) return bare_t<A>(static_cast<A&&>(a));
  else return first_expression(static_cast<B&&>(b)...);
}
}  // namespace map_detail

template <class Op, class... A>
constexpr auto map(A&&... a) {
  using joined = map_detail::joined<typename map_detail::operand_space<bare_t<A>>::type...>;
  static_assert(
      !joined::mixed,
      "lazyfuse: the arrays of one expression must live in one space; move them with to<host>(x) or to<cuda>(x)");
  if constexpr (joined::mixed) return map_detail::first_expression(static_cast<A&&>(a)...);
  else if constexpr (lifted<typename Op::rule, map_detail::seen_t<A>...>::passes()) {
    using seq = make_index_sequence<sizeof...(A)>;
    if constexpr (map_detail::as_they_are<Op, seq, A...>) {  // each is copied once, into its place
      using Node = tree::map_expr<Op, seq, tree_t<A>...>;
      return lazy<Node>{{},
                        {{{a.tree}...}, map_detail::join_shapes(Op::name, a.tree.extents...)},
                        handles<Node::owners>({a.memory.range(lazy_detail::gives<A>)...})};
    } else return map_detail::convert_and_join<Op>(seq{}, static_cast<A&&>(a)...);
  } else return map_detail::first_expression(static_cast<A&&>(a)...);
}

/// f(x, ...) element by element. f is called on the device for arrays there: a function object with a
/// `__host__ __device__` call operator, passed by value. It fuses like any operation.
template <class F, class... X>
  requires(!expression<F> && !scalar<F> && !requires { typename F::is_source; } && operands<X...> &&
           !(filtered<X> || ...))
constexpr auto map(F f, X&&... x) {
  static_assert(std::is_trivially_copyable_v<F>, "lazyfuse: the callable given to map must be trivially copyable");
  constexpr bool callable = requires { f(std::declval<map_detail::callable_argument<X>>()...); };
  static_assert(callable, "lazyfuse: the callable given to map cannot be called with these element types");
  if constexpr (callable)
    return map_detail::convert_and_join<op::call>(make_index_sequence<sizeof...(X) + 1>{},
                                                  over(tree::constant_leaf(f, shape<0>{})), static_cast<X&&>(x)...);
  else return map_detail::first_expression(static_cast<X&&>(x)...);
}

}  // namespace lazyfuse
