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
  /// Whether memory is contiguous along another axis than the last, mostly.
  bool is_turned() const {
    bool turned = false;
    for (int k = 0; k < R - 1; ++k)
      turned = turned || runs_along_kept(this->s.extent, k + 1, R, this->info + this->targets, this->bound.count);
    return turned;
  }
  void launch() { runner::launch(*this); }
  double cost() const { return program::cost + 1; }
};

/// What one kernel was tried for: leaves that were numbered once differ; it is done; or what it reads is turned, and
/// there is a kernel for that.
enum class selected { not_so, yes, turned };
template <class Space, int Share, int R, class T, class Mask, class Values>
selected select_once(const execution& x, const shape<R>& s, const target_pack<R, int64, T>& to,
                     allocation* const* owners, const Mask& mask, const Values& values) {
  select_plan<Space, lowering<Share, Mask, Values>, R, target_pack<R, int64, T>> p(s, to);
  const axis_map frame = axis_map::identity(R);
  if (!p.bound.bind(lower_detail::leaves<Mask, Values>(mask, values).record, s, &frame)) return selected::not_so;
  describe_all<R>(p.info, p.to, owners, p.target_numbers);
  p.arrange();
  if constexpr (R > 1)
    if (p.is_turned()) return selected::turned;
  if (x.take(p)) return selected::yes;
  throw error(backend_refuses);
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
    selected done = selected::not_so;
    share_and<Space, doubtful ? 1 : lower_detail::sharing_arrays(R), false, Mask, Values>([&]<int Share>() {
      done = select_once<Space, Share, R, T>(x, s, to, owners, mask, values);
      return done != selected::not_so;
    });
    if constexpr (R > 1) {
      if (done != selected::turned) return;
      using Memory = memory_of<Space>;
      const shape<1> all{s.size()};
      const array<bool, 1, Memory> all_mask(all, caller{});
      const array<T, 1, Memory> all_values(all, caller{});
      allocation* const both[] = {all_mask.owner(), all_values.owner()};
      const auto steps = row_major(s);
      run<Space, R, bool, T>(
          x.for_part("what it reads is turned"), s,
          target_pack<R, bool, T>{{{{all_mask.unshared(), steps}}, {{all_values.unshared(), steps}}}}, both, mask,
          values);
      const target_pack<1, int64, T> line{{{{get<0>(to).data, {}}}, {{get<1>(to).data, row_major(all)}}}};
      select<Space, 1, T>(x, all, line, owners, all_mask.tree, all_values.tree);
    }
  }
}

}  // namespace lazyfuse::run_detail
