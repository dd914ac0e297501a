// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns: an expression that is one transform, one reduction or rows becomes one kernel. Lower, order the axes,
// hand to the backend; explain comes the same way without launching.
#pragma once

#include <lazyfuse/evaluate/bound_plan.hpp>

namespace lazyfuse {

namespace run_detail {

/// One transform kernel for all outputs; false if the leaves that were numbered once turn out to differ.
template <class Space, int Share, int R, class... T, class... E>
bool transform(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
               const E&... e) {
  transform_plan<Space, lowering<Share, E...>, R, target_pack<R, T...>> p(s, to);
  const axis_map frame = axis_map::identity(R);
  if (!p.bound.bind(lower_detail::leaves<E...>(e...).record, s, &frame)) return false;
  describe_all<R>(p.info, p.to, owners, p.target_numbers);
  p.arrange();
  x.take(p);
  return true;
}

/// One reduce kernel for all outputs.
template <class Space, int Share, int R, int K, class... T, class... E>
bool reduce(const execution& x, const shape<R>& s, const target_pack<K, T...>& to, allocation* const* owners,
            const E&... e) {
  reduce_plan<Space, lowering<Share, E...>, R, target_pack<K, T...>> p(s, to);
  const lower_detail::leaves_and_reductions<E...> all(e...);
  axis_map frames[all.reductions + 1] = {axis_map::identity(K)};
  for (int i = 1; i <= all.reductions; ++i) frames[i] = axis_map::identity(R);
  if (!p.bound.bind(all.record, s, frames)) return false;
  describe_reduced<R, K>(p.info, p.to, p.target_steps, owners, p.target_numbers);
  p.arrange();
  x.take(p);
  return true;
}

/// The ways of sharing operands that a kernel is tried with, one after the other (plan/sharing_ways.hpp). What is
/// written twice is looked for by types where kernels are loops that are compiled here; where they are made at run
/// time, it is found out there which operands are one.
template <class Space, int Names, bool OfRows, class... E>
inline constexpr lower_detail::sharing_ways ways = [] {
  if constexpr (makes_all_kernels<Space>) return lower_detail::sharing_ways{{0}, 1};
  else return lower_detail::ways_of<E...>(Names, !space_traits<Space>::on_device, OfRows);
}();
/// Calls `attempt.template operator()<Share>()` for each way of sharing until one is right. Returns whether one was.
template <class Space, int Names, bool OfRows, class... E, class Attempt>
bool share_and(const Attempt& attempt) {
  constexpr lower_detail::sharing_ways w = ways<Space, Names, OfRows, E...>;
  const auto try_all = [&]<int... I>(index_sequence<I...>) { return (attempt.template operator()<w.way[I]>() || ...); };
  return try_all(make_index_sequence<w.count>{});
}
template <class Space, int R, class... T, class... E>
void transform_best(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
                    const E&... e) {
  share_and<Space, 1, false, E...>(
      [&]<int Share>() { return transform<Space, Share, R, T...>(x, s, to, owners, e...); });
}
template <class Space, int R, int K, class... T, class... E>
bool reduce_best(const execution& x, const shape<R>& s, const target_pack<K, T...>& to, allocation* const* owners,
                 const E&... e) {
  return share_and<Space, 1, false, E...>(
      [&]<int Share>() { return reduce<Space, Share, R, K, T...>(x, s, to, owners, e...); });
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
  constexpr auto form = (planning::reductions_detail::form{} + ... + planning::reductions_detail::form_of<E>);
  constexpr int K = form.rank - form.axes;
  if constexpr (form.possible && ((!form.kept_dims && K == R) || !form.other_leaves)) {
    planning::reductions_detail::common_argument<form.rank> c;
    (planning::reductions_detail::common(e, c), ...);
    if (!c.same || !same_order(s.extent, row_major(s).step, R, c.extents.extent, K)) return false;
    shape<K> kept;
    for (int k = 0; k < K; ++k) kept[k] = c.extents[k];
    const auto targets = kept_targets<K, R, T...>(to, s, kept, make_index_sequence<sizeof...(T)>{});
    if constexpr (form.kept_dims)
      return reduce_best<Space, form.rank, K, T...>(x, c.extents, targets, owners,
                                                    planning::reductions_detail::without_keepdims(e)...);
    else return reduce_best<Space, form.rank, K, T...>(x, c.extents, targets, owners, e...);
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

inline constexpr const char* operands_differ = "operands of one type turned out to be different arrays or views";
/// Whether kernels over rows can be made at run time.
template <class Space>
inline constexpr bool makes_rows = requires(kernel_plan& p) {
  backend<Space>::make_rows(p);
};
/// One kernel over rows, by a type of plan. Returns null, or why not: leaves that were numbered once turn out to
/// differ, the backend refuses, or the cut is faster.
template <class plan, class Space, int N, int Axes, int R, class... T, class... E>
const char* rows(const execution& x, const target_pack<R, T...>& to, allocation* const* owners,
                 const lower_detail::leaves_and_reductions<E...>& all, const row_layout& layout,
                 const axis_map* frames) {
  using program = typename plan::program;
  shape<N> s;
  index_t all_rows = 1;
  for (int k = 0; k < N; ++k) s[k] = layout.extents[k];
  for (int k = 0; k < N - Axes; ++k) all_rows *= s[k];
  const row_report report{program::count + 1, plan::known(), all_rows, s.size() / all_rows};
  plan p(s, row_targets<N, R, T...>(to, layout, plan::target_numbers));
  p.rows = report;
  p.rows.one_result = layout.one_result;
  if (!p.bound.bind(all.record, s, frames)) return operands_differ;
  const plan_choice wanted = x.choice == plan_choice::automatic ? remembered_choice(report) : x.choice;
  if (wanted == plan_choice::cut) return "tune found the cut faster";
  describe_all<N>(p.info, p.to, owners, p.target_numbers);
  p.arrange();
  if constexpr (backend<Space>::in_vectors) {
    using tuned = dpp::tuning<dpp::row_stages, Space>;
    const index_t side_by_side = N > Axes ? p.s[N > Axes ? N - Axes - 1 : 0] : 1;
    // Moments are found across rows, and numbers that are made cost as operations do.
    constexpr bool by_themselves =
        Axes == 1 && !program::has_near && cost_of_sources<Space>(typename plan::sources{}) == 0;
    constexpr int again = by_themselves ? schedule<typename program::repeated>::cost
                                        : cost_of_elements<program>(make_index_sequence<program::count + 1>{});
    constexpr index_t longest = program::has_near ? tuned::longest_of_moments_in_steps : tuned::longest_in_steps;
    if (wanted == plan_choice::automatic && !p.rows.beside && report.length <= longest &&
        (by_themselves ? all_rows : side_by_side) >= tuned::least_in_steps &&
        again <= report.passes * tuned::beside_elements(false, static_cast<double>(report.length), 1))
      return "short rows are faster step by step";
  }
  if (const index_t elements = s.size();
      wanted == plan_choice::automatic && rows_are_to_be_compared(report.length, elements)) {
    p.type->decide(p);
    if (!p.path) return backend_refuses;
    if (!rows_pay(p.rows.where, p.touched(), program::count, elements, backend<Space>::machine()))
      return "the cut is predicted to take less";
  }
  return x.take(p) ? nullptr : backend_refuses;
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
    constexpr int N = form.rank, share = sharing_of_rows<E...>;
    const auto by = [&]<template <class, class, int, int, class> class Plan, int Share>() {
      return rows<Plan<Space, lowering<Share, E...>, N, form.axes, target_pack<N, T...>>, Space, N, form.axes, R, T...>(
          x, to, owners, all, layout, frames);
    };
    if constexpr (makes_all_kernels<Space>)
      why = size == 0 ? "nothing to reduce" : by.template operator()<made_rows_plan, 0>();
    else {
      why = size == 0 ? "nothing to reduce" : operands_differ;
      if (size != 0)
        share_and<Space, share, true, E...>([&]<int Share>() {
          why = by.template operator()<rows_plan, Share>();
          return why != operands_differ;
        });
      // Types take the two arrays of softmax(x) * softmax(y) for one. Run time does not.
      if constexpr (share > 0 && makes_rows<Space>)
        if (why == operands_differ && !by.template operator()<made_rows_plan, 0>()) why = nullptr;
    }
  }
  if (why) x.refuse("rows", why);
  return !why;
}

}  // namespace run_detail

}  // namespace lazyfuse
