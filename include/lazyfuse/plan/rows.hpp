// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which expressions are rows: all their reductions run along the same axes, and are broadcast back over them or reduced
// again. Types tell whether that can be; the extents and steps of a call, whether it is.
#pragma once

#include <lazyfuse/plan/axes.hpp>
#include <lazyfuse/plan/reductions.hpp>
#include <lazyfuse/program/evaluate.hpp>

namespace lazyfuse::planning {

/// An iteration laid out in rows: the axes that are kept, then those of the row.
struct row_layout {
  index_t extents[max_rank];
  short order[max_rank];  ///< the axis of the expression itself that each one is; -1 for none
  bool one_result;        ///< results are one per row, not one per element
};

/// Lays the iteration of an expression out in rows; writes one map per frame. Returns null, or why that cannot be: its
/// reductions run along different axes, or one is read in another order than its own. Compiled (src/plan/rows.cpp).
const char* lay_out_rows(const index_t* extents, int rank, const reduction_record* reductions, int count,
                         row_layout& to, axis_map* frames);

namespace rows_detail {

/// Axis From becomes the last.
template <int From, int R>
void rotate(index_t* values) {
  const index_t moved = values[From];
  for (int k = From; k + 1 < R; ++k) values[k] = values[k + 1];
  values[R - 1] = moved;
}
template <int From, int R, class Pack, int... I>
void rotate_steps(Pack& p, index_sequence<I...>) {
  const auto one = [](auto& o) {
    if constexpr (requires { o.steps; }) rotate<From, R>(o.steps.step);
  };
  (one(get<I>(p)), ...);
}

/// What all reductions of an expression, nested ones included, have in common.
struct form {
  int axes = 0, rank = 0;
  bool any = false, same = true, nested = false;
  constexpr form operator+(const form& b) const {
    form r = *this;
    if (!any) r.axes = b.axes, r.rank = b.rank;
    r.any = any || b.any;
    r.nested = nested || b.nested;
    r.same = same && b.same && (!any || !b.any || (axes == b.axes && rank == b.rank));
    return r;
  }
};
template <class Kind, class A>
inline constexpr form form_of_leaf = {};
template <class Monoid, int Axes, bool V, class A>
inline constexpr form form_of_leaf<by_monoid<Monoid, Axes, V>, A> = {Axes, A::rank, true, true, has_reduction<A>};
struct forming : tree::sums<form> {
  template <class Source, int R>
  static constexpr form leaf = {};
  template <class Kind, class A, int R>
  static constexpr form deferred = form_of_leaf<Kind, A> + tree::fold<forming, A>;
};
template <class E>
inline constexpr form form_of = tree::fold<forming, E>;

/// The arrays of rank R in each frame; those of a name met before do not count again.
template <class Arrays, class Names, bool Twice>
struct arrays_seen {
  using arrays = Arrays;
  using names = Names;
  static constexpr bool twice = Twice;
};
template <int R, class Seen, class E>
struct look;
template <int R, class Seen, class Source, int Rank>
struct look<R, Seen, leaf<Source, Rank>> {
  using type = Seen;
};
template <int R, class Seen, class T, auto V>
struct look<R, Seen, literal_leaf<T, V>> {
  using type = Seen;
};
template <int R, class Seen, class... E>
struct look_all {
  using type = Seen;
};
template <int R, class Seen, class E, class... Rest>
struct look_all<R, Seen, E, Rest...> : look_all<R, typename look<R, Seen, E>::type, Rest...> {};
template <int R, class Arrays, class Names, bool Twice, class T, class Space>
struct look<R, arrays_seen<Arrays, Names, Twice>, leaf<stored<T, Space>, R>> {
  using node = leaf<stored<T, Space>, R>;
  static constexpr bool again = contains<node, Arrays>;
  using type = arrays_seen<typename appended_if<!again, Arrays, node>::type, Names, Twice || again>;
};
template <int R, class Seen, class Op, class Seq, class... A>
struct look<R, Seen, map_expr<Op, Seq, A...>> : look_all<R, Seen, A...> {};
/// Where both operands are arrays of one type, some operations are more likely x * x than x * y.
template <int R, class Seen, class Op, class Seq, class T, class Space>
  requires(Op::squares)
struct look<R, Seen, map_expr<Op, Seq, leaf<stored<T, Space>, R>, leaf<stored<T, Space>, R>>>
    : look<R, Seen, leaf<stored<T, Space>, R>> {};
template <int R, class Arrays, class Names, bool Twice, class E>
struct look<R, arrays_seen<Arrays, Names, Twice>, named<E>> {
  using before = arrays_seen<Arrays, Names, Twice>;
  template <bool Met, class V = void>
  struct result : look<R, arrays_seen<Arrays, typename appended<Names, E>::type, Twice>, E> {};
  template <class V>
  struct result<true, V> {
    using type = before;
  };
  using type = typename result<contains<E, Names>>::type;
};

/// Whether some frame has two arrays of one type and rank R: then they are hardly the same.
template <int R, class... E>
inline constexpr bool doubtful_here = look_all<R, arrays_seen<list<>, list<>, false>, E...>::type::twice;
template <int R>
struct doubting : tree::any_leaf {
  template <class Kind, class A, int Rank>
  static constexpr bool deferred = doubtful_here<R, A> || tree::fold<doubting, A>;
};
/// Whether expressions have such a frame.
template <int R, class... E>
inline constexpr bool doubtful = doubtful_here<R, E...> || (tree::fold<doubting<R>, E> || ...);

}  // namespace rows_detail

/// Why types forbid rows.
namespace rows_detail {
template <int R, class... E>
inline constexpr const char* why_not = [] {
  constexpr auto f = (form{} + ... + form_of<E>);
  if (!f.same) return "reductions are over different numbers of axes, or of arguments of different ranks";
  return "the result has neither the rank of what is reduced nor that of its reductions";
}();
}  // namespace rows_detail

/// Whether expressions of rank R may be rows, judging by their types.
template <int R, class... E>
inline constexpr bool may_be_rows = [] {
  constexpr auto f = (rows_detail::form{} + ... + rows_detail::form_of<E>);
  return f.any && f.same && f.rank <= max_rank && (R == f.rank || (f.nested && R == f.rank - f.axes));
}();

/// How far the operands of rows are shared: (x - mean(x)) / std(x) reads x once.
template <class... E>
inline constexpr int sharing_of_rows = [] {
  constexpr int R = (rows_detail::form{} + ... + rows_detail::form_of<E>).rank;
  return rows_detail::doubtful<R, E...> ? 1 : lower_detail::sharing_arrays(R);
}();

}  // namespace lazyfuse::planning
