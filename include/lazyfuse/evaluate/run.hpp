// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From expressions to kernels: which pattern an expression is, and how one that is none is cut. Everything that
// evaluates comes through run().
#pragma once

#include <lazyfuse/evaluate/choices.hpp>
#include <lazyfuse/evaluate/padded.hpp>
#include <lazyfuse/evaluate/products.hpp>
#include <lazyfuse/evaluate/reduced_parts.hpp>
#include <lazyfuse/evaluate/scan.hpp>
#include <lazyfuse/evaluate/temporaries.hpp>
#include <lazyfuse/evaluate/turns.hpp>
#include <lazyfuse/evaluate/unfolded.hpp>
#include <lazyfuse/evaluate/with_graphs.hpp>

namespace lazyfuse {

namespace run_detail {

/// The expression with every reduction replaced by its materialised result. Each: those inside others, too, for each a
/// kernel of its own.
template <class Space, bool Each, class E>
auto settled(const execution& x, temporaries& t, const E& e);
/// The expression with only the reductions inside other reductions replaced.
template <class Space, class E>
auto unnested(const execution& x, temporaries& t, const E& e);

/// The argument of a reduction, as it is reduced.
template <class Space, bool Each, class A>
decltype(auto) settled_argument(const execution& x, temporaries& t, const A& argument) {
  if constexpr (Each && has_reduction<A>) return settled<Space, Each>(x, t, argument);
  else return (argument);
}
using planning::reductions_detail::own_result;
template <class Space, bool Each, class Kind, class A, int R>
auto settle(const execution& x, temporaries& t, const leaf<deferred<Kind, A>, R>& e) {
  using T = value_t<A>;
  using own = typename Kind::own;
  const A& argument = e.source.argument;
  const computed_record* met = find_computed<deferred<own, A>>(t, argument);
  if (!met) {
    const auto source =
        made<Space>(x.for_part(Kind::cut), t, own_result<own>(settled_argument<Space, Each>(x, t, argument))).source;
    met = &t.note({&computed_type<deferred<own, A>>, &argument, source.owner, source.data});
  }
  return leaf<stored<T, memory_of<Space>>, R>({met->owner, static_cast<const T*>(met->data)}, e.extents, e.steps,
                                              e.offset);
}
template <class Space, bool Each, class E>
auto settle(const execution& x, temporaries& t, const E& e) {
  return tree::rebuilt(e, [&](const auto& a) { return settled<Space, Each>(x, t, a); });
}
template <class Space, bool Each, class E>
auto settled(const execution& x, temporaries& t, const E& e) {
  if constexpr (has_reduction<E>) return settle<Space, Each>(x, t, tree::unnamed(e));
  else return e;
}

struct nesting : tree::any_leaf {
  template <class Kind, class A, int R>
  static constexpr bool deferred = Kind::in_kernel&& has_reduction<A>;
};
/// Whether an expression has a reduction inside another one.
template <class E>
inline constexpr bool has_nested = tree::fold<nesting, E>;

template <class Space, class Kind, class A, int R>
auto unnest(const execution& x, temporaries& t, const leaf<deferred<Kind, A>, R>& e) {
  return tree::with_argument(e, settled<Space, false>(x, t, e.source.argument));
}
template <class Space, class Op, class Seq, class... A>
auto unnest(const execution& x, temporaries& t, const map_expr<Op, Seq, A...>& e) {
  return tree::rebuilt(e, [&](const auto& a) { return unnested<Space>(x, t, a); });
}
template <class Space, class E>
auto unnested(const execution& x, temporaries& t, const E& e) {
  if constexpr (has_nested<E>) return unnest<Space>(x, t, e);
  else return e;
}

/// An expression that is a reduction with its axes in another order, or with axes of extent 1, goes to where it is
/// wanted. False if it is something else.
template <class Space, bool Each, int R, class T, class Monoid, int Axes, class A, bool V>
bool reduce_into(const execution& x, temporaries& t, const target<T, R>& to, allocation* const* owners,
                 const leaf<reduced<Monoid, Axes, A, V>, R>& e) {
  constexpr int K = A::rank - Axes;
  const auto kept = own_result<by_monoid<Monoid, Axes, false>>(e.source.argument).shape();
  target<T, K> own{to.data, {}};
  if (e.offset != 0) return false;
  unsigned used = 0;
  index_t step = 1;
  for (int k = K - 1; k >= 0; --k) {
    if (kept[k] == 1) continue;
    int axis = 0;
    while (axis < R && (((used >> axis) & 1) != 0 || e.extents[axis] != kept[k] || e.steps[axis] != step)) ++axis;
    if (axis == R) return false;
    own.steps[k] = to.steps[axis];
    used |= 1u << axis;
    step *= kept[k];
  }
  for (int axis = 0; axis < R; ++axis)
    if (((used >> axis) & 1) == 0 && e.extents[axis] != 1) return false;
  run<Space, K, T>(x, kept, target_pack<K, T>{{{own}}}, owners,
                   own_result<by_monoid<Monoid, Axes, false>>(settled_argument<Space, Each>(x, t, e.source.argument)));
  return true;
}
template <class Space, bool Each, int R, class T, class E>
bool reduce_into(const execution&, temporaries&, const target<T, R>&, allocation* const*, const E&) {
  return false;
}
/// What is left when the reductions are computed.
template <class Space, bool Each, int R, class... T, class... E>
void cut(const execution& x, temporaries& t, const shape<R>& s, const target_pack<R, T...>& to,
         allocation* const* owners, const E&... e) {
  if constexpr (sizeof...(E) == 1) {
    if (reduce_into<Space, Each, R>(x, t, get<0>(to), owners, e...)) return;
  }
  transform_best<Space, R, T...>(x, s, to, owners, settled<Space, Each>(x, t, e)...);
}

/// The expression with the reductions beside its scans replaced.
template <class Space, class E>
auto with_scans_alone(const execution& x, temporaries& t, const E& e);
template <class Space, class Kind, class A, int R>
auto leave_scan(const execution& x, temporaries& t, const leaf<deferred<Kind, A>, R>& e) {
  if constexpr (scans_detail::is_scan<Kind>) return e;
  else return settle<Space, false>(x, t, e);
}
template <class Space, class E>
auto leave_scan(const execution& x, temporaries& t, const E& e) {
  return tree::rebuilt(e, [&](const auto& a) { return with_scans_alone<Space>(x, t, a); });
}
template <class Space, class E>
auto with_scans_alone(const execution& x, temporaries& t, const E& e) {
  if constexpr (scans_detail::form_of<E>.reductions) return leave_scan<Space>(x, t, tree::unnamed(e));
  else return e;
}

/// Expressions with scans: reductions beside them and what they are computed from are computed first. Then one kernel,
/// or an array for each scan.
template <class Space, int R, class... T, class... E>
void scan(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
          const E&... e) {
  temporaries t;
  if constexpr ((has_nested<E> || ...)) run<Space, R, T...>(x, s, to, owners, unnested<Space>(x, t, e)...);
  else if constexpr ((scans_detail::form_of<E>.reductions || ...))
    run<Space, R, T...>(x, s, to, owners, with_scans_alone<Space>(x, t, e)...);
  else if (!scan_together<Space, R, T...>(x, s, to, owners, e...))
    transform_best<Space, R, T...>(x, s, to, owners, settled<Space, false>(x, t, e)...);
}

/// One kernel for reductions over the same axes, or for rows, if they are that and the backend can do it.
template <class Space, int R, class... T, class... E>
bool reduce_or_rows(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
                    const E&... e) {
  constexpr auto form = (planning::reductions_detail::form{} + ... + planning::reductions_detail::form_of<E>);
  constexpr bool nested = (has_nested<E> || ...);
  if constexpr (!nested) {
    if (reduce_together<Space, R, T...>(x, s, to, owners, e...)) return true;
  }
  if constexpr (planning::may_be_rows<R, E...> && (nested || form.other_leaves))
    return rows_best<Space, R, T...>(x, s, to, owners, e...);
  else return false;
}

/// Whether a library of products computes all of an expression around one whose factors are in memory.
template <class Space, int R, class... T, class... E>
bool library_takes(const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners, const E&... e) {
  if constexpr (sizeof...(E) == 1 && !finishes_products<Space> && (is_of_one_product<Space, E> && ...)) {
    plan_list plans;
    return reduce_together<Space, R, T...>(execution{&plans}, s, to, owners, e...) && plans.size() == 1 &&
           backend<Space>::multiplies(plans[0]);
  } else return false;
}

/// Whether expressions are planned as one graph, exactly: where no kernel is compiled with the program anyway.
template <class Space, class... E>
inline constexpr bool make_one_graph = [] {
  if constexpr (!space_traits<Space>::on_device || ((tree::has_barrier<E> || ...))) return false;
  else if constexpr (makes_all_kernels<Space> || (tree::fold<graph_detail::holding_graphs, E> && ...))
    return !(tree::fold<graph_detail::holding_unnamed, E> || ...);
  else return false;
}();

template <class Space, int R, class T, class E>
void run_whole(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
               const E& e) {
  if constexpr (make_one_graph<Space, E>)
    graph_detail::run_as_graph<Space, R, T>(x, s, to, owners, make_index_sequence<1>{}, e);
  else if constexpr (reads_too_many<E>) run<Space, R, T>(x, s, to, owners, barrier_detail::limit<plan_limits<>>(e));
  else transform_best<Space, R, T>(x, s, to, owners, e);
}

}  // namespace run_detail

template <class Space, int R, class... T, class... E>
void run(const execution& x, const shape<R>& s, const ir::target_pack<R, T...>& to, allocation* const* owners,
         const E&... e) {
  constexpr bool here = runnable_here<Space>;
  static_assert(
      here,
      "lazyfuse: this expression runs on the GPU; compile this file with nvcc and include <lazyfuse/cuda.cuh>, or "
      "link lazyfuse::cuda and include <lazyfuse/cuda.hpp>");
  if constexpr (here) {
    if (s.size() == 0) return;
    if constexpr (run_detail::may_be_padded<Space, E...>)
      if (run_detail::run_within_bounds<Space>(x, s, to, owners, e...)) return;
    if constexpr (run_detail::may_unfold<Space, E...>)
      if (run_detail::run_unfolded<Space>(x, s, to, owners, e...)) return;
    if constexpr ((tree::fold<graph_detail::holding_graphs, E> || ...))
      graph_detail::run_with_graphs<Space, R, T...>(x, s, to, owners, make_index_sequence<sizeof...(E)>{}, e...);
    else if constexpr ((tree::has_barrier<E> || ...)) {
      run_detail::temporaries t;
      run<Space, R, T...>(x, s, to, owners, run_detail::without_barriers<Space>(x, t, e)...);
    } else if constexpr (run_detail::make_one_graph<Space, E...>)
      graph_detail::run_as_graph<Space, R, T...>(x, s, to, owners, make_index_sequence<sizeof...(E)>{}, e...);
    else if constexpr ((run_detail::reads_too_many<E> || ...))
      run<Space, R, T...>(x, s, to, owners, barrier_detail::limit<plan_limits<>>(e)...);
    else if constexpr (!(planning::has_reduction<E> || ...)) {
      if constexpr (run_detail::may_be_parted<Space, E...>)
        if (run_detail::run_in_parts<Space>(x, s, to, owners, e...)) return;
      if constexpr (run_detail::may_turn<Space, E...>)
        if (run_detail::run_between_turns<Space>(x, s, to, owners, e...)) return;
      run_detail::transform_best<Space, R, T...>(x, s, to, owners, e...);
    } else if constexpr ((has_scan<E> || ...)) run_detail::scan<Space, R, T...>(x, s, to, owners, e...);
    else {
      constexpr auto form = (planning::reductions_detail::form{} + ... + planning::reductions_detail::form_of<E>);
      constexpr bool nested = (run_detail::has_nested<E> || ...), broadcast_back = nested || form.other_leaves;
      if constexpr (run_detail::are_around_products<Space, E...>)
        if ((run_detail::products_pay<Space>(e) && ...) &&
            !run_detail::library_takes<Space, R, T...>(s, to, owners, e...))
          return run<Space, R, T...>(x, s, to, owners, run_detail::next_apart<Space>(e)...);
      if constexpr (run_detail::may_reduce_parts<Space, E...>)
        if (run_detail::reduce_in_parts<Space>(x, s, to, owners, e...)) return;
      if (run_detail::reduce_or_rows<Space, R, T...>(x, s, to, owners, e...)) return;
      run_detail::temporaries t;
      if constexpr (planning::may_be_rows<R, E...> && broadcast_back) {
        run_detail::cut<Space, true, R, T...>(x, t, s, to, owners, e...);
      } else {
        if constexpr (broadcast_back) x.refuse("rows", planning::rows_detail::why_not<R, E...>);
        if constexpr (nested) run<Space, R, T...>(x, s, to, owners, run_detail::unnested<Space>(x, t, e)...);
        else if constexpr (form.count > 1 || form.viewed || form.other_leaves || !form.possible)
          run_detail::cut<Space, false, R, T...>(x, t, s, to, owners, e...);
      }
    }
  }
}

namespace planning {

/// The kernels of e as values, which nobody launches and nothing is allocated for. choice: rows in one kernel, or cut.
template <class Space, class E>
plan_list plans_of(const E& e, plan_choice choice = plan_choice::automatic) {
  using T = value_t<E>;
  constexpr int R = E::rank;
  plan_list plans;
  allocation* const nobody = nullptr;
  run<Space, R, T>(execution{&plans, choice}, e.shape(), ir::target_pack<R, T>{{{{nullptr, row_major(e.shape())}}}},
                   &nobody, e);
  return plans;
}

}  // namespace planning

}  // namespace lazyfuse
