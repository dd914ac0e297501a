// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scan on the GPU: one kernel, which reads and writes memory once.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/scan_columns.cuh>
#include <lazyfuse/backend/cuda/kernels/scan_rows.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

namespace lazyfuse::cuda_detail {

/// How much a thread takes on: what it scans, and what it reads and computes for that, stays in registers.
constexpr thread_share scan_share(int width, int bytes, int accumulators, int cost) {
  int depth = 4;
  while (width > 1 && width * accumulators > 64) width /= 2;
  while (depth > 1 && (cost * width * depth > 640 || (bytes + accumulators) * width * depth > 320)) depth /= 2;
  return {width, depth};
}

template <class Set, class Epilogue, class Sources, class... T>
inline constexpr thread_share scan_share_of = scan_share(width_for(Sources{}, list<T...>{}), memory_bytes(Sources{}),
                                                         int(sizeof(typename Set::accumulators)),
                                                         Set::prologue::cost + Epilogue::cost +
                                                             cost_of_sources(Sources{}));

template <class Set, class Epilogue, bool Beside, class Plan, int R, class... T>
const char* lay_out_scan(Plan& plan, const target_pack<R, T...>&) {
  constexpr thread_share share = scan_share_of<Set, Epilogue, typename Plan::sources, T...>;
  plan.geometry = plan_scan(plan.s.extent, R, Beside, plan.info, Plan::targets, Plan::count, share);
  return !plan.geometry.fits ? nullptr : Beside ? "columns" : "rows";
}

template <class Set, class Epilogue, bool Beside, class Plan, int R, class... T>
void scan(Plan& plan, const target_pack<R, T...>& to) {
  using sources = typename Plan::sources;
  using accumulators = typename Set::accumulators;
  constexpr thread_share share = scan_share_of<Set, Epilogue, sources, T...>;
  const scan_geometry& g = plan.geometry;
  const scan_room room(g, sizeof(accumulators) * static_cast<std::size_t>(Beside ? g.lanes * share.width : 1));
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
                     .looks_back = g.looks_back,
                     .pieces = g.pieces,
                     .board = room.board};
  if constexpr (Beside)
    launch(scan_columns<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>, g.blocks, 0, p);
  else launch(scan_rows<Set, Epilogue, sources, list<T...>, R, share.width, share.depth, parameters>, g.blocks, 0, p);
}

/// Whether what a tile of columns has in all fits the shared memory of a block: not for accumulators of many bytes.
template <class Set>
concept columns_fit = 2 * block_threads * sizeof(typename Set::accumulators) <= unasked_shared_bytes;

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Set, class Epilogue, bool Beside>
  requires(!Beside || cuda_detail::columns_fit<Set>)
struct kernel<dpp::scan<Set, Epilogue, Beside>, cuda> {
  using geometry = cuda_detail::scan_geometry;
  template <class Plan>
  static const char* path(Plan& p) {
    return cuda_detail::lay_out_scan<Set, Epilogue, Beside>(p, p.to);
  }
  template <class Plan>
  static void launch(Plan& p) {
    cuda_detail::scan<Set, Epilogue, Beside>(p, p.to);
  }
};

}  // namespace lazyfuse
