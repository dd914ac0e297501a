// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strided transform kernel: rows and columns of any layout. Operands that are contiguous across rows are turned in
// shared memory, a tile at a time.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>

namespace lazyfuse::cuda_detail {

/// Results: how every result is written, which kernels that are made at run time know, as they do Facts.
template <class Operands, class Targets, int R, class Facts = layout_facts<>,
          along_inner Results = along_inner::not_known>
struct strided_parameters : bound_to<Operands, Targets>, strided_numbers<R> {
  using facts = Facts;
  static constexpr along_inner results = Results;
};

/// Where a thread is: its first element, that of its tile, and its place among the threads of a tile. Its functions
/// name the types of one operand only: compilers write names of whole programs slowly.
template <int R, int Width, int Depth>
struct strided_tile {
  static constexpr int pitch = tile_lanes * Width + 1;  ///< of what is turned

  const strided_numbers<R>& p;
  index_t plane, first_row, first_column, row, column;
  int lane, line, spacing;
  int in_line;  ///< the place of its first element
  bool full;
  int valid[Depth];                  ///< elements of each row that exist
  index_t outer[R > 2 ? R - 2 : 1];  ///< the place along the axes before the rows

  __device__ __forceinline__ strided_tile(const strided_numbers<R>& numbers, unsigned tile_plane, unsigned tile_row,
                                          unsigned tile_column)
      : p(numbers) {
    const int lanes = p.lanes, lines = p.lines;
    const int above = static_cast<int>(p.by_lanes.quotient(threadIdx.x)),
              plane_here = static_cast<int>(p.by_lines.quotient(static_cast<unsigned>(above)));
    lane = static_cast<int>(threadIdx.x) - above * lanes;
    line = above - plane_here * lines;
    spacing = p.consecutive ? 1 : lanes < interleave ? lanes : interleave;
    plane = static_cast<index_t>(tile_plane) * p.planes_here + plane_here;
    const bool exists = plane_here < p.planes_here && plane < p.planes;
    first_row = static_cast<index_t>(tile_row) * (lines * Depth);
    row = first_row + line;
    first_column = static_cast<index_t>(tile_column) * (lanes * Width);
    in_line = spread{spacing}.template first<Width>(lane);
    column = first_column + in_line;
    full = first_column + lanes * Width <= p.columns && first_row + lines * Depth <= p.rows && exists;
    const index_t left = p.columns - column;
    const int in_row = exists ? static_cast<int>(left < Width * interleave ? left : Width * interleave) : 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d) valid[d] = row + d * lines < p.rows ? in_row : 0;
#pragma unroll
    for (int axis = 0; axis < R - 2; ++axis) outer[axis] = 0;
    if constexpr (R > 2) p.planes_walk(exists ? plane : 0, [&](int axis, index_t i) { outer[axis] = i; });
  }

  /// Of an operand's or target's first element.
  template <class Index>
  __device__ __forceinline__ index_t offset(const index_t* steps) const {
    Index at = static_cast<Index>(row) * static_cast<Index>(steps[R - 2]) +
               static_cast<Index>(column) * static_cast<Index>(steps[R - 1]);
#pragma unroll
    for (int axis = 0; axis < R - 2; ++axis) at += static_cast<Index>(outer[axis]) * static_cast<Index>(steps[axis]);
    return at;
  }
  template <class Index, class Operand>
  __device__ __forceinline__ void locate(index_t& at, const Operand& o) const {
    if constexpr (requires { o.steps; }) at = offset<Index>(o.steps.step);
  }

  /// Distance between the elements of a thread that are not neighbours.
  template <turning Turns>
  static constexpr int apart_where = Turns == turning::always ? tile_lanes : interleave;

  /// Unguarded: where the tile is full, without looking at every element.
  template <turning Turns, bool Unguarded, along_inner Known, class Fetched, class Operand>
  __device__ __forceinline__ void load(Fetched& f, const Operand& o, index_t at, int i) const {
    if constexpr (Fetched::loads) {
      constexpr bool vectors = Known == along_inner::vectors, same = Known == along_inner::same;
      if (Turns != turning::never && Known == along_inner::not_known && has_bit(p.via_shared, i)) return;
      if constexpr (Fetched::is_memory && (Known == along_inner::neighbours || Known == along_inner::interleaved)) {
        constexpr int apart = Known == along_inner::neighbours ? 1 : apart_where<Turns>;
        const auto from = o.source.data + at;
        const index_t down = o.steps[R - 2] * p.lines;
        if (Unguarded && full) f.template singly<apart>(from, down);
        else f.template singly_valid<apart>(from, down, valid, make_index_sequence<Width>{});
        return;
      }
      const bool as_one = vectors || (!same && p.consecutive && has_bit(p.wide_in, i));
      const index_t down = o.steps[R - 2] * p.lines, step = vectors ? 1 : same ? 0 : o.steps[R - 1];
      const int apart = vectors ? 1 : spacing;
      if constexpr (!Fetched::is_memory) f.all(o.source, at, down, step, as_one, apart);
      else if (Unguarded && full) f.all(o.source, at, down, step, as_one, apart);
      else f.template some<true>(o.source, at, down, step, as_one, apart, valid);
    }
  }
  template <turning Turns, along_inner Known, class Result, class Target>
  __device__ __forceinline__ void put(const Result& r, const Target& t, index_t at, int j) const {
    constexpr bool wide = Known == along_inner::vectors, neighbours = Known == along_inner::neighbours,
                   apart = Known == along_inner::interleaved;
    store<neighbours ? 1 : apart_where<Turns>>(
        r, t.data + at, t.steps[R - 2] * p.lines, wide || neighbours || apart ? 1 : t.steps[R - 1],
        wide || (Known == along_inner::not_known && p.consecutive && has_bit(p.wide_out, j)),
        wide || neighbours ? 1
        : apart            ? apart_where<Turns>
                           : spacing,
        full, valid);
  }

  // Operands that are contiguous across rows are read along that axis into shared memory, and out of it along the
  // columns.

  template <class T>
  static constexpr int turned_bytes = tile_lanes* Depth* pitch * sizeof(T);

  template <class T>
  __device__ __forceinline__ void turn(T* tile, elements<const T> data, const index_t (&steps)[R], bool as_one) const {
    constexpr int across = width_across(sizeof(T), Depth);
#pragma unroll
    for (int d = 0; d < tile_lanes * Depth; d += tile_lanes * across) {
      const int first = d + lane * across;
      index_t at = (first_row + first) * steps[R - 2] + (first_column + line) * steps[R - 1];
#pragma unroll
      for (int axis = 0; axis < R - 2; ++axis) at += outer[axis] * steps[axis];
      const index_t rows = p.rows - first_row - first;
      int exist[Width];
#pragma unroll
      for (int w = 0; w < Width; ++w)
        exist[w] =
            first_column + line + w * tile_lanes < p.columns ? static_cast<int>(rows < across ? rows : across) : 0;
      fetched<memory<T>, across, Width> part;
      part.template some<true>({data}, at, tile_lanes * steps[R - 1], steps[R - 2], as_one, 1, exist);
#pragma unroll
      for (int w = 0; w < Width; ++w)
#pragma unroll
        for (int k = 0; k < across; ++k) tile[(first + k) * pitch + line + w * tile_lanes] = part.value[w][k];
    }
  }
  template <class T, class Fetched>
  __device__ __forceinline__ void take_turned(Fetched& f, int i, const unsigned char*& shared) const {
    if constexpr (standard::is_same_v<Fetched, fetched<memory<T>, Width, Depth>>) {
      if (!has_bit(p.via_shared, i)) return;
      const T* const tile = reinterpret_cast<const T*>(shared);
      shared += turned_bytes<T>;
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; ++k)
          f.value[d].put(k, tile[(line + d * tile_lanes) * pitch + in_line + k * spacing]);
    }
  }
};

/// The pointer and the steps of operand number `which`, if it reads elements of type T.
template <class T, int R, class Operand>
__device__ __forceinline__ void if_chosen(const Operand& o, bool chosen, elements<const T>& data, index_t (&steps)[R]) {
  if constexpr (standard::is_same_v<Operand, operand<memory<T>, R>>)
    if (chosen) {
      data = o.source.data;
#pragma unroll
      for (int k = 0; k < R; ++k) steps[k] = o.steps[k];
    }
}
template <class T, class Operand>
inline constexpr bool reads = false;
template <class T, int R>
inline constexpr bool reads<T, operand<memory<T>, R>> = true;

/// Operands of one type are turned one after the other, in a loop: code for each of them would take the compiler too
/// long.
template <class T, int R, int Width, int Depth, int... I>
__device__ __forceinline__ void turn_those_of(const strided_tile<R, Width, Depth>& tile, const auto& operands,
                                              unsigned char*& shared, index_sequence<I...>) {
  const wide_bits these =
      tile.p.via_shared &
      (wide_bits{0} | ... |
       (I < most_operands && reads<T, bare_t<decltype(get<I>(operands))>> ? wide_bits{1} << I % most_operands : 0));
#pragma unroll 1
  for (wide_bits left = these; left != 0; left &= left - 1) {
    const int which = __ffsll(static_cast<long long>(left)) - 1;
    elements<const T> data{};
    index_t steps[R];
    (if_chosen<T>(get<I>(operands), I == which, data, steps), ...);
    tile.turn(reinterpret_cast<T*>(shared), data, steps, has_bit(tile.p.wide_in, which));
    shared += tile.template turned_bytes<T>;
  }
}

extern __shared__ __align__(16) unsigned char shared_bytes[];

/// Few operands, on the other hand, are all asked for before the first has come.
template <class T, int R, int Width, int Depth, class Operand>
__device__ __forceinline__ void turn_if(const strided_tile<R, Width, Depth>& tile, const Operand& o, int i,
                                        unsigned char*& shared) {
  if constexpr (reads<T, Operand>) {
    if (!has_bit(tile.p.via_shared, i)) return;
    index_t steps[R];
#pragma unroll
    for (int k = 0; k < R; ++k) steps[k] = o.steps[k];
    tile.turn(reinterpret_cast<T*>(shared), o.source.data, steps, has_bit(tile.p.wide_in, i));
    shared += tile.template turned_bytes<T>;
  }
}
template <bool Few, int R, int Width, int Depth, class... T, int... I>
__device__ __forceinline__ void turn_all(const strided_tile<R, Width, Depth>& tile, const auto& operands, list<T...>,
                                         index_sequence<I...> all) {
  unsigned char* to = shared_bytes;
  const auto those_of = [&]<class E>(list<E>) {
    if constexpr (Few) (turn_if<E>(tile, get<I>(operands), I, to), ...);
    else turn_those_of<E>(tile, operands, to, all);
  };
  (those_of(list<T>{}), ...);
  __syncthreads();
}
template <int R, int Width, int Depth, class... T, int... I>
__device__ __forceinline__ void take_all(const strided_tile<R, Width, Depth>& tile, auto& values, list<T...>,
                                         index_sequence<I...>) {
  const unsigned char* from = shared_bytes;
  const auto take = [&]<class E>(list<E>) { (tile.template take_turned<E>(get<I>(values), I, from), ...); };
  (take(list<T>{}), ...);
}

template <class Schedule, turning Turns, int R, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void strided_body(const auto& p, const strided_tile<R, Width, Depth>& tile, list<Src...>,
                                             list<T...>, index_sequence<I...> all, index_sequence<J...>) {
  using types = typename element_types<list<Src...>>::type;
  using known = bare_t<decltype(p)>;
  // Elsewhere full tiles are read as others are: code for both would take the compiler too long.
  constexpr bool unguarded = Turns != turning::always && sizeof...(Src) <= 8;
  const bool turns = Turns == turning::always || (Turns == turning::sometimes && p.via_shared);
  // Before anything waits in registers, which all layouts would pay for.
  if (Turns == turning::sometimes && turns) turn_all<false>(tile, p.operands, types{}, all);

  // Offsets of the first element: in 32 bits where all of them fit, decided at launch.
  index_t in_offset[sizeof...(Src) + 1], out_offset[sizeof...(T)];
  if (p.small) {
    (tile.template locate<int>(in_offset[I], get<I>(p.operands)), ...);
    (tile.template locate<int>(out_offset[J], get<J>(p.targets)), ...);
  } else {
    (tile.template locate<index_t>(in_offset[I], get<I>(p.operands)), ...);
    (tile.template locate<index_t>(out_offset[J], get<J>(p.targets)), ...);
  }
  fetched_pack<Width, Depth, list<Src...>> values;
  (tile.template load<Turns, unguarded, known::facts::template of<I>>(get<I>(values), get<I>(p.operands), in_offset[I],
                                                                      I),
   ...);
  if (Turns == turning::always) turn_all<sizeof...(Src) <= 4>(tile, p.operands, types{}, all);
  if (turns) take_all(tile, values, types{}, all);
  keep_constants(values, p.operands, blockIdx.z, all);

  results<typename Schedule::roots, list<Src...>, Width, Depth, T...> out;
  compute<Schedule, Width, Depth>(values, out);
  (tile.template put<Turns, known::results>(get<J>(out), get<J>(p.targets), out_offset[J], J), ...);
}

/// Blocks that are to share a processor: four of cheap programs whose threads hold few bytes in known vectors, two of
/// those that hold much beside what they turn; 0: as many as the compiler makes of it.
template <class Schedule, turning Turns, class Parameters, class... Src>
constexpr int strided_residents(list<Src...> sources, int elements) {
  using tuned = transform_tuning;
  const bool few_bytes = memory_bytes(sources) * elements <= tuned::strided_light_bytes;
  if (Turns != turning::never) return Turns == turning::always && !few_bytes ? tuned::turned_residents : 0;
  const bool light = few_bytes && Schedule::cost <= tuned::dear;
  return Parameters::results == along_inner::vectors && light ? tuned::strided_light_residents : 0;
}

/// Square iterations that are turned take squares (i, j) and (j, i) one after the other: what one reads along rows the
/// other reads across, and the cache serves the second. Pairs are numbered along wrapped diagonals.
template <class Schedule, class Sources, class Types, int R, int Width, int Depth, turning Turns, class Parameters>
__global__ void __launch_bounds__(block_threads,
                                  strided_residents<Schedule, Turns, Parameters>(Sources{}, Width* Depth))
    transform_strided(const __grid_constant__ Parameters p) {
  unsigned plane = 0, row, column;
  if (Turns != turning::never && p.mirrored) {
    constexpr unsigned tiles = Width > Depth ? Width / Depth : Depth / Width;  // of a square
    const unsigned square = blockIdx.x / tiles, pair = square / 2, diagonal = p.by_columns.quotient(pair);
    const unsigned i = pair - diagonal * p.column_tiles;
    const unsigned j = i + diagonal < p.column_tiles ? i + diagonal : i + diagonal - p.column_tiles;
    if (diagonal == 0 && (square & 1)) return;
    row = square & 1 ? j : i;
    column = square & 1 ? i : j;
    (Width > Depth ? row : column) *= tiles;
    (Width > Depth ? row : column) += blockIdx.x - square * tiles;
  } else {
    const unsigned rest = p.by_columns.quotient(blockIdx.x);
    plane = p.by_rows.quotient(rest);
    column = blockIdx.x - rest * p.column_tiles;
    row = rest - plane * p.row_tiles;
  }
  const strided_tile<R, Width, Depth> tile(p, plane, row, column);
  strided_body<Schedule, Turns>(p, tile, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
