// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// packed and packed_rows on the GPU: one kernel over many arrays.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/packed.cuh>
#include <lazyfuse/backend/cuda/kernels/row_packed.cuh>
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
    const cuda_detail::pack_table table(*p.arrays, nullptr, p.arrays->column_count, cuda_detail::packed_part(share));
    cuda_detail::launch(
        cuda_detail::transform_packed<Schedule, Sources, list<T...>, share.width, share.depth, parameters>,
        table.blocks, 0, parameters{{p.bound.operands, to}, table.numbers});
  }
};

template <class Staged>
struct kernel<dpp::packed_rows<Staged>, cuda> {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(dpp::plan_of<Plan, dpp::packed_rows<Staged>>, "lazyfuse: the plan lacks what its pattern asks for");
    return "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    launch_over<typename Plan::sources>(p, p.to);
  }

 private:
  using rows = ir::staged_off_chip_t<Staged>;
  template <class Sources, class Plan, class... T>
  static void launch_over(const Plan& p, const ir::target_pack<1, T...>& to) {
    using operands = bare_t<decltype(p.bound.operands)>;
    using parameters = cuda_detail::packed_row_parameters<operands, ir::target_pack<1, T...>>;
    using shares = cuda_detail::packed_row_shares<rows, Sources, list<T...>>;
    constexpr auto instance =
        cuda_detail::rows_packed<rows, Sources, list<T...>, shares::width, shares::depth, parameters>;
    const cuda_detail::kept_rounds kept = cuda_detail::keep_rounds(
        *p.arrays, index_t{shares::width} * shares::depth * cuda_detail::row_tuning::team_threads, shares::round_bytes,
        shares::merge_bytes);
    const cuda_detail::pack_table table(*p.arrays, nullptr, p.arrays->column_count, 0);
    if (kept.shared_bytes > cuda_detail::unasked_shared_bytes)
      cuda_detail::allow_shared(reinterpret_cast<const void*>(instance), kept.shared_bytes);
    cuda_detail::launch(instance, table.blocks, kept.shared_bytes,
                        parameters{{p.bound.operands, to}, {table.numbers, kept.rounds}},
                        cuda_detail::row_tuning::team_threads);
  }
};

}  // namespace lazyfuse
