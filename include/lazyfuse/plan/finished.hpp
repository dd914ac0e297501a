// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading what is computed already: sub-expressions of several assignments found by type, compared by their operands,
// and replaced by the arrays that hold their values.
#pragma once

#include <lazyfuse/plan/reductions.hpp>

namespace lazyfuse::planning {

namespace finished_detail {

template <class K>
struct equal_to {
  template <class E>
  static constexpr bool holds = __is_same(K, E);
};
/// Whether the tree K is E, or a part of it.
template <class K, class E>
inline constexpr bool occurs = tree::any_node<equal_to<K>, E>;
/// Whether the tree K is a part of E, and not all of it.
template <class K, class E>
inline constexpr bool inside = !__is_same(K, E) && occurs<K, E>;

/// Whether computing a tree is more than reading a leaf.
template <class E>
inline constexpr bool is_computed = map_detail::is_composite<E> || has_reduction<E>;

/// Whether the arguments of all reductions have the same extents and are reduced over as many axes.
bool same_arguments(const reduction_record* reductions, int count);
/// Bytes of memory that leaves read: each array once, repeated elements once.
index_t bytes_read(const leaf_record* leaves, int count);

/// Whether an elementwise expression e is f with its axes in another order; axis[k] is the axis of f that axis k of e
/// is.
bool same_but_order(const leaf_record* f, const leaf_record* e, int leaves, const index_t* extents_of_f,
                    const index_t* extents_of_e, int rank, short* axis);

/// Whether e is f, both of one type: the same operands and shape, if elementwise with the axes in any order.
template <class E>
bool same_expression(const E& f, const E& e, short* axis) {
  const lower_detail::leaves_and_reductions<E> x(f), y(e);
  if constexpr (has_reduction<E>)
    return f.shape() == e.shape() &&
           lower_detail::same_operands(x.record, y.record, x.count, x.reduction, y.reduction, x.reductions);
  else return same_but_order(x.record, y.record, x.count, f.shape().extent, e.shape().extent, E::rank, axis);
}
template <class... E>
index_t bytes_read_by(const E&... e) {
  const lower_detail::leaves<E...> all(e...);
  return bytes_read(all.record, all.count);
}

}  // namespace finished_detail

/// The values of N expressions of type K that earlier kernels have computed.
template <class K, class Space, int N = 1>
struct finished {
  const K* expression[N];
  stored<value_t<K>, Space> values[N];
  strides<K::rank> steps[N];

  /// The array that holds e's value, as a leaf; any, and known is false, if there is none.
  auto read(const K& e, bool& known) const {
    axis_map axes = axis_map::identity(K::rank);
    int i = 0;
    while (i < N && !finished_detail::same_expression(*expression[i], e, axes.axis)) ++i;
    known = known && i < N;
    if (i == N) i = 0;
    strides<K::rank> turned;
    for (int k = 0; k < K::rank; ++k) turned[k] = steps[i][axes.axis[k]];
    return leaf<stored<value_t<K>, Space>, K::rank>(values[i], e.shape(), turned);
  }
};

/// What the expressions of one kernel need not compute, and (Named) what they have in common with each other.
template <class Space, class Named, class... F>
struct finished_set;
template <class Space, class... Named, class... K, int... N>
struct finished_set<Space, list<Named...>, finished<K, Space, N>...> : finished<K, Space, N>... {
  bool known = true;  ///< every sub-expression of a type K so far is one of those
  static constexpr int size = sizeof...(K);
  template <class E>
  static constexpr bool names = (__is_same(Named, E) || ...);
  template <class E>
  static constexpr bool concerns = ((finished_detail::occurs<K, E> || ...) ||
                                    (finished_detail::occurs<Named, E> || ...));
};

namespace finished_detail {

template <class K, class Space, int N>
const finished<K, Space, N>& values_of(const finished<K, Space, N>& f) {
  return f;
}
template <class K, class Set>
concept has_values = requires(const Set& s) {
  values_of<K>(s);
};

template <class E>
auto with_name(const E& e) {
  if constexpr (map_detail::is_composite<E>) return named<E>{e};
  else return e;
}

}  // namespace finished_detail

/// The expression with its largest finished sub-expressions replaced by leaves, and with those that other
/// expressions of the set have too named, so that they are computed once.
template <class Set, class E>
auto substituted(Set& s, const E& e);

namespace finished_detail {
template <class Set, class E>
auto with_arguments_read(Set& s, const E& e) {
  return tree::rebuilt(e, [&](const auto& a) { return substituted(s, a); });
}
template <class Set, class Kind, class A, int R>
auto with_arguments_read(Set& s, const leaf<deferred<Kind, A>, R>& e) {
  const auto whole = substituted(s, e.source.argument);
  return tree::with_argument(e, tree::unnamed(whole));
}
}  // namespace finished_detail

template <class Set, class E>
auto substituted(Set& s, const E& e) {
  using namespace finished_detail;
  if constexpr (!Set::template concerns<E>) return e;
  else if constexpr (is_named<E>) return with_name(tree::unnamed(substituted(s, tree::unnamed(e))));
  else if constexpr (has_values<E, Set>) return values_of<E>(s).read(e, s.known);
  else if constexpr (Set::template names<E>) return with_name(with_arguments_read(s, e));
  else return with_arguments_read(s, e);
}

}  // namespace lazyfuse::planning
