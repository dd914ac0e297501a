// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections where a space has them as a pattern: a mask and values are one kernel, which moves what is selected
// together.
#pragma once

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/run.hpp>

namespace lazyfuse::run_detail {

/// Axes stay in their order, which is that of the results.
template <class Space, class Lowering, int R, class Targets>
struct select_plan : bound_plan<select_plan<Space, Lowering, R, Targets>, Space, Lowering, R, Targets> {
  static constexpr const char* name = "select";
  using program = schedule<typename Lowering::programs>;
  using roots = typename program::roots;
  static constexpr const char* code = code_of<roots>.text;
  using select_plan::bound_plan::bound_plan;

  void arrange() {
    this->merge(0, R);
    this->keep_extents();
  }
  using runner = kernel<dpp::select<program>, Space>;
  [[no_unique_address]] typename runner::geometry geometry;
  const char* decide() { return runner::path(*this); }
  void launch() { runner::launch(*this); }
  double cost() const { return program::cost + 1; }
};

template <class Space, int Share, int R, class T, class Mask, class Values>
bool select_once(const execution& x, const shape<R>& s, const target_pack<R, int64, T>& to, allocation* const* owners,
                 const Mask& mask, const Values& values) {
  select_plan<Space, lowering<Share, Mask, Values>, R, target_pack<R, int64, T>> p(s, to);
  const axis_map frame = axis_map::identity(R);
  if (!p.bound.bind(lower_detail::leaves<Mask, Values>(mask, values).record, s, &frame)) return false;
  describe_all<R>(p.info, p.to, owners, p.target_numbers);
  p.arrange();
  if (x.take(p)) return true;
  throw error("compress: more elements than one kernel takes; select from a part of them at a time");
}

/// Stores the values at which the mask is true one after the other, and before them, at the first target, how many
/// there are. Whatever is no element by element function is computed first.
template <class Space, int R, class T, class Mask, class Values>
void select(const execution& x, const shape<R>& s, const target_pack<R, int64, T>& to, allocation* const* owners,
            const Mask& mask, const Values& values) {
  if constexpr (tree::fold<graph_detail::holding_graphs, Mask> || tree::fold<graph_detail::holding_graphs, Values>) {
    execution with_scope = x;
    const graph_detail::graph_scope scope(with_scope);
    select<Space, R, T>(with_scope, s, to, owners, graph_detail::in_memory<Space>(with_scope, mask),
                        graph_detail::in_memory<Space>(with_scope, values));
  } else if constexpr (tree::has_barrier<Mask> || tree::has_barrier<Values>) {
    temporaries t;
    select<Space, R, T>(x, s, to, owners, without_barriers<Space>(x, t, mask), without_barriers<Space>(x, t, values));
  } else if constexpr (reads_too_many<Mask> || reads_too_many<Values>)
    select<Space, R, T>(x, s, to, owners, barrier_detail::limit<plan_limits<>>(mask),
                        barrier_detail::limit<plan_limits<>>(values));
  else if constexpr (has_reduction<Mask> || has_reduction<Values>) {
    temporaries t;
    select<Space, R, T>(x, s, to, owners, settled<Space, false>(x, t, mask), settled<Space, false>(x, t, values));
  } else {
    // Mostly the mask is of what is selected: x(x > 1).
    constexpr bool doubtful = rows_detail::doubtful_here<R, Mask> || rows_detail::doubtful_here<R, Values>;
    share_and<Space, doubtful ? 1 : lower_detail::sharing_arrays(R), false, Mask, Values>(
        [&]<int Share>() { return select_once<Space, Share, R, T>(x, s, to, owners, mask, values); });
  }
}

}  // namespace lazyfuse::run_detail
