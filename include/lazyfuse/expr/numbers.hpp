// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbered leaves: the same elements under types of their own, so that equal types are equal operands wherever a
// function uses its arguments. A view of one keeps the number, and its type says which view it is.
#pragma once

#include <lazyfuse/expr/tree.hpp>

namespace lazyfuse {

namespace number_detail {

/// Which axes of an argument a view shows, where types say it. A byte for each axis of the view, the last axis in the
/// highest: the axis of the argument, counted from 1, with `backwards` if it is read from its end; 0 for a new one.
inline constexpr uint64 backwards = 0x80, byte = 0xff;
/// The argument as it is.
inline constexpr uint64 as_it_is = 0;
/// A view that depends on values, as by a range: its leaves have no numbers.
inline constexpr uint64 by_values = ~uint64{0};
/// The axes in another order, read as those that they are: what reductions do to their arguments.
inline constexpr uint64 for_a_reduction = ~uint64{1};

constexpr uint64 axis_of(uint64 view, int k) { return view >> 8 * k & byte; }
constexpr uint64 all_axes(int rank) {
  uint64 view = 0;
  for (int k = 0; k < rank; ++k) view |= uint64(k + 1) << 8 * k;
  return view;
}
/// A view of rank To of a view.
constexpr uint64 seen_through(uint64 inner, uint64 outer, int to) {
  uint64 view = 0;
  for (int k = 0; k < to; ++k) {
    const uint64 in = axis_of(outer, k);
    if (in == 0) continue;
    const int from = int(in & ~backwards) - 1;
    const uint64 axis = inner == as_it_is ? uint64(from + 1) : axis_of(inner, from);
    if (axis != 0) view |= (axis ^ (in & backwards)) << 8 * k;
  }
  return view == all_axes(to) ? as_it_is : view;
}
/// The view as an operand sees it that lacks the first `missing` axes of what is viewed.
constexpr uint64 for_operand(uint64 view, int missing, int to) {
  if (view == for_a_reduction) return view;
  uint64 own = 0;
  for (int k = 0; k < to; ++k) {
    const uint64 in = axis_of(view, k);
    if (int(in & ~backwards) > missing) own |= (in - uint64(missing)) << 8 * k;
  }
  return own;
}

}  // namespace number_detail

namespace tree {

/// Leaf number I of the arguments of a function, or what a view of it shows: the same elements as Source.
template <int I, class Source, uint64 Seen = number_detail::as_it_is>
struct numbered_source : Source {
  using value_type = typename Source::value_type;
};
template <int I, class Source, uint64 Seen>
struct source_traits<numbered_source<I, Source, Seen>> {
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
template <int I, class Source, uint64 Seen>
inline constexpr int number_of<tree::numbered_source<I, Source, Seen>> = I;
struct counting : tree::sums<leaf_counts> {
  template <class Source, int R>
  static constexpr leaf_counts leaf{1, R > 0, number_of<Source>};
  template <class Kind, class A, int R>
  static constexpr leaf_counts deferred =
      Kind::in_kernel ? tree::fold<counting, A> + leaf_counts{0, 0, -1, true} : leaf_counts{1, R > 0};
};
template <class E>
inline constexpr leaf_counts leaf_counts_of = tree::fold<counting, E>;
template <class E>
inline constexpr bool has_numbers = leaf_counts_of<E>.largest >= 0;

/// A view of a numbered tree, with the numbers. Two of one type are compared where they are bound: an axis of extent 1
/// may be repeated in one of them.
template <uint64 View, class E, class V>
constexpr auto with_numbers_of(const E& e, const V& view);
template <uint64 View, class E, class V>
constexpr auto keep_numbers(const E&, const V& view) {
  return view;
}
template <uint64 View, int I, class Source, uint64 Seen, int From, class Viewed, int R>
constexpr auto keep_numbers(const tree::leaf<tree::numbered_source<I, Source, Seen>, From>&,
                            const tree::leaf<Viewed, R>& v) {
  if constexpr (tree::source_traits<Viewed>::is_argument) return v;  // a scalar beside arrays, which stayed as it was
  else {
    constexpr uint64 seen = View == for_a_reduction ? Seen : seen_through(Seen, View, R);
    return tree::leaf<tree::numbered_source<I, Viewed, seen>, R>({v.source}, v.extents, v.steps, v.offset);
  }
}
template <uint64 View, class Op, class Seq, class... A, class... B>
constexpr auto keep_numbers(const tree::map_expr<Op, Seq, A...>& e, const tree::map_expr<Op, Seq, B...>& v) {
  constexpr int from = tree::map_expr<Op, Seq, A...>::rank, to = tree::map_expr<Op, Seq, B...>::rank;
  return tree::with_arguments(v, [&]<int K>(index_sequence<K>) {
    const auto& argument = e.template argument<K>();
    return with_numbers_of<for_operand(View, from - bare_t<decltype(argument)>::rank, to)>(argument,
                                                                                           v.template argument<K>());
  });
}
template <uint64 View, class E, class V>
constexpr auto with_numbers_of(const E& e, const V& view) {
  if constexpr (View == by_values || !has_numbers<E>) return view;
  else if constexpr (tree::is_named<E>) return with_numbers_of<View>(tree::unnamed(e), view);
  else if constexpr (tree::is_named<V>) {
    const auto inner = keep_numbers<View>(e, tree::unnamed(view));
    return tree::named<bare_t<decltype(inner)>>{inner};
  } else return keep_numbers<View>(e, view);
}

}  // namespace number_detail

}  // namespace lazyfuse
