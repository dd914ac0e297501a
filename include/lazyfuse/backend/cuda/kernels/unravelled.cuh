// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flat transform kernel over rows that begin anywhere: what is dense is read and written in vectors across their
// ends, and for what is broadcast along them or lies apart, the linear index is taken to pieces.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/unravelled_layout.hpp>

namespace lazyfuse::cuda_detail {

/// IsDense: of each operand. Those, and all targets, are in memory as the positions are, from whole vectors on.
template <class Operands, class Targets, int R, bool... IsDense>
struct unravelled_parameters : bound_to<Operands, Targets>, unravelled_numbers<R> {
  template <int I>
  static constexpr bool is_dense = [] {
    constexpr bool dense[] = {IsDense..., false};
    return dense[I];
  }();
};

template <class Schedule, int Width, int Depth, int R, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void unravelled_body(const auto& p, list<Src...>, list<T...>, index_sequence<I...>,
                                                index_sequence<J...>) {
  using parameters = bare_t<decltype(p)>;
  constexpr int row = block_threads * Width, size = row * Depth;
  const unsigned base = blockIdx.x * size, first = threadIdx.x * Width, rest = static_cast<unsigned>(p.size) - base;
  const bool full = rest >= size;
  const int left = full ? size : static_cast<int>(rest);
  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
    using fetched = bare_t<decltype(f)>;
    if constexpr (!fetched::loads || !parameters::template is_dense<N>) return;
    else if constexpr (!fetched::is_memory) f.all(o.source, base + first, row, 1, true, 1);
    else if (full) f.rows(o.source.data + (base + first), row);
    else f.each(o.source.data + base, 1, static_cast<int>(first), row, 1, left - 1);
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}), ...);
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      const int at = static_cast<int>(first) + d * row + k;
      int offset[sizeof...(Src) + 1] = {};
      p(base + static_cast<unsigned>(at < left ? at : left - 1), [&](int axis, unsigned i) {
        const auto move = [&]<int N>(const auto& o, index_sequence<N>) {
          if constexpr (requires { o.steps; })
            if constexpr (!parameters::template is_dense<N>)
              offset[N] += static_cast<int>(i) * static_cast<int>(o.steps[axis]);
        };
        (move(get<I>(p.operands), index_sequence<I>{}), ...);
      });
      const auto gather = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
        using fetched = bare_t<decltype(f)>;
        if constexpr (fetched::loads && !parameters::template is_dense<N>) {
          if constexpr (fetched::is_memory) f.value[d].put(k, o.source.data[offset[N]]);
          else if constexpr (is_arithmetic<bare_t<decltype(o.source)>>)
            f.value[d][k] = static_cast<bare_t<decltype(f.value[d][k])>>(offset[N]);
          else f.value[d][k] = o.source.at(offset[N]);
        }
      };
      (gather(get<I>(values), get<I>(p.operands), index_sequence<I>{}), ...);
    }
  const auto follow = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
    if constexpr (is_arithmetic<bare_t<decltype(o.source)>> && !parameters::template is_dense<N>)
      o.source.follow(f.value);
  };
  (follow(get<I>(values), get<I>(p.operands), index_sequence<I>{}), ...);
  keep_constants(values, p.operands, blockIdx.z, index_sequence<I...>{});

  results<typename Schedule::roots, list<Src...>, Width, Depth, T...> out;
  compute<Schedule, Width, Depth>(values, out);
  const auto store = [&](const auto& r, const auto& t) {
    if (full) r.rows(t.data + (base + first), row);
    else r.each(t.data + base, 1, static_cast<int>(first), row, 1, left);
  };
  (store(get<J>(out), get<J>(p.targets)), ...);
}

template <class Schedule, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_unravelled(const __grid_constant__ Parameters p) {
  let_next_begin_and_wait();
  unravelled_body<Schedule, Width, Depth, R>(p, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                             make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
