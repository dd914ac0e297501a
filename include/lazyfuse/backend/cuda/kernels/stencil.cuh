// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of any number of points and arrays: which operands read one array, and how far apart, is known when the
// kernel is made. A thread takes elements that follow each other along two axes, and reads what they share once.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int R>
struct stencil_parameters : bound_to<Operands, Targets>, stencil_numbers<R> {};

/// What a thread asks for by one instruction in each of some planes, of a line beside its own: a vector, or an element.
struct stencil_unit {
  short line, column;
  short first, last;  ///< planes in which the thread's first element reads it; each further element one further
  short at;           ///< of the first plane, among the vectors or the elements that the thread holds
  short used;         ///< elements of a vector that are read, a bit each
  constexpr bool single() const { return (used & (used - 1)) == 0; }
};
/// What a thread reads of an array for Depth elements along the walk, Points::width along the columns, each place once.
/// Together: elements of a vector.
template <class Points, int Array, int Depth, int Together>
struct stencil_reads {
  int units = 0, vectors = 0, singles = 0;
  stencil_unit unit[Points::count * Points::width] = {};
  short of[Points::count][Points::width] = {};  ///< which unit an operand is an element of
  constexpr stencil_reads() {
    constexpr int before = Points::arrays[Array].before % Together;
    for (int i = 0; i < Points::count; ++i) {
      const stencil_point& point = Points::of[i];
      if (point.array != Array) continue;
      for (int w = 0; w < Points::width; ++w) {
        const int at = point.along[2] + w + before, within = (at % Together + Together) % Together,
                  column = at - within - before;  // where the vector begins
        int u = 0;
        while (u < units && (unit[u].line != point.along[1] || unit[u].column != column)) ++u;
        of[i][w] = static_cast<short>(u);
        if (u == units)
          unit[units++] = {point.along[1], static_cast<short>(column), point.along[0], point.along[0], 0, 0};
        unit[u].first = point.along[0] < unit[u].first ? point.along[0] : unit[u].first;
        unit[u].last = point.along[0] > unit[u].last ? point.along[0] : unit[u].last;
        unit[u].used = static_cast<short>(unit[u].used | 1 << within);
      }
    }
    for (int u = 0; u < units; ++u) {
      int& count = unit[u].single() ? singles : vectors;
      unit[u].at = static_cast<short>(count);
      count += unit[u].last - unit[u].first + Depth;
      for (int used = unit[u].used; unit[u].single() && used > 1; used /= 2) ++unit[u].column;  // where it is
    }
  }
};
template <class Points, int Array, int Depth, int Together>
struct reads_of {
  static constexpr stencil_reads<Points, Array, Depth, Together> all{};
};

/// The steps of an array along the walk and the lines; columns are neighbours, or one element.
struct stencil_steps {
  int walk, line, column;
};

/// The values that a thread holds of an array; none of what is no array.
template <class Points, int Depth, int Array, class Operand>
struct stencil_values {
  static constexpr int bytes = 0;
};
template <class Points, int Depth, int Array, class T, int R>
struct stencil_values<Points, Depth, Array, operand<memory<T>, R>> {
  static constexpr int together = Points::arrays[Array].together;
  using reads = reads_of<Points, Array, Depth, together>;
  static constexpr int bytes = (reads::all.vectors * together + reads::all.singles) * int(sizeof(T));
  vector_elements<T, together> vectors[reads::all.vectors + 1];
  T singles[reads::all.singles + 1];

  __device__ __forceinline__ void load(elements<const T> from, const stencil_steps& steps) {
    const auto read = [&]<int U>(index_sequence<U>) {
      constexpr stencil_unit unit = reads::all.unit[U];
#pragma unroll
      for (int k = 0; k < unit.last - unit.first + Depth; ++k) {
        const int offset = (unit.first + k) * steps.walk + unit.line * steps.line;
        if constexpr (unit.single()) singles[unit.at + k] = from[offset + unit.column * steps.column];
        else vectors[unit.at + k].read(from + offset + unit.column);
      }
    };
    [&]<int... U>(index_sequence<U...>) { (read(index_sequence<U>{}), ...); }
    (make_index_sequence<reads::all.units>{});
  }
  /// Of operand I, for element D along the walk, W along the columns.
  template <int I, int D, int W>
  __device__ __forceinline__ T value() const {
    constexpr stencil_point point = Points::of[I];
    constexpr stencil_unit unit = reads::all.unit[reads::all.of[I][W]];
    constexpr int at = unit.at + point.along[0] - unit.first + D;
    if constexpr (unit.single()) return singles[at];
    else return vectors[at][point.along[2] + W - unit.column];
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

/// How many elements a thread takes along the walk, at most `Most`.
template <class Schedule, class Points, int Most, int R, class... Src>
constexpr int stencil_depth(const operand_pack<R, Src...>* operands) {
  constexpr thread_load load = Points::width > 1 ? transform_tuning::stencil_in_vectors : transform_tuning::stencil;
  constexpr int bytes = stencil_pack_of<Points, Most, R, Src...>::bytes;
  if constexpr (Most == 1 || (Schedule::cost * Most * Points::width <= load.operations && bytes <= load.bytes))
    return Most;
  else return stencil_depth<Schedule, Points, Most / 2>(operands);
}

/// Element D along the walk, W along the columns, of a thread.
template <class Points, int D, int W, class Values, class Operands>
struct stencil_context {
  const Values& values;
  const Operands& operands;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    constexpr int array = Points::of[I].array;
    const auto& v = get<array>(values);
    if constexpr (bare_t<decltype(v)>::bytes > 0) return v.template value<I, D, W>();
    else return get<array>(operands).source.value;
  }
};
/// The place of a thread's first element along the last three axes, and among the axes before them.
template <int R>
struct stencil_place {
  const stencil_numbers<R>& p;
  index_t outer, at[3];
  int skipped;  ///< elements along the walk that another thread stores
  __device__ __forceinline__ index_t offset(const index_t* steps) const {
    index_t sum = at[0] * steps[R - 3] + at[1] * steps[R - 2] + at[2] * steps[R - 1];
    if constexpr (R > 3) p.outer(outer, [&](int axis, index_t i) { sum += i * steps[axis]; });
    return sum;
  }
};

/// One element, whose operands are read by themselves.
template <class Points, int R, class Operands>
struct stencil_point_context {
  const stencil_place<R>& place;
  const Operands& operands;
  int d, w;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    constexpr stencil_point point = Points::of[I];
    const auto& o = get<point.array>(operands);
    if constexpr (requires { o.source.data; }) {
      const index_t* const step = o.steps.step;
      return o.source.data[place.offset(step) + (point.along[0] + d) * step[R - 3] + point.along[1] * step[R - 2] +
                           (point.along[2] + w) * step[R - 1]];
    } else return o.source.value;
  }
};
/// Results of a thread that are beside each other.
template <int Width, class... T>
struct stencil_sink {
  static constexpr bool stores = false;  ///< all that a thread reads is in registers, and no target is read by others
  pack<wide<T, Width>...> results;
  int w;
  template <int J, class V>
  __device__ __forceinline__ void put(const V& value) {
    get<J>(results).value[w] = value;
  }
};

template <class Schedule, class Points, int Depth, int R, class... Src, class... T, int... A, int... J, int... D>
__device__ __forceinline__ void stencil_elements(const stencil_place<R>& place, const operand_pack<R, Src...>& operands,
                                                 const target_pack<R, T...>& targets, index_sequence<A...>,
                                                 index_sequence<J...>, index_sequence<D...>) {
  using values = stencil_pack_of<Points, Depth, R, Src...>;
  constexpr int width = Points::width;
  values all;
  const auto load = [&](auto& v, const auto& o) {
    if constexpr (bare_t<decltype(v)>::bytes > 0) {
      const index_t* const step = o.steps.step;
      v.load(o.source.data + place.offset(step), {int(step[R - 3]), int(step[R - 2]), int(step[R - 1])});
    }
  };
  (load(get<A>(all), get<A>(operands)), ...);
  const index_t offset[] = {place.offset(get<J>(targets).steps.step)...};
  const auto store = [&]<int j, class V>(index_sequence<j>, const wide<V, width>& results, int d) {
    const auto& t = get<j>(targets);
    const index_t at = offset[j] + d * t.steps[R - 3];
    if constexpr (Points::stored_together[j]) *reinterpret_cast<wide<V, width>*>(t.data + at) = results;
    else {
#pragma unroll
      for (int w = 0; w < width; ++w) t.data[at + w * t.steps[R - 1]] = results.value[w];
    }
  };
  const auto compute = [&]<int d>(index_sequence<d>) {
    stencil_sink<width, T...> sink;
    [&]<int... W>(index_sequence<W...>) {
      ((sink.w = W,
        evaluate<Schedule>(stencil_context<Points, d, W, values, operand_pack<R, Src...>>{all, operands}, sink)),
       ...);
    }
    (make_index_sequence<width>{});
    if (d >= place.skipped) (store(index_sequence<J>{}, get<J>(sink.results), d), ...);
  };
  (compute(index_sequence<D>{}), ...);
}

/// Columns at the end of a line, one by one.
template <class Schedule, class Points, int Depth, int R, class... Src, class... T, int... J>
__device__ void stencil_rest(const stencil_place<R>& place, const operand_pack<R, Src...>& operands,
                             const target_pack<R, T...>& targets, int columns, index_sequence<J...>) {
#pragma unroll 1  // few threads come here: all others would have fewer registers
  for (int d = place.skipped; d < Depth; ++d)
#pragma unroll 1
    for (int w = 0; w < columns; ++w) {
      stencil_sink<1, T...> sink{.w = 0};
      evaluate<Schedule>(stencil_point_context<Points, R, operand_pack<R, Src...>>{place, operands, d, w}, sink);
      const auto store = [&](const auto& t, const auto& result) {
        const index_t* const step = t.steps.step;
        t.data[place.offset(step) + d * step[R - 3] + w * step[R - 1]] = result.value[0];
      };
      (store(get<J>(targets), get<J>(sink.results)), ...);
    }
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
                          ((static_cast<index_t>(column_tile) << p.lane_shift) + lane) * Points::width},
                         0};
  if (place.at[0] >= p.extent[0] || place.at[1] >= p.extent[1] || place.at[2] >= p.extent[2]) return;
  // At the end a thread begins earlier: it computes elements of its neighbour's once more, and all exist. What it reads
  // of them may have been overwritten, but what it computes from that is not stored.
  if (const index_t beyond = place.at[0] + Depth - p.extent[0]; beyond > 0) {
    place.at[0] -= beyond;
    place.skipped = static_cast<int>(beyond);
  }
  // A vector of an array may go beyond what the last columns read of it, and beyond the array.
  if constexpr (!Points::whole)
    if (const index_t columns = p.extent[2] - place.at[2]; columns < 2 * Points::width - 1)
      return stencil_rest<Schedule, Points, Depth>(place, operands, targets,
                                                   columns < Points::width ? static_cast<int>(columns) : Points::width,
                                                   make_index_sequence<int(sizeof...(T))>{});
  stencil_elements<Schedule, Points, Depth>(place, operands, targets, make_index_sequence<int(sizeof...(Src))>{},
                                            make_index_sequence<int(sizeof...(T))>{}, make_index_sequence<Depth>{});
}

/// How many blocks share a processor at least; 0: as the compiler has it.
template <class Schedule, class Points, int Depth, int R, class... Src>
constexpr int stencil_residents(const operand_pack<R, Src...>*) {
  using tuning = transform_tuning;
  constexpr int bytes = stencil_pack_of<Points, Depth, R, Src...>::bytes;
  if (Points::width == 1 || Schedule::cost > tuning::one_strided_cost) return 0;
  return bytes <= tuning::stencil_in_vectors.bytes ? tuning::stencil_residents : 0;
}

template <class Schedule, class Points, int R, int Depth, int Residents, class Parameters>
__global__ void __launch_bounds__(block_threads, Residents) transform_stencil(const __grid_constant__ Parameters p) {
  let_next_begin_and_wait();
  stencil_body<Schedule, Points, Depth, R>(p, p.operands, p.targets);
}

}  // namespace lazyfuse::cuda_detail
