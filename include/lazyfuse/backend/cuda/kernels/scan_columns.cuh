// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of columns side by side: memory is contiguous along a kept axis, threads are neighbours there and below each
// other along the scanned one. Tiles and their order are those of scan.cuh, with a total for each column.
#pragma once

#include <lazyfuse/backend/cuda/kernels/scan.cuh>

namespace lazyfuse::cuda_detail {

/// For all threads: gives the totals of the tile's columns to those after it, and gets what all before it have; thread
/// c does so for column c of `columns`.
template <class Set>
__device__ __forceinline__ typename Set::accumulators before_columns(const scan_board& board, unsigned strip,
                                                                     unsigned tile, int columns,
                                                                     const typename Set::accumulators& total) {
  using accumulators = typename Set::accumulators;
  constexpr unsigned fan = scan_board::fan;
  const unsigned groups = scan_board::count(board.tiles), thread = threadIdx.x;
  const index_t first = static_cast<index_t>(strip) * scan_board::entries(board.tiles);
  unsigned* const flags = board.flags + first;
  accumulators* const values = static_cast<accumulators*>(board.values) + first * columns + thread;
  const bool has_column = static_cast<int>(thread) < columns;
  const auto give = [&](unsigned entry, const accumulators& value) {
    if (has_column) values[static_cast<index_t>(entry) * columns] = value;
    __syncthreads();
    if (thread == 0) raise_flag(flags + entry);
  };
  const auto gather = [&](unsigned from, unsigned count) {
    accumulators a;
    Set::clear(a);
    if (has_column)
#pragma unroll 8
      for (unsigned j = 0; j < count; ++j) a = joined<Set>(a, values[static_cast<index_t>(from + j) * columns]);
    return a;
  };
  const unsigned group = tile / fan, super = group / fan, in_group = tile % fan, in_super = group % fan;
  give(tile, total);
  if (thread < in_group) wait_for_flag(flags + tile - in_group + thread);
  __syncthreads();
  const accumulators in_own = gather(tile - in_group, in_group);
  const accumulators of_group = joined<Set>(in_own, total);
  if (in_group == fan - 1) give(board.tiles + group, of_group);
  const unsigned supers = board.tiles + groups;
  if (thread < in_super) wait_for_flag(flags + board.tiles + group - in_super + thread);
  if (thread == fan && super > 0) wait_for_flag(flags + supers + super - 1);
  __syncthreads();
  const accumulators before =
      joined<Set>(gather(supers + super - 1, super > 0 ? 1 : 0), gather(board.tiles + group - in_super, in_super));
  if (in_group == fan - 1 && in_super == fan - 1) give(supers + super, joined<Set>(before, of_group));
  return joined<Set>(before, in_own);
}

template <class Set, class Epilogue, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) scan_columns(const __grid_constant__ Parameters p) {
  using accumulators = typename Set::accumulators;
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  __shared__ accumulators entries[block_threads * Width], above[block_threads];
  const int thread = static_cast<int>(threadIdx.x), lane = thread & (p.lanes - 1), line = thread / p.lanes,
            lines = block_threads / p.lanes, columns = p.lanes * Width;
  const unsigned taken = p.looks_back ? take_tile(p.board.tickets) : blockIdx.x, tile_number = taken / p.board.strips,
                 strip = taken - tile_number * p.board.strips;
  const unsigned outer = strip / p.pieces, piece = strip - outer * p.pieces;
  const index_t column = static_cast<index_t>(piece) * columns + lane * Width,
                row = static_cast<index_t>(tile_number) * (lines * Depth) + line * Depth;
  index_t offset[Sources::size + 1] = {}, offset_to[Types::size] = {};
  if constexpr (R > 2) {
    add_offsets<0>(offset, p.kept, outer, p.operands, operands);
    target_offsets<R - 2>(offset_to, p.kept, outer, p.targets, targets);
  }
  const auto move = [&](index_t& to, const auto& o) {
    if constexpr (requires { o.steps; }) to += column * o.steps[R - 1] + row * o.steps[R - 2];
  };
  [&]<int... I, int... J>(index_sequence<I...>, index_sequence<J...>) {
    (move(offset[I], get<I>(p.operands)), ...);
    (move(offset_to[J], get<J>(p.targets)), ...);
  }
  (operands, targets);

  scan_tile<Set, Epilogue, R, Width, Depth, Sources, Types> tile;
  const index_t left = p.width - column;
  const int n = left >= Width ? Width : left > 0 ? static_cast<int>(left) : 0;
  tile.full = n == Width && row + Depth <= p.length;
#pragma unroll
  for (int d = 0; d < Depth; ++d) tile.valid[d] = row + d < p.length ? n : 0;
  tile.load(p, offset, R - 1, R - 2, 1, operands);
#pragma unroll
  for (int d = 1; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) tile.scanned[d][k] = joined<Set>(tile.scanned[d - 1][k], tile.scanned[d][k]);
  accumulators* const own = entries + line * columns + lane * Width;
#pragma unroll
  for (int k = 0; k < Width; ++k) own[k] = tile.scanned[Depth - 1][k];
  __syncthreads();
  accumulators total;
  Set::clear(total);
  if (thread < columns)
    for (int l = 0; l < lines; ++l) {
      accumulators& entry = entries[l * columns + thread];
      const accumulators here = entry;
      entry = total;
      total = joined<Set>(total, here);
    }
  if (p.looks_back) total = before_columns<Set>(p.board, strip, tile_number, columns, total);
  else Set::clear(total);
  if (thread < columns) above[thread] = total;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    const accumulators start = joined<Set>(above[lane * Width + k], own[k]);
    accumulators last = start;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const accumulators here = joined<Set>(start, tile.scanned[d][k]);
      tile.finish(d, k, last, here);
      last = here;
    }
  }
  tile.put(p, offset_to, R - 1, R - 2, 1, targets);
}

}  // namespace lazyfuse::cuda_detail
