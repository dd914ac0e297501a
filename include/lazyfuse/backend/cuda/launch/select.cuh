// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select on the GPU: one kernel, which reads memory once and writes what is selected.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/select.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/select_geometry.hpp>
#include <lazyfuse/backend/cuda/launch/transform.cuh>

namespace lazyfuse {

template <class Schedule>
struct kernel<dpp::select<Schedule>, cuda> {
  using geometry = cuda_detail::select_geometry;
  template <class Sources, int R, class... T>
  static auto share(const ir::target_pack<R, T...>&) -> cuda_detail::select_shares<Schedule, Sources, list<T...>>;
  template <class Plan>
  using share_of = decltype(share<typename Plan::sources>(std::declval<Plan&>().to));

  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::select<Schedule>>, "lazyfuse: the plan lacks what its pattern asks for");
    p.geometry =
        cuda_detail::plan_selection(p.s.extent, Plan::rank, p.info, Plan::targets, Plan::count, share_of<Plan>::share);
    return "tiles";
  }
  template <class Plan>
  static void launch(Plan& p) {
    constexpr auto all = make_index_sequence<Plan::sources::size>{};
    if (Plan::rank == 1 || p.geometry.line)
      start<1>(p, p.s.extent + (Plan::rank - 1), cuda_detail::flat_operands(p.bound.operands, all), p.to);
    if constexpr (Plan::rank > 1)
      if (!p.geometry.line) start<Plan::rank>(p, p.s.extent, p.bound.operands, p.to);
  }

 private:
  template <int R, class Plan, class Operands, int K, class... T>
  static void start(const Plan& p, const index_t* extents, const Operands& operands,
                    const ir::target_pack<K, T...>& to) {
    using parameters = cuda_detail::select_parameters<Operands, ir::target_pack<1, T...>, R>;
    constexpr cuda_detail::thread_share share = share_of<Plan>::share;
    const cuda_detail::select_room room(p.geometry);
    const parameters all{{operands, cuda_detail::flat_targets(to, make_index_sequence<Plan::targets>{})},
                         cuda_detail::numbers_of_selection<R>(p.geometry, extents, room)};
    cuda_detail::launch(cuda_detail::select_tiles<Schedule, typename Plan::sources, list<T...>, R, share.width,
                                                  share.depth, parameters>,
                        p.geometry.blocks, 0, all);
  }
};

}  // namespace lazyfuse
