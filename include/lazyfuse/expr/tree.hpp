// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trees: the closed list of their nodes, and the two ways through all of them. fold makes one value of a type of tree,
// rebuilt makes another tree. Neither has a default: a kind of node that one forgets does not compile.
//
//   leaf<Source, R>              elements that are there
//   leaf<deferred<Kind, A>, R>   elements that are still to be computed, from the tree A
//   literal_leaf<T, V>           a constant of the type
//   map_expr<Op, Seq, A...>      an operation on the elements of A...
//   named<E>                     E, which the user gave a name
#pragma once

#include <lazyfuse/expr/map.hpp>

namespace lazyfuse::tree {

/// Elements that are computed from those of an argument before they can be read. The kind says how: a pattern that is
/// part of the kernel, as by_monoid (reduce.hpp), or to_memory (barrier.hpp); most kinds are empty.
template <class Kind, class A>
struct deferred {
  using kind = Kind;
  using argument_type = A;
  using value_type = typename A::value_type;
  A argument;
  [[no_unique_address]] Kind how = {};
};
template <class Kind, class A>
struct source_traits<deferred<Kind, A>> {
  using space = expression_space_t<A>;
  using viewed = deferred<typename Kind::viewed, A>;
  static constexpr bool is_argument = false;
  static constexpr int owners = A::owners;
};

/// Declared for the sake of an error that names E.
template <class E>
struct has_no_kind_that_a_traversal_knows;

/// The value that F makes of a type of tree:
///
///   F::leaf<Source, R>           of a leaf whose elements are there
///   F::deferred<Kind, A, R>      of one whose elements are not; whether it looks into A is for F to say
///   F::literal                   of a literal
///   F::map<Op>(values...)        of an operation, from the values of its arguments
///
/// A named expression is what it names.
template <class F, class E>
inline constexpr auto fold = has_no_kind_that_a_traversal_knows<E>::value;
template <class F, class Source, int R>
inline constexpr auto fold<F, leaf<Source, R>> = F::template leaf<Source, R>;
template <class F, class Kind, class A, int R>
inline constexpr auto fold<F, leaf<deferred<Kind, A>, R>> = F::template deferred<Kind, A, R>;
template <class F, class T, auto V>
inline constexpr auto fold<F, literal_leaf<T, V>> = F::literal;
template <class F, class Op, class Seq, class... A>
inline constexpr auto fold<F, map_expr<Op, Seq, A...>> = F::template map<Op>(fold<F, A>...);
template <class F, class E>
inline constexpr auto fold<F, named<E>> = fold<F, E>;

/// Whether F::holds<N> for some node N of a type of tree: for E itself, or for what it is computed from in its kernel.
template <class F, class E>
inline constexpr bool any_node = has_no_kind_that_a_traversal_knows<E>::value;
template <class F, class Source, int R>
inline constexpr bool any_node<F, leaf<Source, R>> = F::template holds<leaf<Source, R>>;
template <class F, class Kind, class A, int R>
inline constexpr bool any_node<F, leaf<deferred<Kind, A>, R>> = F::template holds<leaf<deferred<Kind, A>, R>> ||
                                                                (Kind::in_kernel && any_node<F, A>);
template <class F, class T, auto V>
inline constexpr bool any_node<F, literal_leaf<T, V>> = F::template holds<literal_leaf<T, V>>;
template <class F, class Op, class Seq, class... A>
inline constexpr bool any_node<F, map_expr<Op, Seq, A...>> = F::template holds<map_expr<Op, Seq, A...>> ||
                                                             (any_node<F, A> || ...);
template <class F, class E>
inline constexpr bool any_node<F, named<E>> = F::template holds<named<E>> || any_node<F, E>;

/// What folds have in common whose values are added up.
template <class T>
struct sums {
  static constexpr T literal = {};
  template <class Op, class... V>
  static constexpr T map(const V&... values) {
    return (T{} + ... + values);
  }
};
/// And of those that ask whether some leaf is of a kind.
struct any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = false;
  static constexpr bool literal = false;
  template <class Op, class... V>
  static constexpr bool map(V... values) {
    return (values || ...);
  }
};

/// The operation on arguments of which each(index_sequence<I>) makes number I.
template <class Op, int... I, class... A, class Each>
constexpr auto with_arguments(const map_expr<Op, index_sequence<I...>, A...>& e, const Each& each) {
  return map_expr<Op, index_sequence<I...>, bare_t<decltype(each(index_sequence<I>{}))>...>{
      {{each(index_sequence<I>{})}...}, e.extents};
}
/// The same way of computing elements, from another argument of the same shape.
template <class Kind, class A, int R, class B>
constexpr auto with_argument(const leaf<deferred<Kind, A>, R>& e, const B& argument) {
  return leaf<deferred<Kind, B>, R>({argument, e.source.how}, e.extents, e.steps, e.offset);
}

/// each(argument), which stays named if it was and is still an operation.
template <class A, class Each>
constexpr auto keeping_name(const A& a, const Each& each) {
  using R = bare_t<decltype(each(a))>;
  if constexpr (is_named<A> && !is_named<R> && requires { typename R::operation; }) return named<R>{each(a)};
  else return each(a);
}

/// The tree with each(argument) in place of the arguments of its root, what they are computed from included.
template <class Source, int R, class Each>
constexpr const leaf<Source, R>& rebuilt(const leaf<Source, R>& e, const Each&) {
  return e;
}
template <class Kind, class A, int R, class Each>
constexpr auto rebuilt(const leaf<deferred<Kind, A>, R>& e, const Each& each) {
  return with_argument(e, each(e.source.argument));
}
template <class T, auto V, class Each>
constexpr const literal_leaf<T, V>& rebuilt(const literal_leaf<T, V>& e, const Each&) {
  return e;
}
template <class Op, int... I, class... A, int R, class Each>
constexpr auto rebuilt(const map_expr<Op, index_sequence<I...>, A...>& e, const shape<R>& s, const Each& each) {
  using node = map_expr<Op, index_sequence<I...>, bare_t<decltype(keeping_name(e.template argument<I>(), each))>...>;
  if constexpr (node::rank == R) return node{{{keeping_name(e.template argument<I>(), each)}...}, s};
  else return node{{{keeping_name(e.template argument<I>(), each)}...}, {}};
}
template <class Op, class Seq, class... A, class Each>
constexpr auto rebuilt(const map_expr<Op, Seq, A...>& e, const Each& each) {
  return rebuilt(e, e.shape(), each);
}

/// What E names, or E.
template <class E>
constexpr const E& unnamed(const E& e) {
  return e;
}
template <class E>
constexpr const E& unnamed(const named<E>& e) {
  return e;
}

}  // namespace lazyfuse::tree
