// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in registers: a group of threads, of a part of a warp up to a block, loads a row once and keeps it over all
// stages. The compiler finds what the passes have in common: they are straight-line code.
#pragma once

#include <lazyfuse/backend/cuda/results.cuh>
#include <lazyfuse/backend/cuda/row_merge.cuh>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int K>
struct register_parameters {
  Operands operands;
  Targets targets;
  axes_walk<K> kept;
  index_t rows;
  int length;
  int group;  ///< threads that share a row, a power of two
  bool consecutive, one_result;
  wide_bits wide_in, wide_out;
};

template <class Staged, int S, int Width, int Depth, class Fetched>
__device__ __forceinline__ void register_stages(const Fetched& row, typename Staged::values& values,
                                                const int (&valid)[Depth], int spacing, int group) {
  if constexpr (S < Staged::count) {
    using set = typename Staged::template set<S>;
    using accumulators = typename set::accumulators;
    thread_sums<set, Width> sums;
    sums.clear();
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const register_context<Fetched> here{row, d, k};
        combine_sink<set, true> sink{sums.lane[k], k * spacing < valid[d]};
        evaluate<typename set::prologue>(with_values<register_context<Fetched>, typename Staged::values>{here, values},
                                         sink);
      }
    accumulators& a = sums.lane[0];
#pragma unroll
    for (int k = 1; k < Width; ++k) set::merge(a, sums.lane[k]);
    merge_neighbours<set>(a, group < 32 ? group : 32);
    if (group > 32) {
      constexpr int most_warps = register_threads / 32;
      __shared__ accumulators totals[most_warps];
      const int warp = static_cast<int>(threadIdx.x) / 32, warps = group / 32, first = warp & ~(warps - 1);
      if ((threadIdx.x & 31) == 0) totals[warp] = a;
      __syncthreads();
      a = totals[first];
      for (int w = 1; w < warps; ++w) set::merge(a, totals[first + w]);
    }
    keep<set>(values, a);
    register_stages<Staged, S + 1, Width, Depth>(row, values, valid, spacing, group);
  }
}

template <class Staged, int K, int R, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void registers_body(const auto& p, list<Src...>, list<T...>, indices<I...>, indices<J...>) {
  const int member = static_cast<int>(threadIdx.x) & (p.group - 1), per_block = static_cast<int>(blockDim.x) / p.group;
  index_t row = static_cast<index_t>(blockIdx.x) * per_block + static_cast<int>(threadIdx.x) / p.group;
  const bool active = row < p.rows;
  if (!active) row = p.rows - 1;
  index_t offset[sizeof...(Src) + 1] = {}, to[sizeof...(T)] = {};
  p.kept(row, [&](int axis, index_t at) {
    const auto add = [&](index_t& sum, const auto& o) {
      if constexpr (requires { o.steps; }) sum += at * o.steps[axis];
    };
    (add(offset[I], get<I>(p.operands)), ...);
    (add(to[J], get<J>(p.targets)), ...);
  });

  const int spacing = p.consecutive ? 1 : p.group, pitch = p.group * Width;
  const int first = p.consecutive ? member * Width : member;
  int valid[Depth];
#pragma unroll
  for (int d = 0; d < Depth; ++d) valid[d] = p.length - first - d * pitch;

  using fetched_row = fetched_pack<Width, Depth, list<Src...>>;
  fetched_row values;
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (f.loads) {
      const index_t step = o.steps[R - 1];
      f.some(o.source, offset[i] + first * step, pitch * step, step, p.consecutive && has_bit(p.wide_in, i), spacing,
             valid);
    }
  };
  (load(get<I>(values), get<I>(p.operands), I), ...);
  keep_constants(values, p.operands, 0, indices<I...>{});

  typename Staged::values known;
  register_stages<Staged, 0, Width, Depth>(values, known, valid, spacing, p.group);

  if (p.one_result)
#pragma unroll
    for (int d = 0; d < Depth; ++d) valid[d] = d == 0 && member == 0 ? 1 : 0;
  if (!active) return;
  results<Width, Depth, T...> out;
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      const register_context<fetched_row> here{values, d, k};
      register_sink<results<Width, Depth, T...>> sink{out, d, k};
      evaluate<typename Staged::output>(
          with_values<register_context<fetched_row>, typename Staged::values>{here, known}, sink);
    }
  const auto put = [&](const auto& r, const auto& t, int j) {
    const index_t step = t.steps[R - 1];
    store(r, t.data + to[j] + first * step, pitch * step, step, p.consecutive && has_bit(p.wide_out, j), spacing, false,
          valid);
  };
  (put(get<J>(out), get<J>(p.targets), J), ...);
}

template <class Staged, class Sources, class Types, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(register_threads) rows_in_registers(const __grid_constant__ Parameters p) {
  registers_body<Staged, K, R, Width, Depth>(p, Sources{}, Types{}, make_indices<Sources::size>{},
                                             make_indices<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
