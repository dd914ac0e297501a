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
  using tuned = dpp::tuning<dpp::scans, cuda>;
  while (width > 1 && width * accumulators > tuned::most_vector_bytes) width /= 2;
  return share_for(width, tuned::depth, tuned::load, bytes + accumulators, cost);
}

template <class Set, class Epilogue, bool Beside, class Plan, int R, class... T>
bool scan(Plan& plan, const target_pack<R, T...>& to) {
  using sources = typename Plan::sources;
  using accumulators = typename Set::accumulators;
  constexpr int bytes = sizeof(accumulators);
  constexpr thread_share share = scan_share(width_for(sources{}, list<T...>{}), memory_bytes(sources{}), bytes,
                                            Set::prologue::cost + Epilogue::cost + cost_of_sources(sources{}));
  constexpr int fixed = bytes * (Beside ? block_threads * share.width : block_threads / 32);
  const scan_geometry g = plan_scan(plan.s.extent, R, plan.info, Plan::targets, Plan::count,
                                    {.beside = Beside, .share = share, .accumulators = bytes, .fixed = fixed});
  if (!g.fits) return false;
  const scan_room room(g, bytes, g.lanes * share.width);
  constexpr int K = Beside ? R - 2 : R - 1;
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
  const auto start = [&](void (*kernel)(parameters)) {
    if (g.shared + fixed > unasked_shared_bytes) allow_shared(reinterpret_cast<const void*>(kernel), g.shared);
    launch(kernel, g.blocks, g.shared, p);
  };
  if constexpr (Beside)
    start(scan_columns<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>);
  else {
    if constexpr (R > 1)
      if (g.path == scan_path::rows) {
        start(scan_rows<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>);
        return true;
      }
    start(scan_tiles<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>);
  }
  return true;
}

/// Whether what a tile of columns has in all fits the shared memory of a block: not for accumulators of many bytes.
template <class Set>
concept columns_fit = block_threads * sizeof(typename Set::accumulators) <= unasked_shared_bytes;

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Set, class Epilogue, bool Beside>
  requires(!Beside || cuda_detail::columns_fit<Set>)
struct kernel<dpp::scan<Set, Epilogue, Beside>, cuda> {
  template <class Plan>
  static const char* path(const Plan&) {
    return Beside ? "columns" : "rows";
  }
  template <class Plan>
  static const char* launch(Plan& p) {
    return cuda_detail::scan<Set, Epilogue, Beside>(p, p.to) ? path(p) : nullptr;
  }
};

}  // namespace lazyfuse
