// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scan on the GPU: one kernel, which reads and writes memory once.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/scan_columns.cuh>
#include <lazyfuse/backend/cuda/kernels/scan_rows.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

namespace lazyfuse::cuda_detail {

/// A scan: how it is laid out, and its launch.
template <class Set, class Epilogue, bool Beside, class Plan, int R, class... T>
struct scan_program {
  using sources = typename Plan::sources;
  using accumulators = typename Set::accumulators;
  static constexpr int bytes = sizeof(accumulators), K = Beside ? R - 2 : R - 1;
  static constexpr thread_share share = scan_shares<Set, Epilogue, sources, list<T...>>::share;
  static constexpr scan_facts facts = scan_facts::of(Beside, R, share, bytes);

  static scan_geometry lay_out(const Plan& plan) {
    return plan_scan(plan.s.extent, R, plan.info, Plan::targets, Plan::count, facts);
  }

  static void launch(const scan_geometry& g, const Plan& plan, const target_pack<R, T...>& to) {
    const scan_room room(g, bytes, g.lanes * share.width);
    using parameters = scan_parameters<bare_t<decltype(plan.bound.operands)>, target_pack<R, T...>, K>;
    const parameters p{{plan.bound.operands, to}, numbers_of_scan<K>(g, plan.s.extent, Beside, room)};
    void (*kernel)(parameters);
    if constexpr (Beside)
      kernel = scan_columns<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>;
    else {
      kernel = scan_tiles<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>;
      if constexpr (facts.by_rows)
        if (g.path == scan_path::rows)
          kernel = scan_rows<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>;
    }
    if (g.shared + facts.fixed > unasked_shared_bytes) allow_shared(reinterpret_cast<const void*>(kernel), g.shared);
    cuda_detail::launch(kernel, g.blocks, g.shared, p);
  }
};

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Set, class Epilogue, bool Beside>
  requires(!Beside || cuda_detail::columns_fit<Set>)
struct kernel<dpp::scan<Set, Epilogue, Beside>, cuda> {
  using geometry = cuda_detail::scan_geometry;
  template <class Plan, int R, class... T>
  static auto program(Plan& p, const ir::target_pack<R, T...>&)
      -> cuda_detail::scan_program<Set, Epilogue, Beside, Plan, R, T...>;
  template <class Plan>
  using program_of = decltype(program(std::declval<Plan&>(), std::declval<Plan&>().to));

  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::scan<Set, Epilogue, Beside>>,
                  "lazyfuse: the plan lacks what its pattern asks for");
    p.geometry = program_of<Plan>::lay_out(p);
    return !p.geometry.fits ? nullptr : Beside ? "columns" : "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    program_of<Plan>::launch(p.geometry, p, p.to);
  }
};

}  // namespace lazyfuse
