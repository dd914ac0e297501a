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
  int rows_per_block;
  int group_bits;  ///< of the number of threads that share a row
  bool consecutive, one_result;
  bool whole;  ///< one axis is kept, and every operand is read in whole vectors, or is the same along a row
  wide_bits wide_in, wide_out;
};

/// A thread's share of a row: Depth vectors of Width elements.
template <int Width, int Depth>
struct row_share {
  int first, spacing, pitch;  ///< of its elements in the row
  int valid[Depth];           ///< of each vector, how far the row goes on
};

template <class Staged, class Sources, int S, bool Whole, bool Block, int Width, int Depth, class Fetched>
__device__ __forceinline__ void register_stages(const Fetched& row, const auto& operands,
                                                typename Staged::values& known, const row_share<Width, Depth>& share,
                                                int group_bits) {
  if constexpr (S < Staged::count) {
    using set = typename Staged::template set<S>;
    using accumulators = typename set::accumulators;
    using context = register_context<Fetched>;
    using values_type = pass_values_of<Staged, S, Sources>;
    const values_type values(known, operands);
    accumulators a;
    if constexpr (Whole) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        thread_sums<set, Width> sums;
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const context here{row, d, k};
          note_sink<set> sink{sums.lane[k]};
          evaluate<typename set::prologue>(with_values<context, values_type>{here, values}, sink);
        }
        merge_within<set>(sums);
        if (share.valid[d] <= 0) set::clear(sums.lane[0]);
        if (d == 0) a = sums.lane[0];
        else set::merge(a, sums.lane[0]);
      }
    } else {
      thread_sums<set, Width> sums;
      sums.clear();
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const context here{row, d, k};
          combine_sink<set, true> sink{sums.lane[k], k * share.spacing < share.valid[d]};
          evaluate<typename set::prologue>(with_values<context, values_type>{here, values}, sink);
        }
      merge_within<set>(sums);
      a = sums.lane[0];
    }
    merge_neighbours<set>(a, group_bits);
    if constexpr (Block) {
      if (group_bits > 5) {
        constexpr int most_warps = register_threads / 32;
        __shared__ accumulators totals[most_warps];
        const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
        const int warps = 1 << (group_bits - 5), first = warp & ~(warps - 1);
        if (lane == 0) totals[warp] = a;
        __syncthreads();
        a = totals[first + (lane & (warps - 1))];
        merge_neighbours<set>(a, group_bits - 5);
      }
    }
    keep<set>(known, a);
    register_stages<Staged, Sources, S + 1, Whole, Block, Width, Depth>(row, operands, known, share, group_bits);
  }
}

template <class Staged, bool Whole, bool Block, int K, int R, int Width, int Depth, class... Src, class... T, int... I,
          int... J>
__device__ __forceinline__ void registers_body(const auto& p, list<Src...>, list<T...>, index_sequence<I...>,
                                               index_sequence<J...>) {
  const int thread = static_cast<int>(threadIdx.x), member = thread & ((1 << p.group_bits) - 1);
  index_t row =
      ((static_cast<index_t>(blockIdx.x) * static_cast<int>(blockDim.x)) >> p.group_bits) + (thread >> p.group_bits);
  const bool active = row < p.rows;
  if (!active) row = p.rows - 1;
  index_t offset[sizeof...(Src) + 1] = {}, to[sizeof...(T)] = {};
  const auto add_all = [&](int axis, index_t at) {
    const auto add = [&](index_t& sum, const auto& o) {
      if constexpr (requires { o.steps; }) sum += at * o.steps[axis];
    };
    (add(offset[I], get<I>(p.operands)), ...);
    (add(to[J], get<J>(p.targets)), ...);
  };
  if (Whole && K > 0) add_all(K - 1, row);
  else p.kept(row, add_all);

  row_share<Width, Depth> share;
  share.spacing = Whole || p.consecutive ? 1 : 1 << p.group_bits;
  share.pitch = Width << p.group_bits;
  share.first = Whole || p.consecutive ? member * Width : member;
#pragma unroll
  for (int d = 0; d < Depth; ++d) share.valid[d] = p.length - share.first - d * share.pitch;

  using fetched_row = fetched_pack<Width, Depth, list<Src...>>;
  using context = register_context<fetched_row>;
  fetched_row values;
  // What only the results need is loaded when they are computed: it is most often the same for all rows.
  const auto load = [&]<int N, bool Late>(auto& f, const auto& o, index_sequence<N>, ::cuda::std::bool_constant<Late>) {
    constexpr int i = N;
    if constexpr (f.loads && Staged::template read_before<Staged::count, N> == !Late) {
      const index_t step = o.steps[R - 1];
      if constexpr (Whole && f.is_memory) {
        const auto from = o.source.data + offset[i];
#pragma unroll
        for (int d = 0; d < Depth; ++d) {
          if (has_bit(p.wide_in, i)) {
            if (share.valid[d] > 0) f.row(d, from + share.first + d * share.pitch);
          } else {
            const auto same = *from;
#pragma unroll
            for (int k = 0; k < Width; ++k) f.value[d][k] = same;
          }
        }
      } else
        f.some(o.source, offset[i] + share.first * step, share.pitch * step, step,
               p.consecutive && has_bit(p.wide_in, i), share.spacing, share.valid);
    }
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, ::cuda::std::false_type{}), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});

  typename Staged::values known;
  register_stages<Staged, list<Src...>, 0, Whole, Block, Width, Depth>(values, p.operands, known, share, p.group_bits);
  using values_type = pass_values_of<Staged, Staged::count, list<Src...>>;
  const values_type row_values(known, p.operands);
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, ::cuda::std::true_type{}), ...);

  if (p.one_result)
#pragma unroll
    for (int d = 0; d < Depth; ++d) share.valid[d] = d == 0 && member == 0 ? 1 : 0;
  if (!active) return;
  results<Width, Depth, T...> out;
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      const context here{values, d, k};
      register_sink<results<Width, Depth, T...>> sink{out, d, k};
      evaluate<typename Staged::output>(with_values<context, values_type>{here, row_values}, sink);
    }
  const auto put = [&](const auto& r, const auto& t, int j) {
    if (Whole && !p.one_result) {
#pragma unroll
      for (int d = 0; d < Depth; ++d)
        if (share.valid[d] > 0) r.one(d, t.data + to[j] + share.first + d * share.pitch);
    } else {
      const index_t step = t.steps[R - 1];
      store(r, t.data + to[j] + share.first * step, share.pitch * step, step, p.consecutive && has_bit(p.wide_out, j),
            share.spacing, false, share.valid);
    }
  };
  (put(get<J>(out), get<J>(p.targets), J), ...);
}

/// How many elements of a row a thread holds: 64 bytes of all that stages read.
template <class Staged, class... Src, int... I>
constexpr int register_elements(list<Src...>, index_sequence<I...>, int width) {
  const int bytes = (0 + ... + (Staged::template read_before<Staged::count, I> ? kept_bytes<Src> : 0));
  int elements = most_register_elements;
  while (elements > width && elements * bytes > 64) elements /= 2;
  return elements;
}

/// Whether several operands are stored in less than a register: conversions keep each element in two.
template <class... Src>
constexpr bool converts_often(list<Src...>) {
  return (0 + ... + (Src::is_memory && sizeof(typename Src::value_type) < 4)) > 1;
}
/// Three blocks to a processor, or two: memory waits for one while the others compute. Block: more than a warp may
/// share a row.
template <class Staged, class Sources, class Types, bool Block, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(register_threads, converts_often(Sources{}) ? 2 : 3)
    rows_in_registers(const __grid_constant__ Parameters p) {
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  if (p.whole) registers_body<Staged, true, Block, K, R, Width, Depth>(p, Sources{}, Types{}, operands, targets);
  else registers_body<Staged, false, Block, K, R, Width, Depth>(p, Sources{}, Types{}, operands, targets);
}

}  // namespace lazyfuse::cuda_detail
