// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flat transform kernel: everything is one axis. Its threads are light, which stencils need, too.
#pragma once

#include <lazyfuse/backend/cuda/window.cuh>

namespace lazyfuse::cuda_detail {

/// The parameters of a flat kernel: one step per operand.
template <class Operands, class Targets>
struct flat_parameters {
  Operands operands;
  Targets targets;
  index_t size;
  wide_bits wide_in, wide_out;
  bool consecutive;
  bool simple;  ///< every operand and target in memory is contiguous and aligned
};

template <class Schedule, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void flat_body(const auto& p, list<Src...>, list<T...>, indices<I...>, indices<J...>) {
  constexpr int row = block_threads * Width, tile = row * Depth;
  const index_t base = static_cast<index_t>(blockIdx.x) * tile;
  const index_t left = p.size - base;
  const bool full = left >= tile;
  fetched_pack<Width, Depth, list<Src...>> values;
  results<Width, Depth, T...> out;

  if (full && p.simple) {  // everything is contiguous and aligned: nothing to decide per operand
    const index_t at = base + static_cast<int>(threadIdx.x) * Width;
    const auto load = [&]<int N>(auto& f, const auto& o, indices<N>) {
      if constexpr (f.loads) {
        if constexpr (requires { o.source.data; }) f.simple(o.source.data + at, row, true);
        else f.all(o.source, at * o.steps[0], row * o.steps[0], o.steps[0], true, 1);
      }
    };
    (load(get<I>(values), get<I>(p.operands), indices<I>{}), ...);
  } else {
    const spread threads{p.consecutive ? 1 : interleave};
    const int first = threads.template first<Width>(static_cast<int>(threadIdx.x));
    int valid[Depth];
#pragma unroll
    for (int d = 0; d < Depth; ++d) valid[d] = (full ? tile : static_cast<int>(left)) - first - d * row;
    const auto load = [&]<int N>(auto& f, const auto& o, indices<N>) {
      if constexpr (f.loads) {
        const index_t step = o.steps[0];
        const bool as_one = p.consecutive && has_bit(p.wide_in, N);
        if (full) f.all(o.source, (base + first) * step, row * step, step, as_one, threads.spacing);
        else f.some(o.source, (base + first) * step, row * step, step, as_one, threads.spacing, valid);
      }
    };
    (load(get<I>(values), get<I>(p.operands), indices<I>{}), ...);
  }

  keep_constants(values, p.operands, blockIdx.z, indices<I...>{});
  compute<Schedule, Width, Depth>(values, out);

  const spread threads{p.consecutive ? 1 : interleave};
  const int first = threads.template first<Width>(static_cast<int>(threadIdx.x));
  int valid[Depth];
#pragma unroll
  for (int d = 0; d < Depth; ++d) valid[d] = (full ? tile : static_cast<int>(left)) - first - d * row;
  const auto put = [&](const auto& r, const auto& t, int j) {
    const index_t step = t.steps[0];
    store(r, t.data + (base + first) * step, row * step, step, p.consecutive && has_bit(p.wide_out, j), threads.spacing,
          full, valid);
  };
  if (full && p.simple) {
    const index_t at = base + static_cast<int>(threadIdx.x) * Width;
    const auto put_simple = [&](const auto& r, const auto& t) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        wide<bare_t<decltype(*t.data)>, Width> together;
#pragma unroll
        for (int k = 0; k < Width; ++k) together.value[k] = r.value[d][k];
        *reinterpret_cast<bare_t<decltype(together)>*>(t.data + at + d * row) = together;
      }
    };
    (put_simple(get<J>(out), get<J>(p.targets)), ...);
  } else (put(get<J>(out), get<J>(p.targets), J), ...);
}

/// With what a stencil needs.
template <class Flat, class Targets>
struct window_parameters : Flat {
  shared_window window;
  Targets window_targets;
};

template <class Schedule, class Sources, class Types, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_flat(const __grid_constant__ Parameters p) {
  if constexpr (requires { p.window; })
    if (p.window.rows > 0)
      return window_body<Schedule,
                         ::cuda::std::conditional_t<common_size(Sources{}) == 4, unsigned, unsigned long long>>(
          p.window, p.operands, p.window_targets);
  flat_body<Schedule, Width, Depth>(p, Sources{}, Types{}, make_indices<Sources::size>{}, make_indices<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
