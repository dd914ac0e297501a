// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in what is sorted: searchsorted, digitize, isin. Operations on a table, as a gather's is, which fuse as all
// others do: each element is looked for by bisection in the kernel that asks for it.
#pragma once

#include <lazyfuse/expr/take.hpp>
#include <lazyfuse/sort/sorts.hpp>

namespace lazyfuse {

/// On which side of equal elements searchsorted puts a value.
struct side {
  enum class left_t {};
  enum class right_t {};
  static constexpr left_t left{};
  static constexpr right_t right{};
};

namespace sort_detail {

/// What gather_detail asks for how a table is read: here by one operation, of whatever a tree of values asks for.
template <class Op, class Values>
struct search_in {
  static constexpr int from = 1, count = 1;
  static constexpr ir::beyond outside = ir::beyond::error;
  Values values;

  static ir::table_axes<1> axes_of(const shape<1>& s, const strides<1>& steps, index_t length) {
    return {{s[0]}, {steps[0]}, length};
  }
  template <class Table>
  auto of(const Table& table, const strides<1>&, index_t offset) const {
    const auto first = tree::constant_leaf<int64>(offset, values.shape());
    return tree::map_expr<Op, make_index_sequence<3>, Table, bare_t<decltype(first)>, Values>{
        {{table}, {first}, {values}}, values.shape()};
  }
};
/// What is still to be computed, and a constant, is in memory first.
template <class Tree, class G>
auto searched(const Tree& sorted, const G& g) {
  return gather_detail::from_memory(sorted, sorted.shape(), row_major(sorted.shape()), 0, g);
}
template <class Source, class G>
  requires(!ir::is_constant<typename tree::source_traits<Source>::viewed>)
auto searched(const tree::leaf<Source, 1>& sorted, const G& g) { return gather_detail::gathered(sorted, g); }

template <class T>
inline constexpr bool has_order = boolean<T> || integer<T> || floating_point<T>;
/// The type in which elements T and those of V are compared: a number adapts to T, but integers become double beside
/// one that is not whole.
template <class T, class V>
struct compared {
  using type = promoted_t<T, value_t<V>>;
};
template <class T, class V>
  requires(!expression<V>)
struct compared<T, V> {
  using type = std::conditional_t<(integer<T> || boolean<T>)&&!std::is_integral_v<V>, double,
                                  std::conditional_t<boolean<T> && !boolean<V>, int64, T>>;
};
/// Whether those types can be compared; says why not.
template <class T, class V, class C>
constexpr bool can_search() {
  constexpr bool common = have_common_type<C>;
  static_assert(common, "lazyfuse: int64 and uint64 have no common type; convert one of them with cast<T>(x)");
  if constexpr (!common) return false;
  else {
    constexpr bool ordered = has_order<T> && has_order<C>;
    static_assert(ordered,
                  "lazyfuse: complex numbers, vectors and structs have no order; search real(x), imag(x) or abs(x)");
    return ordered;
  }
}
/// An operand as a tree of elements of type C.
template <class C, class V>
constexpr auto values_as(const V& v) {
  if constexpr (!expression<V>) return tree::constant_leaf(leaf_detail::element<C>(v, "searchsorted"), shape<0>{});
  else if constexpr (__is_same(value_t<V>, C)) return v.tree;
  else return cast<C>(v).tree;
}

template <class Op, class C, class A, class V>
auto search_values(A&& sorted, V&& values) {
  const auto tree_of_values = values_as<C>(values);
  const search_in<Op, bare_t<decltype(tree_of_values)>> g{tree_of_values};
  const auto table = values_as<C>(sorted);
  return gather_detail::result(searched(table, g), static_cast<A&&>(sorted), static_cast<V&&>(values));
}

}  // namespace sort_detail

/// searchsorted(sorted, v, side::right): where in an ascending sequence each element of v, or a number, would be put to
/// keep the order: an int64 from 0 to its length, before elements that equal it, or with side::right behind them. NaN
/// comes behind all numbers, and types meet as in comparisons. An expression that fuses, by bisection; a sequence that
/// is not sorted gives any places. \numpy{searchsorted}
template <class A, class V, class Side = side::left_t>
  requires(expression<A> && (expression<V> || scalar<V>))
auto searchsorted(A&& sorted, V&& values, Side = {}) {
  using namespace sort_detail;
  using T = value_t<A>;
  using C = typename compared<T, bare_t<V>>::type;
  constexpr bool right = __is_same(Side, side::right_t), one_axis = rank_of<A> == 1;
  static_assert(right || __is_same(Side, side::left_t), "lazyfuse: searchsorted takes side::left or side::right");
  static_assert(one_axis, "lazyfuse: searchsorted looks into a sequence: its first operand has one axis");
  if constexpr (can_search<T, bare_t<V>, C>() && one_axis) {
    using Op = std::conditional_t<right, op::search_after, op::search_before>;
    return search_values<Op, C>(static_cast<A&&>(sorted), static_cast<V&&>(values));
  } else return bare_t<A>(static_cast<A&&>(sorted));
}

/// digitize(x, edges): the number of the bin that each element is in, between ascending edges: edges[i - 1] <= x <
/// edges[i], 0 below all; with side::right edges[i - 1] < x <= edges[i]. As searchsorted; descending edges are not
/// recognised. \numpy{digitize}
template <class X, class B, class Side = side::left_t>
  requires((expression<X> || scalar<X>)&&expression<B>)
auto digitize(X&& x, B&& edges, Side = {}) {
  using from = std::conditional_t<__is_same(Side, side::right_t), side::left_t, side::right_t>;
  static_assert(__is_same(Side, side::right_t) || __is_same(Side, side::left_t),
                "lazyfuse: digitize takes side::right where a bin has its right edge");
  return searchsorted(static_cast<B&&>(edges), static_cast<X&&>(x), from{});
}

/// isin(x, test): for each element whether it is among those of test, of any shape. Sorts test at once, and is then an
/// expression that fuses, by bisection. NaN is among nothing. \numpy{isin}
template <class X, class E, class = maker>
  requires(expression<X>&& expression<E>)
auto isin(X&& x, const E& test) {
  using namespace sort_detail;
  using C = typename compared<value_t<E>, bare_t<X>>::type;
  if constexpr (can_search<value_t<E>, bare_t<X>, C>())
    return search_values<op::is_among, C>(sort(cast<C>(in_a_row(test))), static_cast<X&&>(x));
  else return x == x;
}

}  // namespace lazyfuse
