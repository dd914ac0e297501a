// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// packed on the GPU: one kernel over many arrays.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/packed.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/pack_table.hpp>

namespace lazyfuse {

template <class Schedule>
struct kernel<dpp::packed<Schedule>, cuda> {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(dpp::plan_of<Plan, dpp::packed<Schedule>>, "lazyfuse: the plan lacks what its pattern asks for");
    return "packed";
  }
  template <class Plan>
  static void launch(Plan& p) {
    launch_over<typename Plan::sources>(p, p.to);
  }

 private:
  template <class Sources, class Plan, class... T>
  static void launch_over(const Plan& p, const ir::target_pack<1, T...>& to) {
    using operands = bare_t<decltype(p.bound.operands)>;
    using parameters = cuda_detail::packed_parameters<operands, ir::target_pack<1, T...>>;
    constexpr cuda_detail::thread_share share = cuda_detail::packed_shares<Schedule, Sources, list<T...>>::share;
    const cuda_detail::pack_table table(*p.arrays, nullptr, p.arrays->columns, share);
    cuda_detail::launch(
        cuda_detail::transform_packed<Schedule, Sources, list<T...>, share.width, share.depth, parameters>,
        table.blocks, 0, parameters{{p.bound.operands, to}, table.numbers});
  }
};

}  // namespace lazyfuse
