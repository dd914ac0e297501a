// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strided transform kernel: rows and columns of any layout. Operands that are contiguous across rows are turned in
// shared memory, a tile at a time.
#pragma once

#include <lazyfuse/backend/cuda/kernels/strided_tile.cuh>

namespace lazyfuse::cuda_detail {

/// Results: how every result is written, which kernels that are made at run time know, as they do Facts.
template <class Operands, class Targets, int R, class Facts = layout_facts<>,
          along_inner Results = along_inner::not_known>
struct strided_parameters : bound_to<Operands, Targets>, strided_numbers<R> {
  using facts = Facts;
  static constexpr along_inner results = Results;
};

/// Read through a map, that can tell where a whole tile lies.
template <class Source>
concept mapped_source = requires {
  Source::nowhere;
};

/// Where the tile of each operand lies that is read through a map: one thread for each finds out, for it takes more
/// instructions than a thread's elements.
template <int R, int Width, int Depth, class... Src>
struct tiles_of_maps {
  static constexpr bool are_there = (mapped_source<Src> || ...);
  index_t* at;  ///< in shared memory

  template <int I, class Operand>
  __device__ __forceinline__ void find(const strided_tile<R, Width, Depth>& t, const Operand& o) const {
    if constexpr (mapped_source<bare_t<decltype(o.source)>>) {
      constexpr unsigned warps = block_threads / 32;
      if (threadIdx.x != I % warps * 32) return;
      const int lines = t.p.lines * Depth, columns = t.p.lanes * Width;
      const bool whole = t.p.planes == 1 && t.first_column + columns <= t.p.columns && t.first_row + lines <= t.p.rows;
      const index_t down = o.steps[R - 2], right = o.steps[R - 1];
      at[I] = whole ? o.source.offset_of_tile(t.first_row * down + t.first_column * right, lines, down, columns, right)
                    : o.source.nowhere;
    }
  }
  template <int I, class Fetched, class Operand>
  __device__ __forceinline__ bool take(const strided_tile<R, Width, Depth>& t, Fetched& f, const Operand& o) const {
    if constexpr (mapped_source<bare_t<decltype(o.source)>>) {
      if (at[I] == o.source.nowhere) return false;
      const index_t scale = o.source.within.step(), down = o.steps[R - 2] * scale, right = o.steps[R - 1] * scale;
      f.lying(o.source, at[I] + t.line * down + t.in_line * right, t.p.lines * down, t.spacing * right);
      return true;
    } else return false;
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
  const auto load = [&]<int N>(index_sequence<N>) {
    tile.template load<Turns, unguarded, known::facts::template of<N>>(get<N>(values), get<N>(p.operands), in_offset[N],
                                                                       N);
  };
  using maps = tiles_of_maps<R, Width, Depth, Src...>;
  if constexpr (maps::are_there) {
    __shared__ index_t tiles_at[sizeof...(Src)];
    const maps of{tiles_at};
    (of.template find<I>(tile, get<I>(p.operands)), ...);
    __syncthreads();
    ((of.template take<I>(tile, get<I>(values), get<I>(p.operands)) || (load(index_sequence<I>{}), true)), ...);
  } else (load(index_sequence<I>{}), ...);
  if (Turns == turning::always) turn_all<sizeof...(Src) <= 4>(tile, p.operands, types{}, all);
  if (turns) take_all(tile, values, types{}, all);
  keep_constants(values, p.operands, blockIdx.z, all);

  results<typename Schedule::roots, list<Src...>, Width, Depth, T...> out;
  compute<Schedule, Width, Depth>(values, out);
  if constexpr (can_be_in_turn<T...> && Width > 1 && Turns != turning::always &&
                known::results == along_inner::not_known) {
    if (tile.in_turn(get<0>(p.targets), int(sizeof...(T)))) return tile.put_in_turn(out, p.targets, out_offset);
  }
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

/// Which tile is a block's, where they are taken in the order of memory.
struct tile_place {
  unsigned plane, row, column;
};
template <int R>
__device__ __forceinline__ tile_place tile_of_block(const strided_numbers<R>& p, unsigned block) {
  const unsigned rest = p.by_columns.quotient(block), plane = p.by_rows.quotient(rest);
  return {plane, rest - plane * p.row_tiles, block - rest * p.column_tiles};
}

/// Square iterations that are turned take squares (i, j) and (j, i) one after the other: what one reads along rows the
/// other reads across, and the cache serves the second. Pairs are numbered along wrapped diagonals.
template <class Schedule, class Sources, class Types, int R, int Width, int Depth, turning Turns, class Parameters>
__global__ void __launch_bounds__(block_threads,
                                  strided_residents<Schedule, Turns, Parameters>(Sources{}, Width* Depth))
    transform_strided(const __grid_constant__ Parameters p) {
  let_next_begin_and_wait();
  tile_place at{};
  if (Turns != turning::never && p.mirrored) {
    constexpr unsigned tiles = Width > Depth ? Width / Depth : Depth / Width;  // of a square
    const unsigned square = blockIdx.x / tiles, pair = square / 2, diagonal = p.by_columns.quotient(pair);
    const unsigned i = pair - diagonal * p.column_tiles;
    const unsigned j = i + diagonal < p.column_tiles ? i + diagonal : i + diagonal - p.column_tiles;
    if (diagonal == 0 && (square & 1)) return;
    at.row = square & 1 ? j : i;
    at.column = square & 1 ? i : j;
    (Width > Depth ? at.row : at.column) *= tiles;
    (Width > Depth ? at.row : at.column) += blockIdx.x - square * tiles;
  } else at = tile_of_block(p, blockIdx.x);
  const strided_tile<R, Width, Depth> tile(p, at.plane, at.row, at.column);
  strided_body<Schedule, Turns>(p, tile, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
