// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of the strided transform kernel as one thread sees it: how it reads and writes its elements, and how it turns
// operands in shared memory.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>

namespace lazyfuse::cuda_detail {

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
      if constexpr (Fetched::is_memory && same) {
        f.same_valid(o.source.data + at, o.steps[R - 2] * p.lines, valid);
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

  /// Whether the results are one after the other, of `count` of them.
  template <class Target>
  __device__ __forceinline__ bool in_turn(const Target& first, int count) const {
    return p.consecutive && has_bit(p.wide_out, 0) && first.steps[R - 1] == count;
  }
  template <class Roots, class Sources, class... T>
  __device__ __forceinline__ void put_in_turn(const results<Roots, Sources, Width, Depth, T...>& out,
                                              const target_pack<R, T...>& targets, const index_t* at) const {
    const auto& first = get<0>(targets);
    const index_t down = first.steps[R - 2] * p.lines;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      if (full || valid[d] >= Width) {
        store_in_turn(out, d, first.data + (at[0] + d * down));
        continue;
      }
      [&]<int... J>(index_sequence<J...>) {
#pragma unroll
        for (int k = 0; k < Width; ++k)
          if (k < valid[d])
            ((get<J>(targets).data[at[J] + d * down + k * int(sizeof...(T))] = get<J>(out).value[d][k]), ...);
      }
      (make_index_sequence<sizeof...(T)>{});
    }
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

}  // namespace lazyfuse::cuda_detail
