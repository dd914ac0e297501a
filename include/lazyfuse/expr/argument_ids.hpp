// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments get numbers: what fuse and the functions of several operands are made with (expr/numbers.hpp).
#pragma once

#include <lazyfuse/expr/view.hpp>

namespace lazyfuse {

namespace number_detail {

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
template <int From, int Base, bool Fresh, int I, class Source, uint64 Seen, int R>
constexpr auto number_each(const tree::leaf<tree::numbered_source<I, Source, Seen>, R>& e) {
  return tree::leaf<tree::numbered_source<Base + I, Source, Seen>, R>({static_cast<const Source&>(e.source)}, e.extents,
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

/// An expression as an argument of a function of several: its leaves have numbers from From on.
template <int From, class E>
constexpr auto numbered_argument(const E& e) {
  return over(argument<From>(e.tree), e);
}

}  // namespace number_detail

}  // namespace lazyfuse
