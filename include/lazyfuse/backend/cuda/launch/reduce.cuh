// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce on the GPU: every thread combines the prologue's values of its elements in registers, groups of
// threads merge through warp shuffles and shared memory, blocks that share an output through memory. No
// value is combined by an atomic, so results repeat bit for bit; a ticket only elects the block that ends.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/reduce_columns.cuh>
#include <lazyfuse/backend/cuda/kernels/reduce_rows.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>

namespace lazyfuse::cuda_detail {

template <class Set, class Epilogue, class Sources, int K, int R, class Bound, class... T>
void reduce(shape<R>& s, Bound& bound, const target_pack<K, T...>& to, bool along_kept) {
  constexpr int width = width_for(Sources{}, list<>{});
  constexpr int bytes = memory_bytes(Sources{}), cost = Set::prologue::cost + cost_of_sources(Sources{});
  using tuned = dpp::tuning<dpp::reductions, cuda>;
  constexpr int depth_of_columns = bytes * width > tuned::shallow_bytes ? tuned::shallow_depth : tuned::depth;
  constexpr thread_share by_rows = share_for(width, tuned::depth, tuned::load, bytes, cost),
                         by_columns = share_for(width, depth_of_columns, tuned::load, bytes, cost);
  using accumulators = typename Set::accumulators;
  using parameters = reduce_parameters<bare_t<decltype(bound.operands)>, target_pack<K, T...>, K, R>;
  const auto start = [&](auto kernel, thread_share share, index_t resident) {
    const reduce_geometry g =
        plan_reduce(s.extent, K, R, bound.info + sizeof...(T), bound.count, along_kept, share, resident);
    index_t outputs = 1;
    for (int k = 0; k < K; ++k) outputs *= s[k];
    shape<R> walked = s;
    if (!along_kept) walked[R - 1] = 1;  // the loop over chunks walks it
    const index_t inner = along_kept ? s[K > 0 ? K - 1 : 0] : s[R - 1];
    parameters p{.operands = bound.operands,
                 .targets = to,
                 .kept = walk_of<K>(s.extent),
                 .reduced = walk_of<R - K>(walked.extent + K),
                 .outputs = outputs,
                 .inner = inner,
                 .units = g.units,
                 .units_per_split = g.units_per_split,
                 .whole_chunks = inner / (index_t{g.lanes} * share.width),
                 .small_units = g.units < (index_t{1} << 31),
                 .wide = g.wide,
                 .chunks = g.chunks,
                 .splits = g.splits,
                 .chunk_divisor = divisor::of(g.chunks),
                 .group = g.group,
                 .lanes = g.lanes,
                 .consecutive = g.consecutive,
                 .simple = g.simple,
                 .tickets = nullptr,
                 .partial = nullptr};
    scratch room;
    if (g.splits > 1) {
      const std::size_t per_tile = along_kept ? static_cast<std::size_t>(g.lanes) * share.width : 1;
      room = scratch_for(sizeof(accumulators) * g.tiles * g.splits * per_tile);
      p.tickets = room.tickets;
      p.partial = room.partial;
    }
    launch(kernel, g.tiles * g.splits, 0, p);
  };
  if (along_kept) {
    if constexpr (K > 0) {
      const auto kernel = reduce_columns<Set, Epilogue, Sources, K, R, width, by_columns.depth, parameters>;
      static constinit resident_blocks resident;
      start(kernel, by_columns, resident.of(reinterpret_cast<const void*>(kernel)));
    }
  } else {
    const auto kernel = reduce_rows<Set, Epilogue, Sources, K, R, width, by_rows.depth, parameters>;
    static constinit resident_blocks resident;
    start(kernel, by_rows, resident.of(reinterpret_cast<const void*>(kernel)));
  }
}

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Set, class Epilogue, int K>
struct kernel<dpp::reduce<Set, Epilogue, K>, cuda> {
  template <class Plan>
  static const char* path(const Plan& p) {
    return p.along_kept ? "columns" : "rows";
  }
  template <class Plan>
  static const char* launch(Plan& p) {
    cuda_detail::reduce<Set, Epilogue, typename Plan::sources, K>(p.s, p.bound, p.to, p.along_kept);
    return path(p);
  }
};

}  // namespace lazyfuse
