// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern packed: a transform over many arrays of unlike lengths is one kernel.
#pragma once

#include <lazyfuse/evaluate/run.hpp>

namespace lazyfuse::run_detail {

template <class Space, class Lowering, class Targets>
struct packed_plan : bound_plan<packed_plan<Space, Lowering, Targets>, Space, Lowering, 1, Targets> {
  static constexpr const char* name = "packed";
  using program = schedule<typename Lowering::programs>;
  using roots = typename program::roots;
  static constexpr const char* code = code_of<roots>.text;
  using packed_plan::bound_plan::bound_plan;

  using runner = kernel<dpp::packed<program>, Space>;
  [[no_unique_address]] typename runner::geometry geometry;
  const char* decide() { return runner::path(*this); }
  void launch() { runner::launch(*this); }
  double cost() const { return program::cost - cost_saved<Space, program>(this->bound.operands); }
};

/// Whether all that a program reads are elements of memory and numbers.
template <class... Src>
constexpr bool reads_memory_alone(list<Src...>) {
  return ((kind_of_source<Src> == source_kind::memory || kind_of_source<Src> == source_kind::constant) && ...);
}
/// Whether trees can be the programs of a packed kernel.
template <class... E>
inline constexpr bool may_be_packed = [] {
  if constexpr ((planning::has_reduction<E> || ...) || (tree::has_barrier<E> || ...) ||
                (tree::fold<graph_detail::holding_graphs, E> || ...))
    return false;
  else return reads_memory_alone(typename lowering<0, E...>::sources{});
}();

/// One kernel for all outputs. arrays(info, plan): the arrays, once the operands are known, which stay until it has
/// been launched; false if there is nothing to do.
template <class Space, class... T, class Arrays, class... E>
void packed(const execution& x, const shape<1>& s, const target_pack<1, T...>& to, const Arrays& arrays,
            const E&... e) {
  allocation* const nobody[sizeof...(T)] = {};
  share_and<Space, 1, false, E...>([&]<int Share>() {
    packed_plan<Space, lowering<Share, E...>, target_pack<1, T...>> p(s, to);
    const axis_map frame = axis_map::identity(1);
    if (!p.bound.bind(lower_detail::leaves<E...>(e...).record, s, &frame)) return false;
    describe_all<1>(p.info, p.to, nobody, p.target_numbers);
    p.keep_extents();
    p.arrays = arrays(p.info + p.targets, p.bound.count);
    x.take(p);
    return true;
  });
}

}  // namespace lazyfuse::run_detail
