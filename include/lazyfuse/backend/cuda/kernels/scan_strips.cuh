// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of short rows and of low columns, in registers, element by element: the threads of a row, which are part of a
// warp, have neighbouring elements, and as many of them as the row asks for; a column has one thread.
#pragma once

#include <lazyfuse/backend/cuda/kernels/column_registers.cuh>
#include <lazyfuse/backend/cuda/kernels/row_strips.cuh>
#include <lazyfuse/backend/cuda/kernels/scan.cuh>

namespace lazyfuse::cuda_detail {

/// Threads: that share a strip, a power of two up to 32. The rest is as of strip_body().
template <class Set, class Epilogue, class Sources, class Types, int R, int Held, int Threads, class Index, int... I,
          int... J>
__device__ __forceinline__ void scan_strip(const auto& p, const auto& place, const Index (&base)[sizeof...(I) + 1],
                                           const Index (&to)[sizeof...(J)], bool active, index_sequence<I...> operands,
                                           index_sequence<J...>) {
  using parameters = bare_t<decltype(p)>;
  using accumulators = typename Set::accumulators;
  scan_pieces<Set, Epilogue, R, 1, Held, Sources, Types> pieces;
  pieces.full = false;
#pragma unroll
  for (int d = 0; d < Held; ++d) pieces.valid[d] = place.exists(d);
  const auto load = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
    if constexpr (bare_t<decltype(f)>::loads)
      load_of_strip<parameters::template step<N>, Held>(f, o, base[N], place, 0, Held);
  };
  (load(get<I>(pieces.values), get<I>(p.operands), index_sequence<I>{}), ...);
  keep_constants(pieces.values, p.operands, 0, operands);

  accumulators here[Held][1], before;
  pieces.compute(here, 1);
  Set::clear(before);
#pragma unroll
  for (int d = 0; d < Held; ++d) {
    accumulators start = before, up_to = here[d][0];
    if constexpr (Threads > 1) {
      up_to = scan_lanes<Set>(up_to, Threads);
      start = joined<Set>(before, before_lanes<Set>(up_to, Threads));
    }
    pieces.finish(d, 0, start, joined<Set>(start, here[d][0]));
    if constexpr (Threads > 1) up_to = of_lane<Set>(up_to, (static_cast<int>(threadIdx.x) & 31) | (Threads - 1));
    before = joined<Set>(before, up_to);
  }
  if (!active) return;
  const auto put = [&]<int N>(const auto& r, const auto& t, index_sequence<N>) {
#pragma unroll
    for (int d = 0; d < Held; ++d)
      if (place.exists(d))
        t.data[to[N] + place.template below<parameters::template step<int(sizeof...(I)) + N>>(t, d)] = r.value[d][0];
  };
  (put(get<J>(pieces.out), get<J>(p.targets), index_sequence<J>{}), ...);
}

template <class Set, class Epilogue, class Sources, class Types, int K, int R, int Held, int Threads, class Parameters>
__global__ void __launch_bounds__(block_of_short_rows) scan_rows_in_strips(const __grid_constant__ Parameters p) {
  using index = typename Parameters::index;
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  constexpr int of_block = block_of_short_rows / Threads;
  const int thread = static_cast<int>(threadIdx.x), own = thread / Threads;
  const row_place<K, R, Held, Threads, 1, 1, index> place{p, thread - own * Threads, nullptr, nullptr};
  index_t row = static_cast<index_t>(blockIdx.x) * of_block + own;
  const bool active = row < p.rows;
  if (!active) row = p.rows - 1;  // lanes wait for each other
  index base[Sources::size + 1] = {}, to[Types::size] = {};
  walk_to<index>(p.kept, row, [&](int axis, index_t i) { begin_at(base, to, p, axis, i, operands, targets); });
  scan_strip<Set, Epilogue, Sources, Types, R, Held, Threads>(p, place, base, to, active, operands, targets);
}

/// Columns are counted over all axes but the scanned one.
template <class Set, class Epilogue, class Sources, class Types, int K, int R, int Held, class Parameters>
__global__ void __launch_bounds__(block_threads) scan_columns_in_strips(const __grid_constant__ Parameters p) {
  using index = typename Parameters::index;
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  const column_place<K, R, Held, 32, 1, true, index> place{p, 0, 0, 0, nullptr};
  const index_t column = static_cast<index_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (column >= p.columns) return;
  index base[Sources::size + 1] = {}, to[Types::size] = {};
  walk_to<index>(p.kept, column,
                 [&](int axis, index_t i) { begin_at(base, to, p, axis == K ? R - 1 : axis, i, operands, targets); });
  scan_strip<Set, Epilogue, Sources, Types, R, Held, 1>(p, place, base, to, true, operands, targets);
}

}  // namespace lazyfuse::cuda_detail
