// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The node of all element-by-element operations, and map, which builds it: checks the rule of the
// operation, converts the operands to the type they meet in, and broadcasts their shapes.
#pragma once

#include <lazyfuse/expr/leaf.hpp>

namespace lazyfuse {

/// Op applied element by element. Operands are numbered base classes, no tuple.
template <class Op, class Seq, class... A>
struct map_expr;

template <class Op, int... I, class... A>
struct map_expr<Op, indices<I...>, A...> : expression_interface, private numbered<indices<I...>, A...> {
  using operation = Op;
  using node_type = map_expr;
  using operands_list = list<A...>;
  using value_type = bare_t<decltype(Op{}(::cuda::std::declval<typename A::value_type>()...))>;
  static constexpr int rank = [] {
    int r = 0;
    ((r = A::rank > r ? A::rank : r), ...);
    return r;
  }();
  static constexpr int arity = sizeof...(A);

  template <class... X>
  constexpr explicit map_expr(const lazyfuse::shape<rank>& s, X&&... x)
      : numbered<indices<I...>, A...>{{static_cast<X&&>(x)}...}, shape_(s) {}

  template <int K>
  constexpr const auto& argument() const {
    return get<K>(static_cast<const numbered<indices<I...>, A...>&>(*this));
  }
  constexpr const lazyfuse::shape<rank>& shape() const { return shape_; }
  template <class... Specs>
  constexpr auto operator()(Specs... specs) const {
    return view(*this, specs...);
  }
  /// The axes in reverse order, as a view.
  constexpr auto T() const { return transpose(*this); }
  /// The value of a one-element expression: evaluates, waits for it and returns it.
  value_type item(caller where = caller::here()) const;

 private:
  lazyfuse::shape<rank> shape_;
};

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

/// A sub-expression that the user gave a name: used twice, it is meant to be computed once. Found by
/// being an lvalue where it was used; whether two of one type really are the same is checked at launch.
template <class E>
struct named : E {
  using node_type = named;
  using expression_type = E;
  constexpr explicit named(const E& e) : E(e) {}
};
template <class E>
inline constexpr bool is_named = false;
template <class E>
inline constexpr bool is_named<named<E>> = true;

/// The space in which an expression's arrays live; anywhere if it has none.
template <class E>
struct expression_space {
  using type = typename E::space;
};
template <class Op, class Seq, class... A>
struct expression_space<map_expr<Op, Seq, A...>> {
  using type = typename map_detail::joined<typename expression_space<A>::type...>::type;
};
template <class E>
struct expression_space<named<E>> : expression_space<E> {};
template <class E>
using expression_space_t = typename expression_space<bare_t<E>>::type;

/// Leaves and nodes pass as they are; arrays become leaves (an overload beside the array does that).
template <class E>
  requires __is_same(typename bare_t<E>::node_type, bare_t<E>) constexpr E&& as_node(E&& e) {
    return static_cast<E&&>(e);
  }

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
    using type =
        weak<::cuda::std::conditional_t<boolean<A>, bool,
                                        ::cuda::std::conditional_t<::cuda::std::is_integral_v<A>, int64, double>>>;
  };
  template <class A>
  using seen_t = typename seen<bare_t<A>>::type;

  template <class N>
  inline constexpr bool is_composite = false;
  template <class Op, class Seq, class... A>
  inline constexpr bool is_composite<map_expr<Op, Seq, A...>> = true;

  /// Turns one operand into a node of element type T.
  template <class T, class A>
  constexpr decltype(auto) prepare(A&& a) {
    if constexpr (lazyfuse::scalar<A>) return constant_leaf(static_cast<T>(a), shape<0>{});
    else {
      using N = bare_t<decltype(as_node(static_cast<A&&>(a)))>;
      if constexpr (!__is_same(value_t<N>, T))
        return map_expr<op::cast<T>, indices<0>, N>(a.shape(), as_node(static_cast<A&&>(a)));
      else if constexpr (is_composite<N> && ::cuda::std::is_lvalue_reference_v<A>) return named<N>(a);
      else return as_node(static_cast<A&&>(a));
    }
  }
  template <class T, auto V>
  constexpr literal_leaf<T, V> prepare(const literal_scalar<V>&) {
    return {};
  }

  template <class A>
  constexpr auto shape_of(const A& a) {
    return a.shape();
  }
  template <int R>
  constexpr shape<R> join_shapes(const char*, const shape<R>& s) {
    return s;
  }
  template <int A, int B, int... C>
  constexpr auto join_shapes(const char* operation, const shape<A>& a, const shape<B>& b, const shape<C>&... c) {
    return join_shapes(operation, broadcast_shapes(a, b, operation), c...);
  }

  template <class Op, class Seq, class... A>
  constexpr auto node(A&&... a) {
    using Node = map_expr<Op, Seq, bare_t<A>...>;
    return Node(join_shapes(Op::name, shape_of(a)...), static_cast<A&&>(a)...);
  }
  template <class Op, int... I, class... A>
  constexpr auto build(indices<I...>, A&&... a) {
    return node<Op, indices<I...>>(
        prepare<typename Op::rule::template argument<I, seen_t<A>...>>(static_cast<A&&>(a))...);
  }
  /// Scalars have no space; everything else keeps its own.
  struct no_space : expression_interface {
    using space = anywhere;
  };
  template <class A>
  struct spatial_of {
    using type = A;
  };
  template <auto V>
  struct spatial_of<literal_scalar<V>> {
    using type = no_space;
  };
  template <class A>
    requires lazyfuse::scalar<A>
  struct spatial_of<A> {
    using type = no_space;
  };
  template <class A>
  using spatial = typename spatial_of<bare_t<A>>::type;

  /// The element type with which map calls a user's function.
  template <class A>
  using callable_argument = typename rule_detail::plain<seen_t<A>>::type;

  template <int... I, class F, class... X>
  constexpr auto call_node(indices<I...>, F&& f, X&&... x) {
    return node<op::call, indices<I...>>(static_cast<F&&>(f), prepare<callable_argument<X>>(static_cast<X&&>(x))...);
  }
  /// What a wrong call returns, so that one mistake is one error.
  template <class A, class... B>
  constexpr auto first_expression(A&& a, B&&... b) {
    if constexpr (requires { a.shape(); }) return bare_t<A>(static_cast<A&&>(a));
    else return first_expression(static_cast<B&&>(b)...);
  }
  }  // namespace map_detail

  template <class Op, class... A>
  constexpr auto map(A&&... a) {
    using joined = map_detail::joined<expression_space_t<map_detail::spatial<A>>...>;
    static_assert(
        !joined::mixed,
        "lazyfuse: the arrays of one expression must live in one space; move them with to<host>(x) or to<cuda>(x)");
    if constexpr (joined::mixed) return map_detail::first_expression(static_cast<A&&>(a)...);
    else if constexpr (Op::rule::template check<map_detail::seen_t<A>...>())
      return map_detail::build<Op>(make_indices<sizeof...(A)>{}, static_cast<A&&>(a)...);
    else return map_detail::first_expression(static_cast<A&&>(a)...);
  }

  /// f(x, ...) element by element. f is called on the device for arrays there: a function object with a
  /// __host__ __device__ call operator, passed by value. It fuses like any operation.
  template <class F, class... X>
    requires(!expression<F> && !scalar<F> && operands<X...>)
  constexpr auto map(F f, X&&... x) {
    static_assert(::cuda::std::is_trivially_copyable_v<F>,
                  "lazyfuse: the callable given to map must be trivially copyable");
    constexpr bool callable = requires { f(::cuda::std::declval<map_detail::callable_argument<X>>()...); };
    static_assert(callable, "lazyfuse: the callable given to map cannot be called with these element types");
    if constexpr (callable)
      return map_detail::call_node(make_indices<sizeof...(X) + 1>{}, constant_leaf(f, shape<0>{}),
                                   static_cast<X&&>(x)...);
    else return map_detail::first_expression(static_cast<X&&>(x)...);
  }

}  // namespace lazyfuse
