// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a gather is: leaves become operations on tables (table.hpp), of an offset along the axes that are not gathered
// and an index along each that is. It is pushed down to the leaves as views are. What is still to be computed is
// computed into memory first.
#pragma once

#include <lazyfuse/expr/table.hpp>
#include <lazyfuse/expr/window.hpp>
#include <lazyfuse/op/take.hpp>
#include <lazyfuse/program/folded.hpp>

namespace lazyfuse::gather_detail {

template <int From, int To, beyond Beyond, int... Axis, class... Index>
struct gather<From, To, Beyond, axes<Axis...>, Index...> {
  static constexpr int from = From, count = sizeof...(Axis), axis = (From + ... + Axis);  ///< axis: if it is one
  static constexpr beyond outside = Beyond;
  /// Whether an operand of that rank has an axis that is gathered.
  template <int R>
  static constexpr bool concerns = ((Axis >= -R) || ...);

  index_map<From, To> others;  ///< where the other axes are; -1 along those of the indices
  numbered<make_index_sequence<count>, Index...> indices;

  /// The axes of a table whose first element is the least that may be read: `low` from where the steps lead.
  static ir::table_axes<count> axes_of(const shape<From>& s, const strides<From>& steps, index_t length) {
    return {{s[From + Axis]...}, {steps[From + Axis]...}, length};
  }
  template <class Table>
  auto of(const Table& table, const strides<From>& steps, index_t offset) const {
    return of(table, steps, offset, make_index_sequence<count>{});
  }

 private:
  template <class Table, int... I>
  auto of(const Table& table, const strides<From>& steps, index_t offset, index_sequence<I...>) const {
    const auto first = [&] {
      if constexpr (From == count) return tree::constant_leaf<int64>(offset, others.extents);
      else {
        strides<To> moves;
        for (int k = 0; k < To; ++k) moves[k] = others.source[k] < 0 ? 0 : others.factor[k] * steps[others.source[k]];
        return tree::leaf<ir::position, To>({}, others.extents, moves, offset);
      }
    }();
    return tree::map_expr<op::take, make_index_sequence<count + 2>, Table, bare_t<decltype(first)>, Index...>{
        {{table}, {first}, {get<I>(indices)}...}, others.extents};
  }
};

/// A table of elements that are there.
template <class Source, int R, class G>
auto from_table(const tree::leaf<Source, R>& e, const G& g) {
  using source = typename tree::source_traits<Source>::viewed;
  using table = tree::table_of<source, G::count, G::outside>;
  const auto at = [&](const source& s, index_t length, index_t offset) {
    const tree::leaf<table, 0> leaf({s, g.axes_of(e.extents, e.steps, length)}, {}, {});
    return g.of(leaf, e.steps, offset);
  };
  source s = view_detail::viewed(e.source);
  if constexpr (requires { s.owner; }) {
    const ir::stretch r = reach_of(e.extents, e.steps);
    s.data += r.length > 0 ? e.offset + r.first : 0;
    return at(s, r.length, -r.first);
  } else return at(s, 0, e.offset);
}
/// Of an argument that is computed into dense memory, and read there as steps and an offset say.
template <class Argument, int R, class G>
auto from_memory(const Argument& a, const shape<R>& s, const strides<R>& steps, index_t offset, const G& g) {
  using kind = tree::to_table<G::count, G::outside>;
  const ir::stretch r = reach_of(s, steps);
  const tree::leaf<tree::deferred<kind, Argument>, 0> leaf(
      {a, {g.axes_of(s, steps, r.length), r.length > 0 ? offset + r.first : 0}}, {}, {});
  return g.of(leaf, steps, -r.first);
}
/// Of a leaf that is computed first, once where it repeats.
template <class Source, int R, class G>
auto from_leaf_in_memory(const tree::leaf<Source, R>& e, const G& g) {
  auto once = e;
  for (int k = 0; k < R; ++k)
    if (e.steps[k] == 0 && e.extents[k] > 1) once.extents[k] = 1;
  auto steps = row_major(once.extents);
  for (int k = 0; k < R; ++k)
    if (once.extents[k] == 1) steps[k] = 0;
  return from_memory(once, e.extents, steps, 0, g);
}

template <class Source, int R, class G>
auto gathered(const tree::leaf<Source, R>& e, const G& g) {
  if constexpr (ir::is_constant<typename tree::source_traits<Source>::viewed>) return view_detail::remap(e, g.others);
  else if constexpr (requires { requires tree::source_traits<Source>::in_memory_first; })
    return from_leaf_in_memory(e, g);
  else if constexpr (through_window<Source, G>) return windowed(e, g);
  else return from_table(e, g);
}
template <class Kind, class A, int R, class G>
auto gathered(const tree::leaf<tree::deferred<Kind, A>, R>& e, const G& g) {
  return from_leaf_in_memory(e, g);
}
template <bool ByLimits, class A, int R, class G>
auto gathered(const tree::leaf<tree::computed<A, ByLimits>, R>& e, const G& g) {
  return from_memory(e.source.argument, e.extents, e.steps, e.offset, g);
}
/// A gather whose table has no zeros around it is in memory before it gets some: beyond its elements its indices may be
/// anything. But those that are folded positions (folded.hpp) may be so for a table with zeros around it, if they are
/// read at positions, too.
template <class Op>
inline constexpr bool is_gather = std::is_same_v<Op, op::take>;
template <class Table, class First, class... Index>
inline constexpr bool by_folded = (ir::is_folded<Index> && ...);
template <class G>
inline constexpr bool by_positions = false;
template <int From, int To, beyond B, class Axis, class... Index>
inline constexpr bool by_positions<gather<From, To, B, Axis, Index...>> =
    (std::is_same_v<Index, tree::leaf<ir::position, To>> && ...);
/// Folded positions where others say which: none is negative, so that they can be divided.
template <int R, int To, beyond B, int... Axis, class... Index>
auto moved(const tree::leaf<ir::folded, R>& e, const gather<R, To, B, axes<Axis...>, Index...>& g) {
  tree::leaf<ir::folded, To> to(e.source, g.others.extents, {}, e.offset);
  for (int k = 0; k < To; ++k)
    if (g.others.source[k] >= 0) to.steps[k] = g.others.factor[k] * e.steps[g.others.source[k]];
  const auto along = [&](int axis, const auto& index) {
    to.offset += e.steps[axis] * (index.source.origin + index.offset);
    for (int k = 0; k < To; ++k) to.steps[k] += e.steps[axis] * index.steps[k];
  };
  [&]<int... I>(index_sequence<I...>) { (along(R + Axis, get<I>(g.indices)), ...); }
  (make_index_sequence<sizeof...(Axis)>{});
  ir::folded& f = to.source;
  const index_t least = f.origin + to.offset + f.ahead + reach_of(to.extents, to.steps).first, by = f.by.value;
  if (by <= 0) f.how = ir::folding::nearest;  // there is nothing
  else if (f.how != ir::folding::nearest && least < 0) {
    const index_t times = (by - 1 - least) / by;
    f.ahead += times * by;
    f.less += times;
  }
  return to;
}
template <int K>
ir::table_axes<K> with_nothing_of_nothing(ir::table_axes<K> axes, bool nothing) {
  for (int k = 0; k < K; ++k) axes.extents[k] = nothing ? 0 : axes.extents[k];
  return axes;
}
template <class Source, int K, beyond B>
auto with_zeros(const tree::leaf<tree::table_of<Source, K, B>, 0>& e) {
  const bool in_memory = requires { e.source.source.owner; }
  , nothing = in_memory && e.source.axes.length == 0;
  return tree::leaf<tree::table_of<Source, K, beyond::zero>, 0>(
      {e.source.source, with_nothing_of_nothing(e.source.axes, nothing)}, {}, {});
}
template <int K, beyond B, class A>
auto with_zeros(const tree::leaf<tree::deferred<tree::to_table<K, B>, A>, 0>& e) {
  const tree::to_table<K, B>& how = e.source.how;
  return tree::leaf<tree::deferred<tree::to_table<K, beyond::zero>, A>, 0>(
      {e.source.argument, {with_nothing_of_nothing(how.axes, how.axes.length == 0), how.shift}}, {}, {});
}
template <class Op, class Seq, class... A, class G>
  requires(is_gather<Op>&& G::outside == beyond::zero)
auto gathered(const tree::map_expr<Op, Seq, A...>& e, const G& g) {
  if constexpr (by_folded<A...> && by_positions<G>)
    return tree::rebuilt(e, g.others.extents, [&](const auto& a) {
      if constexpr (ir::is_folded<bare_t<decltype(a)>>) return moved(a, g);
      else if constexpr (bare_t<decltype(a)>::rank == 0) {
        if constexpr (requires { with_zeros(a); }) return with_zeros(a);
        else return a;
      } else return gathered(a, g);
    });
  else return from_memory(e, e.shape(), row_major(e.shape()), 0, g);
}
template <class Op, class Seq, class... A, class G>
auto gathered(const tree::map_expr<Op, Seq, A...>& e, const G& g) {
  return tree::rebuilt(e, g.others.extents, [&](const auto& a) {
    constexpr int R = bare_t<decltype(a)>::rank;
    if constexpr (R == 0 && G::from > 0) return a;
    else if constexpr (!G::template concerns<R>) return view_detail::remap_argument(a, e.shape(), g.others);
    else return gathered(view_detail::broadcast_tree(a, e.shape(), "take"), g);
  });
}

/// All elements of a tree in row-major order, as a sequence.
template <class Tree>
  requires(Tree::rank == 0)
auto in_sequence(const Tree& e) {
  index_map<Tree::rank, 1> m;
  m.source[0] = -1;
  m.factor[0] = 0;
  m.extents[0] = 1;
  return view_detail::remap(e, m);
}
template <class Source, int R>
  requires(R > 0)
auto in_sequence(const tree::leaf<Source, R>& e) {
  const auto ordered = [&](const auto& leaf) {
    using source = typename bare_t<decltype(leaf)>::source_type;
    return tree::leaf<source, 1>(leaf.source, shape<1>{e.extents.size()}, {{1}}, leaf.offset);
  };
  if constexpr (ir::is_constant<typename tree::source_traits<Source>::viewed>)
    return tree::leaf<typename tree::source_traits<Source>::viewed, 1>(view_detail::viewed(e.source),
                                                                       shape<1>{e.extents.size()}, {});
  else return ordered(roll_detail::through(e, ir::in_order{e.extents.size()}));
}
template <class Op, class Seq, class... A>
  requires((A::rank > 0) || ...)
auto in_sequence(const tree::map_expr<Op, Seq, A...>& e) {
  return tree::rebuilt(e, shape<1>{e.shape().size()}, [&](const auto& a) {
    if constexpr (bare_t<decltype(a)>::rank == 0) return a;
    else return in_sequence(view_detail::broadcast_tree(a, e.shape(), "take"));
  });
}

/// The tree of an index: an expression's, or a constant.
template <class I>
constexpr auto index_tree(const I& i) {
  if constexpr (expression<I>) return i.tree;
  else return tree::constant_leaf(static_cast<int64>(i), shape<0>{});
}
template <class I>
struct index_type {
  using type = I;
};
template <expression I>
struct index_type<I> {
  using type = value_t<I>;
};
template <class I>
inline constexpr bool is_index = integer<typename index_type<bare_t<I>>::type>;

/// A gather along axis A of the shape s.
template <int R, int A, int Q, class I>
auto along(const shape<R>& s, const I& index, const char* operation) {
  constexpr int To = R - 1 + Q;
  index_map<R, To> m;
  index_map<Q, To> of_index;
  for (int k = 0; k < To; ++k) {
    const bool indexed = k >= A && k < A + Q;
    m.source[k] = indexed ? -1 : k < A ? k : k - Q + 1;
    m.factor[k] = indexed ? 0 : 1;
    of_index.source[k] = indexed ? k - A : -1;
    of_index.factor[k] = indexed ? 1 : 0;
    m.extents[k] = indexed ? index.shape()[indexed ? k - A : 0] : s[m.source[k] < 0 ? 0 : m.source[k]];
  }
  of_index.extents = checked(m.extents, operation);
  const auto i = view_detail::remap(index, of_index);
  return gather<R, To, beyond::error, axes<A - R>, bare_t<decltype(i)>>{m, {{i}}};
}

/// A gather along axis A of the shape s, by indices that have its other axes as well.
template <int R, int A, class I>
auto beside(const shape<R>& s, const I& index, const char* operation) {
  shape<R> one = s;
  one[A] = 1;
  shape<R> others = index.shape();
  const index_t n = others[A];
  others[A] = 1;
  index_map<R, R> m;
  m.extents = broadcast_shapes(one, others, operation);
  m.extents[A] = n;
  for (int k = 0; k < R; ++k) {
    const bool own = k != A && s[k] == m.extents[k];
    m.source[k] = own ? k : -1;
    m.factor[k] = own ? 1 : 0;
  }
  const auto i = view_detail::broadcast_tree(index, m.extents, operation);
  return gather<R, R, beyond::error, axes<A - R>, bare_t<decltype(i)>>{m, {{i}}};
}

/// A tree over the memory of x and of the indices, which are read by each of x's leaves; one handle keeps each.
template <class X, class I, class Tree>
auto result(const Tree& tree, X&& x, I&& i) {
  if constexpr (expression<I>) return over(tree, static_cast<X&&>(x), static_cast<I&&>(i));
  else return over(tree, static_cast<X&&>(x));
}

}  // namespace lazyfuse::gather_detail
