// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbered leaves: the same elements under types of their own, so that equal types are equal operands wherever a
// function uses its arguments. What fuse and the functions of several operands are made with.
#pragma once

#include <lazyfuse/expr/view.hpp>

namespace lazyfuse {

namespace tree {

/// Leaf number I of the arguments of a function: the same elements as Source.
template <int I, class Source>
struct numbered_source : Source {
  using value_type = typename Source::value_type;
};
template <int I, class Source>
struct source_traits<numbered_source<I, Source>> {
  using space = typename source_traits<Source>::space;
  using viewed = Source;
  static constexpr bool is_argument = true;
  static constexpr int owners = source_traits<Source>::owners;
};

}  // namespace tree

namespace number_detail {

/// What the leaves of a tree have in common: how many there are, how many of them are no constants, the largest number
/// given to one already, and whether there are reductions among them.
struct leaf_counts {
  int leaves = 0, arrays = 0, largest = -1;
  bool reductions = false;
  constexpr leaf_counts operator+(const leaf_counts& b) const {
    return {leaves + b.leaves, arrays + b.arrays, largest > b.largest ? largest : b.largest,
            reductions || b.reductions};
  }
};
template <class Source>
inline constexpr int number_of = -1;
template <int I, class Source>
inline constexpr int number_of<tree::numbered_source<I, Source>> = I;
struct counting : tree::sums<leaf_counts> {
  template <class Source, int R>
  static constexpr leaf_counts leaf{1, R > 0, number_of<Source>};
  template <class Kind, class A, int R>
  static constexpr leaf_counts deferred =
      Kind::in_kernel ? tree::fold<counting, A> + leaf_counts{0, 0, -1, true} : leaf_counts{1, R > 0};
};
template <class E>
inline constexpr leaf_counts leaf_counts_of = tree::fold<counting, E>;

/// How many numbers the leaves of a tree take.
template <class E>
inline constexpr int span = leaf_counts_of<E>.leaves + leaf_counts_of<E>.largest + 1;

constexpr int sum_before(int k, const int* values) {
  int sum = 0;
  while (k > 0) sum += values[--k];
  return sum;
}
/// The number of leaves before argument K.
template <int K, class... A>
inline constexpr int leaves_before = [] {
  constexpr int counts[] = {leaf_counts_of<A>.leaves..., 0};
  return sum_before(K, counts);
}();

/// The tree with its leaves numbered from From on if Fresh, and the numbers they have raised by Base.
template <int From, int Base, bool Fresh, class Tree>
constexpr auto number(const Tree& e);
template <int From, int Base, bool Fresh, class T, auto V>
constexpr auto number_each(const tree::literal_leaf<T, V>& e) {
  return e;
}
template <int From, int Base, bool Fresh, class Source, int R>
constexpr auto number_each(const tree::leaf<Source, R>& e) {
  if constexpr (Fresh)
    return tree::leaf<tree::numbered_source<From, Source>, R>({e.source}, e.extents, e.steps, e.offset);
  else return e;
}
template <int From, int Base, bool Fresh, int I, class Source, int R>
constexpr auto number_each(const tree::leaf<tree::numbered_source<I, Source>, R>& e) {
  return tree::leaf<tree::numbered_source<Base + I, Source>, R>({static_cast<const Source&>(e.source)}, e.extents,
                                                                e.steps, e.offset);
}
template <int From, int Base, bool Fresh, class Kind, class A, int R>
constexpr auto number_each(const tree::leaf<tree::deferred<Kind, A>, R>& e) {
  if constexpr (Kind::in_kernel) return tree::with_argument(e, number<From, Base, Fresh>(e.source.argument));
  else return e;  // no operand yet
}
template <int From, int Base, bool Fresh, class Op, class Seq, class... A>
constexpr auto number_each(const tree::map_expr<Op, Seq, A...>& e) {
  return tree::with_arguments(e, [&]<int K>(index_sequence<K>) {
    return number<From + leaves_before<K, A...>, Base, Fresh>(e.template argument<K>());
  });
}
template <int From, int Base, bool Fresh, class Tree>
constexpr auto number(const Tree& e) {
  if constexpr (tree::is_named<Tree>) {
    const auto inner = number<From, Base, Fresh>(tree::unnamed(e));
    return tree::named<bare_t<decltype(inner)>>{inner};
  } else return number_each<From, Base, Fresh>(e);
}

/// A tree as an argument whose numbers begin at From. Which leaves of one type are the same array within something that
/// was reduced, its types tell better than new numbers: it keeps the numbers it has.
template <int From, class Tree>
constexpr auto argument(const Tree& e) {
  constexpr leaf_counts c = leaf_counts_of<Tree>;
  return number<From, From + c.leaves, !c.reductions>(e);
}

/// A view of a numbered tree, with its numbers: right where both are read at the same elements, which is found out when
/// they are bound.
template <class E, class V>
constexpr auto with_numbers_of(const E& e, const V& view);
template <class E, class V>
constexpr auto keep_numbers(const E&, const V& view) {
  return view;
}
template <int I, class Source, int From, class Viewed, int R>
constexpr auto keep_numbers(const tree::leaf<tree::numbered_source<I, Source>, From>&, const tree::leaf<Viewed, R>& v) {
  if constexpr (tree::source_traits<Viewed>::is_argument) return v;
  else return tree::leaf<tree::numbered_source<I, Viewed>, R>({v.source}, v.extents, v.steps, v.offset);
}
template <class Op, class Seq, class... A, class... B>
constexpr auto keep_numbers(const tree::map_expr<Op, Seq, A...>& e, const tree::map_expr<Op, Seq, B...>& v) {
  return tree::with_arguments(
      v, [&]<int K>(index_sequence<K>) { return with_numbers_of(e.template argument<K>(), v.template argument<K>()); });
}
template <class E, class V>
constexpr auto with_numbers_of(const E& e, const V& view) {
  if constexpr (leaf_counts_of<E>.largest < 0) return view;
  else if constexpr (tree::is_named<E>) return with_numbers_of(tree::unnamed(e), view);
  else if constexpr (tree::is_named<V>) {
    const auto inner = keep_numbers(e, tree::unnamed(view));
    return tree::named<bare_t<decltype(inner)>>{inner};
  } else return keep_numbers(e, view);
}

/// An expression as an argument of a function of several: its leaves have numbers from From on.
template <int From, class E>
constexpr auto numbered_argument(const E& e) {
  return over(argument<From>(e.tree), e);
}

}  // namespace number_detail

}  // namespace lazyfuse
