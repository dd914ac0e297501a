// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns: an expression that is one transform, one reduction or rows becomes one kernel. Lower, order the axes,
// hand to the backend; explain comes the same way without launching.
#pragma once

#include <lazyfuse/evaluate/guard.hpp>
#include <lazyfuse/program/cost_saved.hpp>

namespace lazyfuse {

namespace run_detail {

template <class Target>
void describe(operand_info& info, Target& t, allocation* owner, int rank) {
  info = {t.data, t.steps.step, owner, int(sizeof(*t.data)), rank};
}
template <int R, class... T, int... I>
void describe_all(operand_info* info, target_pack<R, T...>& to, allocation* const* owners, index_sequence<I...>) {
  (describe(info[I], get<I>(to), owners[I], R), ...);
}

template <int R, int K, class... T, int... I>
void describe_reduced(operand_info* info, target_pack<K, T...>& to, strides<R>* steps, allocation* const* owners,
                      index_sequence<I...>) {
  const auto one = [&](int i, auto& t) {
    for (int k = 0; k < K; ++k) steps[i][k] = t.steps[k];
    info[i] = {t.data, steps[i].step, owners[i], int(sizeof(*t.data)), R};
  };
  (one(I, get<I>(to)), ...);
}
template <int R, int K, class... T, int... I>
void copy_back(target_pack<K, T...>& to, const strides<R>* steps, index_sequence<I...>) {
  const auto one = [&](int i, auto& t) {
    for (int k = 0; k < K; ++k) t.steps[k] = steps[i][k];
  };
  (one(I, get<I>(to)), ...);
}

/// What a kernel costs less than its program says; devices take the general way.
template <class Space, class Schedule, class Operands>
constexpr int cost_saved(const Operands& operands) {
  if constexpr (__is_same(Space, host)) return lazyfuse::cost_saved(typename Schedule::nodes{}, operands);
  else return 0;
}

/// One transform kernel for all outputs; false if the leaves that were numbered once turn out to differ.
template <class Space, int Share, int R, class... T, class... E>
bool transform(const execution& x, shape<R> s, target_pack<R, T...> to, allocation* const* owners, const E&... e) {
  using lowered = lowering<Share, E...>;
  using sources = typename lowered::sources;
  bound_operands<lowered, R, sizeof...(T)> bound;
  const axis_map frame = axis_map::identity(R);
  if (!bound.bind(lower_detail::leaves<E...>(e...).record, s, &frame)) return false;
  describe_all<R>(bound.info, to, owners, make_index_sequence<sizeof...(T)>{});
  constexpr int count = sizeof...(T) + bound.count;
  order_axes(s.extent, 0, R, bound.info, count, sizeof...(T));
  coalesce(s.extent, 0, R, bound.info, count);
  using plan = schedule<typename lowered::programs>;
  const trace_detail::launching now(x.dry() ? nullptr : spelling<typename plan::roots>(), __is_same(Space, cuda));
  if (!x.dry()) prepare<Space>(spelling<typename plan::roots>(), s, bound, to);
  const char* path = backend<Space>::template transform<plan>(s, bound, to, x.dry());
  if (x.dry() || now.watched())
    tell<Space, Share, sources, typename plan::roots>(x, now, "transform", path, s, s, bound.info, sizeof...(T),
                                                      plan::cost - cost_saved<Space, plan>(bound.operands));
  return true;
}

/// One reduce kernel for all outputs over the argument's extents: kept axes [0, K), then the reduced ones.
template <class Space, int Share, int R, int K, class... T, class... E>
bool reduce(const execution& x, shape<R> s, target_pack<K, T...> to, allocation* const* owners, const E&... e) {
  using lowered = lowering<Share, E...>;
  using sources = typename lowered::sources;
  bound_operands<lowered, R, sizeof...(T)> bound;
  const lower_detail::leaves_and_reductions<E...> all(e...);
  axis_map frames[all.reductions + 1] = {axis_map::identity(K)};
  for (int i = 1; i <= all.reductions; ++i) frames[i] = axis_map::identity(R);
  if (!bound.bind(all.record, s, frames)) return false;
  // A target is described with R steps, 0 along the reduced axes, so that axes merge for all alike.
  strides<R> target_steps[sizeof...(T)];
  describe_reduced<R, K>(bound.info, to, target_steps, owners, make_index_sequence<sizeof...(T)>{});
  constexpr int count = sizeof...(T) + bound.count;
  order_axes(s.extent, 0, K, bound.info, count, sizeof...(T));
  order_reduced_axes(s.extent, K, R, bound.info + sizeof...(T), bound.count);
  coalesce(s.extent, 0, K, bound.info, count);
  coalesce(s.extent, K, R, bound.info, count);
  copy_back<R, K>(to, target_steps, make_index_sequence<sizeof...(T)>{});
  using plan = schedule<typename lowered::programs>;
  using set = reduction_set<typename reductions_of<typename plan::roots>::type, sources>;
  const trace_detail::launching now(x.dry() ? nullptr : spelling<typename plan::roots>(), __is_same(Space, cuda));
  if (!x.dry()) prepare<Space>(spelling<typename plan::roots>(), s, bound, to);
  const char* path = backend<Space>::template reduce<set, plan, K>(
      s, bound, to, runs_along_kept(s.extent, K, R, bound.info + sizeof...(T), bound.count), x.dry());
  if (x.dry() || now.watched()) {
    shape<R> out = s;
    for (int k = K; k < R; ++k) out[k] = 1;
    // Vectors of the host find places in long rows; in short ones each takes as long as so many operations.
    constexpr index_t each_place = __is_same(Space, host) && set::has_ordered ? 350 : 0;
    const int places = s.size() > 0 ? static_cast<int>(each_place * out.size() / s.size()) : 0;
    tell<Space, Share, sources, typename plan::roots>(
        x, now, "reduce", path, s, out, bound.info, sizeof...(T),
        set::prologue::cost + places - cost_saved<Space, typename set::prologue>(bound.operands));
  }
  return true;
}

/// Whether numbering composites once would save an operand.
template <class... E>
inline constexpr bool shares = lowering<1, E...>::sources::size < lowering<0, E...>::sources::size;
template <class Space, int R, class... T, class... E>
void transform_best(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
                    const E&... e) {
  if constexpr (shares<E...>) {
    if (transform<Space, 1, R, T...>(x, s, to, owners, e...)) return;
  }
  transform<Space, 0, R, T...>(x, s, to, owners, e...);
}
template <class Space, int R, int K, class... T, class... E>
void reduce_best(const execution& x, const shape<R>& s, const target_pack<K, T...>& to, allocation* const* owners,
                 const E&... e) {
  if constexpr (shares<E...>) {
    if (reduce<Space, 1, R, K, T...>(x, s, to, owners, e...)) return;
  }
  reduce<Space, 0, R, K, T...>(x, s, to, owners, e...);
}

/// The target over the kept axes alone: axes of extent 1 are dropped or added.
template <int K, int R, class T>
target<T, K> kept_target(const target<T, R>& t, const shape<R>& s, const shape<K>& kept) {
  target<T, K> r{t.data, {}};
  for (int k = 0, from = 0; k < K; ++k) {
    if (kept[k] == 1) continue;
    while (s[from] == 1) ++from;
    r.steps[k] = t.steps[from++];
  }
  return r;
}
template <int K, int R, class... T, int... I>
target_pack<K, T...> kept_targets(const target_pack<R, T...>& to, const shape<R>& s, const shape<K>& kept,
                                  index_sequence<I...>) {
  return {{{kept_target<K, R>(get<I>(to), s, kept)}...}};
}

/// One reduce kernel, if all reductions have the same argument extents and results are one per kept position.
template <class Space, int R, class... T, class... E>
bool reduce_together(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
                     const E&... e) {
  constexpr auto form = (reductions_detail::form{} + ... + reductions_detail::form_of<E>);
  constexpr int K = form.rank - form.axes;
  if constexpr (form.possible && ((!form.kept_dims && K == R) || !form.other_leaves)) {
    reductions_detail::common_argument<form.rank> c;
    (reductions_detail::common(e, c), ...);
    if (!c.same || !same_order(s.extent, row_major(s).step, R, c.extents.extent, K)) return false;
    shape<K> kept;
    for (int k = 0; k < K; ++k) kept[k] = c.extents[k];
    const auto targets = kept_targets<K, R, T...>(to, s, kept, make_index_sequence<sizeof...(T)>{});
    if constexpr (form.kept_dims)
      reduce_best<Space, form.rank, K, T...>(x, c.extents, targets, owners, reductions_detail::without_keepdims(e)...);
    else reduce_best<Space, form.rank, K, T...>(x, c.extents, targets, owners, e...);
    return true;
  } else return false;
}

/// The targets over an iteration in rows; a result per row does not move along it.
template <int N, int R, class T>
target<T, N> row_target(const target<T, R>& t, const row_layout& layout) {
  target<T, N> r{t.data, {}};
  for (int k = 0; k < N; ++k)
    if (layout.order[k] >= 0) r.steps[k] = t.steps[layout.order[k]];
  return r;
}
template <int N, int R, class... T, int... I>
target_pack<N, T...> row_targets(const target_pack<R, T...>& to, const row_layout& layout, index_sequence<I...>) {
  return {{{row_target<N, R>(get<I>(to), layout)}...}};
}

/// What passes over rows read a second time.
template <class Plan, int... I>
index_t again_bytes(const index_t* extents, int rank, const operand_info* operands, index_sequence<I...>) {
  constexpr int readers[] = {Plan::template passes_that_read<I>..., 0};
  index_t bytes = 0;
  for (int i = 0; i < int(sizeof...(I)); ++i)
    if (readers[i] > 1) bytes += (readers[i] - 1) * asked_bytes(extents, rank, operands + i, 1);
  return bytes;
}
/// Instructions per element over all passes, without what a row computes once.
template <class Plan, int... Pass>
constexpr int cost_of_elements(index_sequence<Pass...>) {
  return Plan::cost - (0 + ... + schedule<typename Plan::template uniform<Pass>>::cost);
}
/// The reductions that each pass computes, as the compiler spells them.
template <class Plan, int... S>
const char* const* pass_programs(index_sequence<S...>) {
  static const char* const programs[] = {spelling<typename Plan::template set<S>::reductions>()..., nullptr};
  return programs;
}

/// One kernel over rows. Returns null, or why not: leaves that were numbered once turn out to differ, the backend
/// refuses, or the cut is faster.
template <class Space, int Share, int N, int Axes, int R, class... T, class... E>
const char* rows(const execution& x, const target_pack<R, T...>& to, allocation* const* owners,
                 const lower_detail::leaves_and_reductions<E...>& all, const row_layout& layout,
                 const axis_map* frames) {
  using lowered = lowering<Share, E...>;
  using sources = typename lowered::sources;
  using plan = staged<typename schedule<typename lowered::programs>::simplified, sources>;
  constexpr int K = N - Axes, targets_count = sizeof...(T), count = targets_count + sources::size;
  constexpr int element_cost = cost_of_elements<plan>(make_index_sequence<plan::count + 1>{});
  shape<N> s;
  index_t all_rows = 1;
  for (int k = 0; k < N; ++k) s[k] = layout.extents[k];
  for (int k = 0; k < K; ++k) all_rows *= s[k];
  row_report report{plan::count + 1, nullptr, &tuning_key<Space, plan>, all_rows, s.size() / all_rows, {}};
  const plan_choice wanted = x.choice == plan_choice::automatic ? remembered_choice(report) : x.choice;
  if (wanted == plan_choice::cut) return "tune found the cut faster";
  bound_operands<lowered, N, targets_count> bound;
  if (!bound.bind(all.record, s, frames)) return "operands taken for equal differ";
  auto targets = row_targets<N, R, T...>(to, layout, make_index_sequence<targets_count>{});
  describe_all<N>(bound.info, targets, owners, make_index_sequence<targets_count>{});
  order_axes(s.extent, 0, K, bound.info, count, targets_count);
  order_reduced_axes(s.extent, K, N, bound.info, count);
  coalesce(s.extent, 0, K, bound.info, count);
  coalesce(s.extent, K, N, bound.info, count);
  bool side_by_side = false;  // memory is contiguous along a kept axis, not along the rows
  if constexpr (K > 0) {
    side_by_side = runs_along_kept(s.extent, K, N, bound.info, count);
    if (side_by_side) {
      rows_detail::rotate<K - 1, N>(s.extent);
      rows_detail::rotate_steps<K - 1, N>(bound.operands, make_index_sequence<sources::size>{});
      rows_detail::rotate_steps<K - 1, N>(targets, make_index_sequence<targets_count>{});
    }
  }
  const auto go = [&](bool dry, row_homes* homes) {
    if constexpr (K > 0) {
      if (side_by_side)
        return backend<Space>::template rows<plan, K - 1, true>(s, bound, targets, layout.one_result, dry, homes);
    }
    return backend<Space>::template rows<plan, K, false>(s, bound, targets, layout.one_result, dry, homes);
  };
  const auto describe_homes = [&] {
    report.homes.again_bytes =
        again_bytes<plan>(s.extent, N, bound.info + targets_count, make_index_sequence<sources::size>{});
    return go(true, &report.homes);
  };
  // Rows move no more bytes than the cut, launch less and compute the same. Only barriers of a grid may cost more than
  // the launches they replace, and only long rows have them: else there is nothing to compare.
  if (wanted == plan_choice::automatic && report.length >= long_row) {
    if (!describe_homes()) return backend_refuses;
    const work touched{distinct_bytes(s.extent, N, bound.info + targets_count, sources::size),
                       asked_bytes(s.extent, N, bound.info, targets_count),
                       0,
                       static_cast<double>(s.size()) * element_cost,
                       1,
                       0};
    if (report.homes.rounds > 0 && !rows_pay(report.homes, touched, plan::count, backend<Space>::machine()))
      return "barriers cost more than launches";
  }
  const trace_detail::launching now(x.dry() ? nullptr : spelling<typename plan::output::roots>(),
                                    __is_same(Space, cuda));
  const char* path = nullptr;
  if (x.dry() || now.explained()) {
    path = describe_homes();
    report.programs = pass_programs<plan>(make_index_sequence<plan::count>{});
  }
  if (!x.dry()) {
    prepare<Space>(spelling<typename plan::output::roots>(), s, bound, targets);
    path = go(false, nullptr);
  }
  if (!path) return backend_refuses;
  if (x.dry() || now.watched())
    tell<Space, Share, sources, typename plan::output::roots>(x, now, "rows", path, s, s, bound.info, targets_count,
                                                              element_cost, report);
  return nullptr;
}

/// One kernel over rows if that is possible and not slower than the cut.
template <class Space, int R, class... T, class... E>
bool rows_best(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
               const E&... e) {
  if (x.choice == plan_choice::cut) return false;
  constexpr auto form = (rows_detail::form{} + ... + rows_detail::form_of<E>);
  const lower_detail::leaves_and_reductions<E...> all(e...);
  row_layout layout;
  axis_map frames[all.reductions + 1];
  const char* why = lay_out_rows(s.extent, R, all.reduction, all.reductions, layout, frames);
  if (!why) {
    index_t size = 1;
    for (int k = 0; k < form.rank; ++k) size *= layout.extents[k];
    why = size == 0
              ? "nothing to reduce"
              : rows<Space, sharing_of_rows<E...>, form.rank, form.axes, R, T...>(x, to, owners, all, layout, frames);
  }
  if (why) x.refuse("rows", why);
  return !why;
}

}  // namespace run_detail

}  // namespace lazyfuse
