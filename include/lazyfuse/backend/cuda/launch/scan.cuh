// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scan on the GPU: one kernel, which reads and writes memory once.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/scan_columns.cuh>
#include <lazyfuse/backend/cuda/kernels/scan_rows.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

namespace lazyfuse::cuda_detail {

/// A thread's vectors: what it scans, and what it reads and computes for that, stays in registers.
constexpr thread_share scan_share(int width, int bytes, int accumulators, int cost) {
  using tuned = scan_tuning;
  while (width > 1 && width * accumulators > tuned::most_vector_bytes) width /= 2;
  return share_for(width, tuned::depth, tuned::load, bytes + accumulators, cost);
}

/// A scan: how it is laid out, and its launch.
template <class Set, class Epilogue, bool Beside, class Plan, int R, class... T>
struct scan_program {
  using sources = typename Plan::sources;
  using accumulators = typename Set::accumulators;
  static constexpr int bytes = sizeof(accumulators), K = Beside ? R - 2 : R - 1;
  static constexpr thread_share share = scan_share(width_for(sources{}, list<T...>{}), memory_bytes(sources{}), bytes,
                                                   Set::prologue::cost + Epilogue::cost + cost_of_sources(sources{}));
  static constexpr bool by_rows =
      !Beside && R > 1 && block_threads* share.width* bytes <= unasked_shared_bytes;  // to turn a piece
  static constexpr int fixed = bytes * (Beside ? block_threads * share.width : block_threads / 32);

  static scan_geometry lay_out(const Plan& plan) {
    return plan_scan(plan.s.extent, R, plan.info, Plan::targets, Plan::count,
                     {.beside = Beside, .share = share, .accumulators = bytes, .by_rows = by_rows, .fixed = fixed});
  }

  static void launch(const scan_geometry& g, const Plan& plan, const target_pack<R, T...>& to) {
    const scan_room room(g, bytes, g.lanes * share.width);
    using parameters = scan_parameters<bare_t<decltype(plan.bound.operands)>, target_pack<R, T...>, K>;
    const parameters p{.operands = plan.bound.operands,
                       .targets = to,
                       .kept = walk_of<K>(plan.s.extent),
                       .rows = g.rows,
                       .length = plan.s[K],
                       .width = Beside ? plan.s[R - 1] : 1,
                       .wide_in = g.wide_in,
                       .wide_out = g.wide_out,
                       .lanes = g.lanes,
                       .spacing = g.spacing,
                       .stacked = g.stacked,
                       .chunks = g.chunks,
                       .abreast = g.abreast,
                       .board = room.board};
    void (*kernel)(parameters);
    if constexpr (Beside)
      kernel = scan_columns<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>;
    else {
      kernel = scan_tiles<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>;
      if constexpr (by_rows)
        if (g.path == scan_path::rows)
          kernel = scan_rows<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>;
    }
    if (g.shared + fixed > unasked_shared_bytes) allow_shared(reinterpret_cast<const void*>(kernel), g.shared);
    cuda_detail::launch(kernel, g.blocks, g.shared, p);
  }
};

/// Whether what a tile of columns has in all fits the shared memory of a block: not for accumulators of many bytes.
template <class Set>
concept columns_fit = block_threads * sizeof(typename Set::accumulators) <= unasked_shared_bytes;

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
