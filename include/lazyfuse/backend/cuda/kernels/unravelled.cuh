// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flat transform kernel over rows that begin anywhere: what is dense is read and written in vectors across their
// ends, and for what is broadcast along them or lies apart, the linear index is taken to pieces.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/unravelled_layout.hpp>

namespace lazyfuse::cuda_detail {

/// IsDense: of each operand. Those, and all targets, are in memory as the positions are, from whole vectors on. Short:
/// rows have fewer elements than a vector may have.
template <class Operands, class Targets, int R, bool ShortRows, bool... IsDense>
struct unravelled_parameters : bound_to<Operands, Targets>, unravelled_numbers<R> {
  static constexpr bool rows_are_short = ShortRows;
  template <int I>
  static constexpr bool is_dense = [] {
    constexpr bool dense[] = {IsDense..., false};
    return dense[I];
  }();
};

/// Where a position lies in operands that are not dense, and how far along its row it is.
template <int N>
struct operand_offsets {
  int of[N > 0 ? N : 1] = {};
  unsigned inner = 0;
};
template <int R, int... I>
__device__ __forceinline__ auto offsets_at(const auto& p, unsigned position, index_sequence<I...>) {
  operand_offsets<sizeof...(I)> to;
  p(position, [&](int axis, unsigned i) {
    if (axis == R - 1) to.inner = i;
    const auto move = [&]<int N>(const auto& o, index_sequence<N>) {
      if constexpr (requires { o.steps; })
        if constexpr (!bare_t<decltype(p)>::template is_dense<N>)
          to.of[N] += static_cast<int>(i) * static_cast<int>(o.steps[axis]);
    };
    (move(get<I>(p.operands), index_sequence<I>{}), ...);
  });
  return to;
}

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
  for (int d = 0; d < Depth; ++d) {
    const unsigned at = base + static_cast<unsigned>(min(static_cast<int>(first) + d * row, left - 1));
    const auto gather = [&](int k, const operand_offsets<sizeof...(Src)>& offsets, int further) {
      const auto one = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
        using fetched = bare_t<decltype(f)>;
        if constexpr (fetched::loads && !parameters::template is_dense<N>) {
          int offset = offsets.of[N];
          if constexpr (requires { o.steps; }) offset += further * static_cast<int>(o.steps[R - 1]);
          if constexpr (fetched::is_memory) f.value[d].put(k, o.source.data[offset]);
          else if constexpr (is_arithmetic<bare_t<decltype(o.source)>>)
            f.value[d][k] = static_cast<bare_t<decltype(f.value[d][k])>>(offset);
          else f.value[d][k] = o.source.at(offset);
        }
      };
      (one(get<I>(values), get<I>(p.operands), index_sequence<I>{}), ...);
    };
    if constexpr (parameters::rows_are_short) {
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const unsigned own = base + static_cast<unsigned>(min(static_cast<int>(first) + d * row + k, left - 1));
        gather(k, offsets_at<R>(p, own, index_sequence<I...>{}), 0);
      }
    } else {
      // Width neighbours are of one row, or of two: the index is taken to pieces once, or twice.
      const auto here = offsets_at<R>(p, at, index_sequence<I...>{});
      const int in_row = static_cast<int>(p.extents[R - 1] - here.inner);
      const unsigned next = at + static_cast<unsigned>(in_row);
      auto below = here;
      const bool ends = in_row < Width && next < static_cast<unsigned>(p.size);
      if (ends) below = offsets_at<R>(p, next, index_sequence<I...>{});
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const bool is_here = k < in_row;
        operand_offsets<sizeof...(Src)> own = here;
#pragma unroll
        for (int n = 0; n < int(sizeof...(Src)); ++n) own.of[n] = is_here ? here.of[n] : below.of[n];
        gather(k, own, is_here ? k : ends ? k - in_row : 0);
      }
    }
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
