// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of operands that lie in different orders, over axes that tiles of one size would not fit.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>
#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/turned_operands.cuh>
#include <lazyfuse/backend/cuda/kernels/usual_case.cuh>

namespace lazyfuse::cuda_detail {

/// Rows of a thread.
template <class Schedule, class Sources>
inline constexpr int turned_depth = [] {
  using tuned = transform_tuning;
  constexpr int bytes = memory_bytes(Sources{}), cost = Schedule::cost + cost_of_sources(Sources{});
  int depth = tuned::most_turned_rows;
  while (depth > 1 && !tuned::square.holds(cost, bytes, depth)) depth /= 2;
  return depth;
}();

template <class Schedule, int Depth, class Parameters, class... Src, class... T, int... J>
__device__ __forceinline__ void turned_body(const Parameters& p, unsigned char* shared, list<Src...>, list<T...>,
                                            index_sequence<J...>) {
  using tiles = turned_operands<Depth, true, Parameters, Src...>;
  using index = typename tiles::index;
  tiles t(p, shared);
  const unsigned above = blockIdx.x / p.column_tiles, batch = above / p.row_tiles;
  add_offsets<0>(t.base, p.batch, batch, p.operands, tiles::seq);
  t.go_to(static_cast<index>(above - batch * p.row_tiles) * t.tall(),
          static_cast<index>(blockIdx.x - above * p.column_tiles) * p.threads.lanes);
  t.read(0, 0);

  results<typename Schedule::roots, list<Src...>, 1, Depth, T...> out;
  evaluate_all<Schedule, Depth>([&](int d) { return t.at(d); },
                                [&](int d) {
                                  return register_sink<bare_t<decltype(out)>>{out, d, 0};
                                });
  const auto put = [&](const auto& from, const auto& target) {
    index_t base = 0;
    p.batch(batch, [&](int axis, index_t i) { base += i * target.steps[axis]; });
    const index down = static_cast<index>(target.steps[tiles::row_axis]);
    auto to = target.data + base +
              ((t.first_row + t.line) * down +
               (t.first_column + t.lane) * static_cast<index>(target.steps[tiles::column_axis]));
    const index pitch = p.threads.lines * down;
#pragma unroll
    for (int d = 0; d < Depth; ++d, to = to + pitch)
      if (t.exists(d)) *to = from.value[d][0];
  };
  (put(get<J>(out), get<J>(p.targets)), ...);
}

template <class Schedule, class Sources, class Types, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, transform_tuning::turned_residents)
    transform_turned(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  turned_body<Schedule, Depth>(p, shared_bytes, Sources{}, Types{}, make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
