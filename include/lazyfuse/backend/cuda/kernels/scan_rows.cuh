// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans along the axis in which memory is contiguous.
#pragma once

#include <lazyfuse/backend/cuda/kernels/scan.cuh>

namespace lazyfuse::cuda_detail {

/// Along the inner axis: `lanes` neighbouring threads share a row. They go through its chunks, or (looks_back) a block
/// takes one tile.
template <class Set, class Epilogue, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) scan_rows(const __grid_constant__ Parameters p) {
  using accumulators = typename Set::accumulators;
  constexpr int warps = block_threads / 32;
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  __shared__ accumulators entries[Depth * warps], of_row[warps];
  const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread / 32,
            member = thread & (p.lanes - 1);
  index_t row;
  unsigned chunk = 0, end = p.board.tiles;
  if (p.looks_back) {
    const unsigned taken = take_tile(p.board.tickets);
    chunk = taken / p.board.strips;
    row = taken - chunk * p.board.strips;
    end = chunk + 1;
  } else row = static_cast<index_t>(blockIdx.x) * (block_threads / p.lanes) + thread / p.lanes;
  const bool active = row < p.rows;
  index_t base[Sources::size + 1] = {}, base_to[Types::size] = {};
  if constexpr (R > 1) {
    if (active) {
      add_offsets<0>(base, p.kept, row, p.operands, operands);
      target_offsets<R - 1>(base_to, p.kept, row, p.targets, targets);
    }
  }
  const int pitch = p.lanes * Width, first = member * Width, within = p.lanes > 32 ? 32 : p.lanes;
  accumulators before;
  Set::clear(before);
  for (; chunk < end; ++chunk) {
    const index_t column = static_cast<index_t>(chunk) * (pitch * Depth) + first;
    const index_t left = active ? p.length - column : 0;
    scan_tile<Set, Epilogue, R, Width, Depth, Sources, Types> tile;
    tile.full = left >= (Depth - 1) * pitch + Width;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t n = left - d * pitch;
      tile.valid[d] = n >= Width ? Width : n > 0 ? static_cast<int>(n) : 0;
    }
    index_t offset[Sources::size + 1] = {}, offset_to[Types::size];
    const auto at_column = [&]<int... I, int... J>(index_sequence<I...>, index_sequence<J...>) {
      const auto one = [&](index_t& to, index_t from, const auto& o) {
        if constexpr (requires { o.steps; }) to = from + column * o.steps[R - 1];
      };
      (one(offset[I], base[I], get<I>(p.operands)), ...);
      (one(offset_to[J], base_to[J], get<J>(p.targets)), ...);
    };
    at_column(operands, targets);
    tile.load(p, offset, R - 1, R - 1, pitch, operands);

    accumulators up_to[Depth], start[Depth];
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
#pragma unroll
      for (int k = 1; k < Width; ++k) tile.scanned[d][k] = joined<Set>(tile.scanned[d][k - 1], tile.scanned[d][k]);
      up_to[d] = scan_lanes<Set>(tile.scanned[d][Width - 1], within);
      start[d] = before_lanes<Set>(up_to[d], within);
    }
    if (p.lanes <= 32) {
      const int last = lane | (p.lanes - 1);
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        start[d] = joined<Set>(before, start[d]);
        before = joined<Set>(before, of_lane<Set>(up_to[d], last));
      }
    } else {
      const int of_group = p.lanes / 32, group = warp / of_group, segment = Depth * of_group;
      const auto entry = [&](int d) { return group * segment + d * of_group + (warp & (of_group - 1)); };
      __syncthreads();  // entries are read until the chunk before ends
      if (lane == 31)
#pragma unroll
        for (int d = 0; d < Depth; ++d) entries[entry(d)] = up_to[d];
      __syncthreads();
      if (warp == 0) {
        accumulators a;
        if (lane < Depth * warps) a = entries[lane];
        else Set::clear(a);
        a = scan_lanes<Set>(a, segment);
        if (!p.looks_back && (lane & (segment - 1)) == segment - 1 && lane < Depth * warps) of_row[lane / segment] = a;
        const accumulators apart = before_lanes<Set>(a, segment);
        if (lane < Depth * warps) entries[lane] = apart;
        if (p.looks_back) {
          const accumulators all =
              before_tile<Set>(p.board, static_cast<unsigned>(row), chunk, of_lane<Set>(a, segment - 1));
          if (lane == 0) of_row[0] = all;
        }
      }
      __syncthreads();
      if (p.looks_back) before = of_row[0];
#pragma unroll
      for (int d = 0; d < Depth; ++d) start[d] = joined<Set>(before, joined<Set>(entries[entry(d)], start[d]));
      if (!p.looks_back) before = joined<Set>(before, of_row[group]);
    }
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      accumulators last = start[d];
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const accumulators here = joined<Set>(start[d], tile.scanned[d][k]);
        tile.finish(d, k, last, here);
        last = here;
      }
    }
    tile.put(p, offset_to, R - 1, R - 1, pitch, targets);
  }
}

}  // namespace lazyfuse::cuda_detail
