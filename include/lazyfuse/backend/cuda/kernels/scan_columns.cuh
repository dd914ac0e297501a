// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of columns side by side: memory is contiguous along a kept axis, threads are neighbours there and below each
// other along the scanned one. Tiles and their order are those of scan_rows.cuh, with a total for each column.
#pragma once

#include <lazyfuse/backend/cuda/kernels/scan.cuh>

namespace lazyfuse::cuda_detail {

__device__ __forceinline__ void raise_flag(unsigned* flag) {
  asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}
__device__ __forceinline__ void wait_for_flag(const unsigned* flag) {
  unsigned up;
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
  while (up == 0);
}

/// Columns of a tile side by side, for its threads: thread c answers for column c, and each has Width of them in a
/// line.
template <class Set, int Width>
struct tile_columns {
  using accumulators = typename Set::accumulators;
  accumulators* entries;  ///< of shared memory: lines * columns
  int columns, lines, line, across, spacing;
  __device__ __forceinline__ bool answers() const { return static_cast<int>(threadIdx.x) < columns; }

  /// What all lines have of column c, in their order; and, in `apart`, what those before its own have of a thread's.
  template <bool Apart>
  __device__ __forceinline__ accumulators combined(const accumulators (&a)[Width],
                                                   accumulators* apart = nullptr) const {
    constexpr int together = scan_tuning::loads_together;
    accumulators* const own = entries + line * columns + across;
#pragma unroll
    for (int k = 0; k < Width; ++k) own[k * spacing] = a[k];
    __syncthreads();
    accumulators total;
    Set::clear(total);
    if (answers())
      for (int first = 0; first < lines; first += together) {
        accumulators here[together];
        accumulators* const from = entries + first * columns + threadIdx.x;
#pragma unroll
        for (int l = 0; l < together; ++l)
          if (first + l < lines) here[l] = from[l * columns];
#pragma unroll
        for (int l = 0; l < together; ++l)
          if (first + l < lines) {
            if constexpr (Apart) from[l * columns] = total;
            total = joined<Set>(total, here[l]);
          }
      }
    __syncthreads();
    if constexpr (Apart) {
#pragma unroll
      for (int k = 0; k < Width; ++k) apart[k] = own[k * spacing];
      __syncthreads();
    }
    return total;
  }

  /// Gives the totals of the tile's columns to those after it, and gets what all before it have, for column c. One flag
  /// for all columns: marks would double what is read.
  __device__ __forceinline__ accumulators before(const scan_board& board, unsigned strip, unsigned tile,
                                                 const accumulators& total) const {
    const unsigned thread = threadIdx.x;
    const index_t first = static_cast<index_t>(strip) * scan_board::entries(board.tiles);
    unsigned* const flags = board.flags + first;
    accumulators* const values = static_cast<accumulators*>(board.values) + first * columns;
    const auto give = [&](unsigned entry, const accumulators& value) {
      if (answers()) values[static_cast<index_t>(entry) * columns + thread] = value;
      __syncthreads();
      if (thread == 0) raise_flag(flags + entry);
    };
    struct asked {
      unsigned from, count;
    };
    const auto ask = [](unsigned from, unsigned count) { return asked{from, count}; };
    // Each line takes some of them.
    const auto gather = [&](const asked& of) {
      const unsigned from = of.from, count = of.count;
      if (thread < count) wait_for_flag(flags + from + thread);
      __syncthreads();
      const unsigned each = (count + lines - 1) / lines, begin = line * each, end = begin + each;
      accumulators a[Width];
#pragma unroll
      for (int k = 0; k < Width; ++k) Set::clear(a[k]);
#pragma unroll 4
      for (unsigned j = begin; j < (end < count ? end : count); ++j)
#pragma unroll
        for (int k = 0; k < Width; ++k)
          a[k] = joined<Set>(a[k], values[static_cast<index_t>(from + j) * columns + across + k * spacing]);
      return combined<false>(a);
    };
    return look_back<Set>(board, tile, total, give, ask, gather);
  }
};

/// A block takes a tile: `lanes` vectors of columns, and lines of threads below each other, each with rows of its own.
template <class Set, class Epilogue, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, scan_tuning::residents)
    scan_columns(const __grid_constant__ Parameters p) {
  using accumulators = typename Set::accumulators;
  using pieces_type = scan_pieces<Set, Epilogue, R, Width, Depth, Sources, Types>;
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ accumulators entries[block_threads * Width];
  const pieces_in_shared<accumulators, Width> shared(shared_bytes, p.lanes);
  const int thread = static_cast<int>(threadIdx.x), lane = thread & (p.lanes - 1), line = thread / p.lanes,
            lines = block_threads / p.lanes, columns = p.lanes * Width;
  const unsigned tile = blockIdx.x / p.board.strips, strip = blockIdx.x - tile * p.board.strips;
  const unsigned outer = strip / p.abreast, beside = strip - outer * p.abreast;
  const int across = lane * (p.apart() > 1 ? 1 : Width);  // of the first of the thread's columns
  const index_t column = static_cast<index_t>(beside) * columns + across, left = p.width - column,
                first = (static_cast<index_t>(tile) * lines + line) * (static_cast<index_t>(p.chunks) * Depth);
  const int reach = (Width - 1) * p.apart() + 1, valid = left >= reach ? reach : left > 0 ? static_cast<int>(left) : 0;
  index_t base[Sources::size + 1] = {}, base_to[Types::size] = {};
  if constexpr (R > 2) {
    add_offsets<0>(base, p.kept, outer, p.operands, operands);
    target_offsets<R - 2>(base_to, p.kept, outer, p.targets, targets);
  }
  /// Calls f(number, offset) for those of `all` that are read or written at a position: where row `row` begins.
  const auto at_row = [&]<int... I>(index_t * to, const index_t* from, const auto& all, index_t row,
                                    index_sequence<I...>) {
    const auto one = [&](index_t& at, index_t begin, const auto& o) {
      if constexpr (requires { o.steps; }) at = begin + column * o.steps[R - 1] + row * o.steps[R - 2];
    };
    (one(to[I], from[I], get<I>(all)), ...);
  };
  const auto load = [&](pieces_type& to, index_t row) {
    to.full = valid == reach && row + Depth <= p.length;
#pragma unroll
    for (int d = 0; d < Depth; ++d) to.valid[d] = row + d < p.length ? valid : 0;
    index_t offset[Sources::size + 1] = {};
    at_row(offset, base, p.operands, row, operands);
    to.load(p, offset, R - 1, R - 2, 1, operands);
  };

  accumulators sum[Width];
#pragma unroll
  for (int k = 0; k < Width; ++k) Set::clear(sum[k]);
  for (unsigned chunk = 0; chunk < p.chunks; ++chunk) {
    pieces_type pieces;
    accumulators here[Depth][Width];
    load(pieces, first + chunk * Depth);
    pieces.compute(here, p.apart());
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      accumulators up_to[Width];
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        if (d > 0) here[d][k] = joined<Set>(here[d - 1][k], here[d][k]);
        up_to[k] = joined<Set>(sum[k], here[d][k]);
      }
      shared.put(chunk * Depth + d, up_to);
    }
#pragma unroll
    for (int k = 0; k < Width; ++k) sum[k] = joined<Set>(sum[k], here[Depth - 1][k]);
  }

  accumulators before[Width];
#pragma unroll
  for (int k = 0; k < Width; ++k) Set::clear(before[k]);
  if (lines > 1) {
    const tile_columns<Set, Width> beside_each_other{entries, columns, lines, line, across, p.apart()};
    accumulators apart[Width];
    accumulators total = beside_each_other.template combined<true>(sum, apart);
    if (p.board.tiles > 1) total = beside_each_other.before(p.board, strip, tile, total);
    else Set::clear(total);
    if (beside_each_other.answers()) entries[thread] = total;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Width; ++k) before[k] = joined<Set>(entries[across + k * p.apart()], apart[k]);
  }

  accumulators last[Width];
#pragma unroll
  for (int k = 0; k < Width; ++k) last[k] = before[k];
  for (unsigned chunk = 0; chunk < p.chunks; ++chunk) {
    const index_t row = first + chunk * Depth;
    pieces_type pieces;
    load(pieces, row);
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      accumulators up_to[Width];
      shared.get(chunk * Depth + d, up_to);
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const accumulators here = joined<Set>(before[k], up_to[k]);
        pieces.finish(d, k, last[k], here);
        last[k] = here;
      }
    }
    index_t offset[Types::size];
    at_row(offset, base_to, p.targets, row, targets);
    pieces.put(p, offset, R - 1, R - 2, 1, targets);
  }
}

}  // namespace lazyfuse::cuda_detail
