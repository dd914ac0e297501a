// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that come again evenly, on devices: what repeat, tile and kron read is a view, of two axes for each axis of
// the result: which element, and which time. So no thread divides a position for an index.
#pragma once

#include <lazyfuse/evaluate/choices.hpp>
#include <lazyfuse/evaluate/graph_nodes.hpp>
#include <lazyfuse/program/folded.hpp>

namespace lazyfuse::run_detail {

/// What positions and folded positions are made of: themselves, and tables of them that are read at others.
template <class E>
inline constexpr bool is_folded_place = ir::is_folded<E> || is_place<E>;
template <ir::table_read Take, class Seq, class Source, int K, ir::beyond B, class... Place>
  requires(__is_same(Source, ir::position) || __is_same(Source, ir::folded))
inline constexpr bool is_folded_place<map_expr<Take, Seq, leaf<tree::table_of<Source, K, B>, 0>, Place...>> =
    (is_folded_place<Place> && ...);
/// A read of a table in that memory at such places, not all of which are positions.
template <class Memory, class E>
inline constexpr bool is_folded_read = false;
template <class Memory, ir::table_read Take, class Seq, class T, int K, ir::beyond B, class... Place>
inline constexpr bool
    is_folded_read<Memory, map_expr<Take, Seq, leaf<tree::table_of<stored<T, Memory>, K, B>, 0>, Place...>> =
        (is_folded_place<Place> && ...) && !(is_place<Place> && ...) && ((Place::rank > 0) || ...);
template <class Memory>
struct folded_reads {
  template <class N>
  static constexpr bool holds = is_folded_read<Memory, N>;
};
/// Whether an expression is one whose axes may be split.
template <class Space, class... E>
inline constexpr bool may_unfold = false;
template <class Space, class E>
inline constexpr bool may_unfold<Space, E> = [] {
  if constexpr (!space_traits<Space>::on_device || E::rank == 0 || 2 * E::rank > max_rank ||
                planning::has_reduction<E> || tree::has_barrier<E> || tree::fold<graph_detail::holding_graphs, E>)
    return false;
  else  // what is cut by position is cut as a whole
    return tree::any_node<folded_reads<memory_of<Space>>, E> && !has_choice<E> && !may_turn<Space, E>;
}();

/// How long the runs are that axes are split into; 0 where nothing asks for it.
struct split_axes {
  index_t run[max_rank] = {};
  void propose(int axis, index_t extent, index_t length) {
    if (run[axis] == 0 && length > 1 && length < extent && extent % length == 0) run[axis] = length;
  }
};
template <int R, int Q>
void propose_along(const leaf<ir::position, Q>& e, const shape<R>& whole, const ir::folded& how, split_axes& to) {
  for (int k = 0; k < Q; ++k)
    if (e.steps[k] != 0) to.propose(k + R - Q, whole[k + R - Q], how.by.value);
}
template <int R, class E>
void propose_splits(const E&, const shape<R>&, split_axes&) {}
template <int R, int Q>
void propose_splits(const leaf<ir::folded, Q>& e, const shape<R>& whole, split_axes& to) {
  propose_along<R, Q>(leaf<ir::position, Q>({}, e.extents, e.steps), whole, e.source, to);
}
template <int R, class Op, int... I, class... A>
void propose_splits(const map_expr<Op, index_sequence<I...>, A...>& e, const shape<R>& whole, split_axes& to) {
  (propose_splits(tree::unnamed(e.template argument<I>()), whole, to), ...);
  // A table of folded positions that is read at positions: repeat along one axis of what repeats along another.
  if constexpr (ir::table_read<Op>) {
    const auto& table = e.template argument<0>();
    const auto& first = e.template argument<1>();
    if constexpr (requires {
                    table.source.source.by;
                    first.source.origin;
                    first.steps;
                  })
      propose_along(first, whole, table.source.source, to);
  }
}

/// A place over the axes of a result: a sum of steps, and, if not all positions along the last axis are folded evenly,
/// `times` the index of one of those.
template <int R>
struct place_sum {
  index_t first = 0;
  strides<R> steps;
  ir::folded how{};  ///< along the last axis
  index_t from = 0, step = 0, times = 0;
  bool known = true;

  void add(const place_sum& a, index_t scale) {
    first += a.first * scale;
    for (int k = 0; k < R; ++k) steps[k] += a.steps[k] * scale;
    known = known && a.known && (a.times == 0 || times == 0);
    if (a.times == 0) return;
    how = a.how;
    from = a.from;
    step = a.step;
    times = a.times * scale;
  }
  /// The least and the greatest index of what is folded along the last axis.
  index_t least_index() const { return how.how == ir::folding::remainder ? 0 : static_cast<index_t>(how.at(from)); }
  index_t last_index(const shape<R>& s) const {
    return how.how == ir::folding::remainder ? how.by.value - 1
                                             : static_cast<index_t>(how.at(from + (s[R - 1] - 1) * step));
  }
  /// Whether all of it is from 0 to before n.
  bool is_within(index_t n, const shape<R>& s) const {
    index_t least = first, last = first;
    for (int k = 0; k < R; ++k) (steps[k] < 0 ? least : last) += (s[k] - 1) * steps[k];
    if (times != 0) {
      least += times * (times < 0 ? last_index(s) : least_index());
      last += times * (times < 0 ? least_index() : last_index(s));
    }
    return known && least >= 0 && last < n;
  }
};
/// The index that a folding makes of a place, each of whose axes is in whole runs, or within one.
template <int R>
place_sum<R> folded_evenly(const place_sum<R>& at, const ir::folded& how, const shape<R>& s, bool keeps_last) {
  const index_t run = how.by.value, first = how.position(at.first);
  const bool divides = how.how == ir::folding::quotient;
  place_sum<R> to;
  to.known = at.known && at.times == 0 && first >= 0 && run > 0 && (divides || how.how == ir::folding::remainder);
  if (!to.known) return to;
  index_t within = first % run;
  bool others = false;  // than the last axis
  for (int k = 0; k < R; ++k) {
    const index_t step = s[k] > 1 ? at.steps[k] : 0;
    to.known = to.known && step >= 0;
    others = others || (step != 0 && k < R - 1);
    to.steps[k] = divides ? step / run : step % run;
    if (step % run != 0) within += (s[k] - 1) * step;
  }
  if (within < run) {
    to.first = static_cast<index_t>(how.at(at.first));
    return to;
  }
  to.known = to.known && keeps_last && !others;
  to.steps = {};
  to.how = how;
  to.from = at.first;
  to.step = at.steps[R - 1];
  to.times = 1;
  return to;
}
template <int R, class Source, int Q>
place_sum<R> place_of(const leaf<Source, Q>& e, const shape<R>& s, bool keeps_last) {
  place_sum<R> to;
  to.first = ir::is_folded<leaf<Source, Q>> ? e.offset : static_cast<index_t>(e.source.at(e.offset));
  if constexpr (!ir::is_constant<Source>)
    for (int k = 0; k < Q; ++k) to.steps[k + R - Q] = e.steps[k];
  if constexpr (ir::is_folded<leaf<Source, Q>>) return folded_evenly(to, e.source, s, keeps_last);
  else return to;
}
template <int R, class Op, class Seq, class... A>
place_sum<R> place_of(const map_expr<Op, Seq, A...>& e, const shape<R>& s, bool keeps_last);
/// Where a read reads a table, its indices being within the table's axes.
template <int R, class Table, class First, class... Index>
place_sum<R> place_in_table(const shape<R>& s, bool keeps_last, const Table& table, const First& first,
                            const Index&... index) {
  place_sum<R> to = place_of(tree::unnamed(first), s, keeps_last);
  int axis = 0;
  const auto move = [&](const auto& a) {
    const place_sum<R> i = place_of(tree::unnamed(a), s, keeps_last);
    to.known = to.known && i.is_within(table.source.axes.extents[axis], s);
    to.add(i, table.source.axes.steps[axis++]);
  };
  (move(index), ...);
  return to;
}
template <int R, class Op, int... I, class... A>
place_sum<R> place_of_read(const map_expr<Op, index_sequence<I...>, A...>& e, const shape<R>& s, bool keeps_last) {
  return place_in_table(s, keeps_last, e.template argument<I>()...);
}
template <int R, class Op, class Seq, class... A>
place_sum<R> place_of(const map_expr<Op, Seq, A...>& e, const shape<R>& s, bool keeps_last) {
  place_sum<R> at = place_of_read(e, s, keeps_last);
  const auto& source = e.template argument<0>().source.source;
  if constexpr (requires { source.by; }) return folded_evenly(at, source, s, keeps_last);
  else {
    at.first = static_cast<index_t>(source.at(at.first));
    return at;
  }
}

/// What such a read reads: a view; or a table of what positions along the last axis are folded into, if that is kept.
template <bool KeepsLast, int R, class E>
auto unfolded_read(const E& e, const shape<R>& s, bool& known) {
  const auto& table = e.template argument<0>().source;
  const place_sum<R> at = place_of_read(e, s, KeepsLast);
  using source = bare_t<decltype(table.source)>;
  known = known && at.known && (at.times == 0 || at.least_index() >= 0);
  if constexpr (KeepsLast) {
    using one_axis = leaf<tree::table_of<source, 1, ir::beyond::error>, 0>;
    using position = leaf<ir::position, R>;
    using index = leaf<ir::folded, R>;
    strides<R> last;
    last[R - 1] = at.step;
    const bool folds = at.times != 0;
    const ir::folded none{ir::folding::nearest, {}, 1, 0};
    const one_axis elements({table.source, {{folds ? at.last_index(s) + 1 : 1}, {at.times}, table.axes.length}}, {},
                            {});
    return map_expr<typename E::operation, make_index_sequence<3>, one_axis, position, index>{
        {{elements}, {position({}, s, at.steps, at.first)}, {index(folds ? at.how : none, s, last, at.from)}}, s};
  } else return leaf<source, R>(table.source, s, at.steps, at.first);
}
template <class Memory, bool KeepsLast, int R, class E>
auto unfolded(const E& e, const shape<R>& s, bool& known) {
  if constexpr (E::rank == 0) return e;
  else if constexpr (tree::is_named<E>) return unfolded<Memory, KeepsLast>(tree::unnamed(e), s, known);
  else if constexpr (is_folded_read<Memory, E>) return unfolded_read<KeepsLast>(e, s, known);
  else if constexpr (requires { typename E::operation; })
    return tree::rebuilt(e, [&](const auto& a) { return unfolded<Memory, KeepsLast>(a, s, known); });
  else return e;
}

/// What is elementwise, and cut nowhere (run.hpp).
template <class Space, int R, class T, class E>
void run_whole(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
               const E& e);

template <class Space, bool KeepsLast, int R, class T, class E>
bool run_over_runs(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
                   const E& e, const split_axes& splits) {
  constexpr int To = KeepsLast ? 2 * R - 1 : 2 * R;
  index_map<R, To> m;
  target_pack<To, T> targets;
  get<0>(targets).data = get<0>(to).data;
  const auto along = [&](int axis, int of, index_t extent, index_t times) {
    m.source[axis] = of;
    m.factor[axis] = times;
    m.extents[axis] = extent;
    get<0>(targets).steps[axis] = times * get<0>(to).steps[of];
  };
  for (int k = 0; k < R; ++k) {
    const index_t run = splits.run[k] > 0 ? splits.run[k] : s[k];
    if (2 * k + 1 == To) along(2 * k, k, s[k], 1);
    else {
      along(2 * k, k, s[k] / run, run);
      along(2 * k + 1, k, run, 1);
    }
  }
  bool known = true;
  const auto own = unfolded<memory_of<Space>, KeepsLast>(view_detail::remap(tree::unnamed(e), m), m.extents, known);
  if (known) run_whole<Space, To, T>(x, m.extents, targets, owners, own);
  return known;
}
/// Returns false, and has done nothing, where positions are not folded evenly. Runs along the last axis that are short
/// stay folded, where kernels are made at run time: threads take their elements of those together. Not for lists to be
/// launched: prepared kernels look for their operands where these begin.
template <class Space, int R, class T, class E>
bool run_unfolded(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
                  const E& e) {
  constexpr index_t least_run = 32;
  if (x.list && x.list->has_memory()) return false;
  split_axes splits;
  propose_splits(tree::unnamed(e), s, splits);
  const index_t inner = splits.run[R - 1];
  if (inner == 0 || inner >= least_run) return run_over_runs<Space, false>(x, s, to, owners, e, splits);
  bool others = false;
  for (int k = 0; k + 1 < R; ++k) others = others || splits.run[k] > 0;
  if constexpr (R > 1 && makes_all_kernels<Space>)
    return others && run_over_runs<Space, true>(x, s, to, owners, e, splits);
  else return false;
}

}  // namespace lazyfuse::run_detail
