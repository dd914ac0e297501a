// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strided and the tiled transform kernel: rows and columns of any layout; shared memory turns operands
// that are contiguous across rows.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int R>
struct strided_parameters : bound_to<Operands, Targets>, strided_numbers<R> {};

template <class Schedule, bool Tiled, int R, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void strided_body(const auto& p, unsigned tile_plane, unsigned tile_row,
                                             unsigned tile_column, list<Src...>, list<T...>, index_sequence<I...>,
                                             index_sequence<J...>) {
  constexpr int tile_shift = 4;
  static_assert(1 << tile_shift == tile_lanes);
  const int lane_shift = Tiled ? tile_shift : p.lane_shift, line_shift = Tiled ? tile_shift : p.line_shift;
  const int lanes = 1 << lane_shift, lines = 1 << line_shift, planes_here = block_threads >> (lane_shift + line_shift);
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int above = static_cast<int>(threadIdx.x) >> lane_shift, line = above & (lines - 1);
  const spread threads{p.consecutive ? 1 : interleave};
  const index_t first_plane = static_cast<index_t>(tile_plane) * planes_here,
                plane = first_plane + (above >> line_shift);
  const index_t first_row = static_cast<index_t>(tile_row) * (lines * Depth), row = first_row + line;
  const index_t first_column = static_cast<index_t>(tile_column) * (lanes * Width),
                column = first_column + threads.template first<Width>(lane);
  const bool full = first_column + lanes * Width <= p.columns && first_row + lines * Depth <= p.rows &&
                    first_plane + planes_here <= p.planes;
  // Of many operands, or through shared memory, full tiles are read as others are: code for both would take the
  // compiler too long.
  constexpr bool many = Tiled || sizeof...(Src) > 8;
  const bool unguarded = !many && full;
  int valid[Depth];
  {
    const index_t left = p.columns - column;
    const int in_row = plane < p.planes ? static_cast<int>(left < Width * interleave ? left : Width * interleave) : 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d) valid[d] = row + d * lines < p.rows ? in_row : 0;
  }
  // Offsets of the first element: in 32 bits where all of them fit, decided at launch.
  index_t in_offset[sizeof...(Src) + 1], out_offset[sizeof...(T)];
  const auto start = [&]<class Index>(index_t& offset, const auto& o, Index) {
    if constexpr (requires { o.steps; }) {
      Index at = static_cast<Index>(row) * static_cast<Index>(o.steps[R - 2]) +
                 static_cast<Index>(column) * static_cast<Index>(o.steps[R - 1]);
      if constexpr (R > 2)
        p.planes_walk(plane < p.planes ? plane : 0,
                      [&](int axis, index_t i) { at += static_cast<Index>(i) * static_cast<Index>(o.steps[axis]); });
      offset = at;
    }
  };
  if (p.small) {
    (start(in_offset[I], get<I>(p.operands), int{}), ...);
    (start(out_offset[J], get<J>(p.targets), int{}), ...);
  } else {
    (start(in_offset[I], get<I>(p.operands), index_t{}), ...);
    (start(out_offset[J], get<J>(p.targets), index_t{}), ...);
  }

  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (bare_t<decltype(f)>::loads) {
      if (Tiled && has_bit(p.via_shared, i)) return;
      const bool as_one = p.consecutive && has_bit(p.wide_in, i);
      const index_t pitch = o.steps[R - 2] << line_shift;
      if (unguarded) f.all(o.source, in_offset[i], pitch, o.steps[R - 1], as_one, threads.spacing);
      else f.some(o.source, in_offset[i], pitch, o.steps[R - 1], as_one, threads.spacing, valid);
    }
  };

  if constexpr (Tiled) {
    // Operands contiguous across rows are read along the rows into shared memory, and out of it along the columns.
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    constexpr int side = tile_lanes * Width;
    int across_valid[Depth];
    {
      const index_t left = p.rows - first_row - lane * Width;
#pragma unroll
      for (int d = 0; d < Depth; ++d)
        across_valid[d] =
            first_column + line + d * lines < p.columns ? static_cast<int>(left < Width ? left : Width) : 0;
    }
    int bytes = 0;
    const auto stage = [&](const auto& o, int i) {
      if constexpr (requires { o.source.data; }) {
        if (!has_bit(p.via_shared, i)) return;
        using E = bare_t<decltype(*o.source.data)>;
        E* const tile = reinterpret_cast<E*>(shared_bytes + bytes);
        bytes += tile_elements(Width) * static_cast<int>(sizeof(E));
        index_t offset = (first_row + lane * Width) * o.steps[R - 2] + (first_column + line) * o.steps[R - 1];
        if constexpr (R > 2) p.planes_walk(plane, [&](int axis, index_t at) { offset += at * o.steps[axis]; });
        const bool as_one = has_bit(p.wide_in, i);
        fetched<memory<E>, Width, Depth> part;
        if (unguarded) part.all(o.source, offset, lines * o.steps[R - 1], o.steps[R - 2], as_one, 1);
        else part.some(o.source, offset, lines * o.steps[R - 1], o.steps[R - 2], as_one, 1, across_valid);
#pragma unroll
        for (int d = 0; d < Depth; ++d)
#pragma unroll
          for (int k = 0; k < Width; ++k) tile[(lane * Width + k) * (side + 1) + line + d * lines] = part.value[d][k];
      }
    };
    (load(get<I>(values), get<I>(p.operands), I), ...);
    (stage(get<I>(p.operands), I), ...);
    __syncthreads();
    bytes = 0;
    const auto unstage = [&](auto& f, const auto& o, int i) {
      if constexpr (requires { o.source.data; }) {
        if (!has_bit(p.via_shared, i)) return;
        using E = bare_t<decltype(*o.source.data)>;
        const E* const tile = reinterpret_cast<const E*>(shared_bytes + bytes);
        bytes += tile_elements(Width) * static_cast<int>(sizeof(E));
#pragma unroll
        for (int d = 0; d < Depth; ++d)
#pragma unroll
          for (int k = 0; k < Width; ++k) f.value[d].put(k, tile[(line + d * lines) * (side + 1) + lane * Width + k]);
      }
    };
    (unstage(get<I>(values), get<I>(p.operands), I), ...);
  } else (load(get<I>(values), get<I>(p.operands), I), ...);

  results<typename Schedule::roots, list<Src...>, Width, Depth, T...> out;
  keep_constants(values, p.operands, blockIdx.z, index_sequence<I...>{});
  compute<Schedule, Width, Depth>(values, out);

  const auto put = [&](const auto& r, const auto& t, int j) {
    store(r, t.data + out_offset[j], t.steps[R - 2] << line_shift, t.steps[R - 1],
          p.consecutive && has_bit(p.wide_out, j), threads.spacing, full, valid);
  };
  (put(get<J>(out), get<J>(p.targets), J), ...);
}

template <class Schedule, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_strided(const __grid_constant__ Parameters p) {
  const unsigned rest = p.by_columns.quotient(blockIdx.x), tile_column = blockIdx.x - rest * p.column_tiles;
  const unsigned tile_plane = p.by_rows.quotient(rest), tile_row = rest - tile_plane * p.row_tiles;
  strided_body<Schedule, false, R, Width, Depth>(p, tile_plane, tile_row, tile_column, Sources{}, Types{},
                                                 make_index_sequence<Sources::size>{},
                                                 make_index_sequence<Types::size>{});
}

/// Square iterations take tiles (i, j) and (j, i) one after the other: what one reads along rows the other
/// reads across, and the cache serves the second. Pairs are numbered along wrapped diagonals.
template <class Schedule, class Sources, class Types, int R, int Width, class Parameters>
__global__ void __launch_bounds__(block_threads, Sources::size <= 4 ? 3 : 1)
    transform_tiled(const __grid_constant__ Parameters p) {
  const unsigned per_plane = p.row_tiles * p.column_tiles;
  unsigned tile = blockIdx.x, row, column, plane = 0;
  if (p.mirrored) {
    const unsigned pair = tile / 2;
    const unsigned diagonal = pair / p.column_tiles, i = pair - diagonal * p.column_tiles;
    const unsigned j = i + diagonal < p.column_tiles ? i + diagonal : i + diagonal - p.column_tiles;
    if (diagonal == 0 && (tile & 1)) return;
    row = tile & 1 ? j : i;
    column = tile & 1 ? i : j;
  } else {
    plane = tile / per_plane;
    tile -= plane * per_plane;
    row = tile / p.column_tiles;
    column = tile - row * p.column_tiles;
  }
  strided_body<Schedule, true, R, Width, Width>(p, plane, row, column, Sources{}, Types{},
                                                make_index_sequence<Sources::size>{},
                                                make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail
