// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of any number of points and arrays: which operands read one array, and how far apart, is known when the
// kernel is made. A thread takes elements that follow each other along an axis, and reads what they share once.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int R>
struct stencil_parameters : bound_to<Operands, Targets>, stencil_numbers<R> {};

/// What Depth elements that follow each other along the third axis from the end read of an array, each place once.
template <class Points, int Array, int Depth>
struct stencil_reads {
  int count = 0;
  short along[Points::count * Depth][3] = {};
  short of[Depth][Points::count] = {};  ///< which of them an element's operand is
  constexpr stencil_reads() {
    for (int d = 0; d < Depth; ++d)
      for (int i = 0; i < Points::count; ++i) {
        const stencil_point& point = Points::of[i];
        if (point.array != Array) continue;
        const short walked = static_cast<short>(point.along[0] + d);
        int k = 0;
        while (k < count && (along[k][0] != walked || along[k][1] != point.along[1] || along[k][2] != point.along[2]))
          ++k;
        of[d][i] = static_cast<short>(k);
        if (k < count) continue;
        along[count][0] = walked;
        along[count][1] = point.along[1];
        along[count++][2] = point.along[2];
      }
  }
};
template <class Points, int Array, int Depth>
struct reads_of {
  static constexpr stencil_reads<Points, Array, Depth> all{};
};

/// The values that a thread reads of an array; none of what is no array.
template <class Points, int Depth, int Array, class Operand>
struct stencil_values {
  static constexpr int bytes = 0;
};
template <class Points, int Depth, int Array, class T, int R>
struct stencil_values<Points, Depth, Array, operand<memory<T>, R>> {
  using reads = reads_of<Points, Array, Depth>;
  static constexpr int bytes = reads::all.count * int(sizeof(T));
  T read[reads::all.count];

  __device__ __forceinline__ void load(elements<const T> from, const strides<R>& steps) {
    [&]<int... U>(index_sequence<U...>) {
      // Along the last axis neighbours are one element apart wherever anything is read beside an element.
      ((read[U] = from[reads::all.along[U][0] * steps[R - 3] + reads::all.along[U][1] * steps[R - 2] +
                       reads::all.along[U][2]]),
       ...);
    }
    (make_index_sequence<reads::all.count>{});
  }
};
template <class Points, int Depth, int R, class Seq, class... Src>
struct stencil_pack;
template <class Points, int Depth, int R, int... A, class... Src>
struct stencil_pack<Points, Depth, R, index_sequence<A...>, Src...>
    : pack<stencil_values<Points, Depth, A, operand<Src, R>>...> {
  static constexpr int bytes = (0 + ... + stencil_values<Points, Depth, A, operand<Src, R>>::bytes);
};
template <class Points, int Depth, int R, class... Src>
using stencil_pack_of = stencil_pack<Points, Depth, R, make_index_sequence<int(sizeof...(Src))>, Src...>;

/// How many elements a thread takes, at most `Most`.
template <class Schedule, class Points, int Most, int R, class... Src>
constexpr int stencil_depth(const operand_pack<R, Src...>* operands) {
  constexpr thread_load load = transform_tuning::stencil;
  constexpr int bytes = stencil_pack_of<Points, Most, R, Src...>::bytes;
  if constexpr (Most == 1 || (Schedule::cost * Most <= load.operations && bytes <= load.bytes)) return Most;
  else return stencil_depth<Schedule, Points, Most / 2>(operands);
}

/// Element D of a thread.
template <class Points, int Depth, int D, class Values, class Operands>
struct stencil_context {
  const Values& values;
  const Operands& operands;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    constexpr int array = Points::of[I].array;
    const auto& v = get<array>(values);
    if constexpr (bare_t<decltype(v)>::bytes > 0) {
      constexpr int read = reads_of<Points, array, Depth>::all.of[D][I];
      return v.read[read];
    } else return get<array>(operands).source.value;
  }
};
template <int R, class Targets>
struct stencil_sink {
  static constexpr bool stores = false;  ///< all that a thread reads is in registers, and no target is read by others
  const Targets& targets;
  const index_t* offset;  ///< of the thread's first element, for each target
  int d, skipped;
  template <int J, class V>
  __device__ __forceinline__ void put(const V& value) {
    const auto& t = get<J>(targets);
    if (d >= skipped) t.data[offset[J] + d * t.steps[R - 3]] = value;
  }
};

/// The place of a thread's first element along the last three axes, and among the axes before them.
template <int R>
struct stencil_place {
  const stencil_numbers<R>& p;
  index_t outer, at[3];
  int skipped;  ///< elements that another thread stores
  __device__ __forceinline__ index_t offset(const index_t* steps) const {
    index_t sum = at[0] * steps[R - 3] + at[1] * steps[R - 2] + at[2] * steps[R - 1];
    if constexpr (R > 3) p.outer(outer, [&](int axis, index_t i) { sum += i * steps[axis]; });
    return sum;
  }
};

template <class Schedule, class Points, int Depth, int R, class... Src, class... T, int... A, int... J, int... D>
__device__ __forceinline__ void stencil_elements(const stencil_place<R>& place, const operand_pack<R, Src...>& operands,
                                                 const target_pack<R, T...>& targets, index_sequence<A...>,
                                                 index_sequence<J...>, index_sequence<D...>) {
  using values = stencil_pack_of<Points, Depth, R, Src...>;
  values all;
  const auto load = [&](auto& v, const auto& o) {
    if constexpr (bare_t<decltype(v)>::bytes > 0) v.load(o.source.data + place.offset(o.steps.step), o.steps);
  };
  (load(get<A>(all), get<A>(operands)), ...);
  const index_t offset[] = {place.offset(get<J>(targets).steps.step)...};
  const auto compute = [&]<int d>(index_sequence<d>) {
    stencil_sink<R, target_pack<R, T...>> sink{targets, offset, d, place.skipped};
    evaluate<Schedule>(stencil_context<Points, Depth, d, values, operand_pack<R, Src...>>{all, operands}, sink);
  };
  (compute(index_sequence<D>{}), ...);
}

template <class Schedule, class Points, int Depth, int R, class... Src, class... T>
__device__ __forceinline__ void stencil_body(const stencil_numbers<R>& p, const operand_pack<R, Src...>& operands,
                                             const target_pack<R, T...>& targets) {
  const unsigned lines = p.by_columns.quotient(blockIdx.x), column_tile = blockIdx.x - lines * p.column_tiles;
  const unsigned walks = p.by_lines.quotient(lines), line_tile = lines - walks * p.line_tiles;
  const unsigned outer = p.by_walks.quotient(walks), walk_tile = walks - outer * p.walk_tiles;
  const int lane = static_cast<int>(threadIdx.x) & ((1 << p.lane_shift) - 1),
            above = static_cast<int>(threadIdx.x) >> p.lane_shift, line = above & ((1 << p.line_shift) - 1),
            piece = above >> p.line_shift, pieces_shift = log2_of(block_threads) - p.lane_shift - p.line_shift;
  stencil_place<R> place{p,
                         outer,
                         {((static_cast<index_t>(walk_tile) << pieces_shift) + piece) * Depth,
                          (static_cast<index_t>(line_tile) << p.line_shift) + line,
                          (static_cast<index_t>(column_tile) << p.lane_shift) + lane},
                         0};
  if (place.at[0] >= p.extent[0] || place.at[1] >= p.extent[1] || place.at[2] >= p.extent[2]) return;
  // At the end a thread begins earlier: it computes elements of its neighbour's once more, and all exist. What it reads
  // of them may have been overwritten, but what it computes from that is not stored.
  if (const index_t beyond = place.at[0] + Depth - p.extent[0]; beyond > 0) {
    place.at[0] -= beyond;
    place.skipped = static_cast<int>(beyond);
  }
  stencil_elements<Schedule, Points, Depth>(place, operands, targets, make_index_sequence<int(sizeof...(Src))>{},
                                            make_index_sequence<int(sizeof...(T))>{}, make_index_sequence<Depth>{});
}

template <class Schedule, class Points, int R, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_stencil(const __grid_constant__ Parameters p) {
  stencil_body<Schedule, Points, Depth, R>(p, p.operands, p.targets);
}

}  // namespace lazyfuse::cuda_detail
