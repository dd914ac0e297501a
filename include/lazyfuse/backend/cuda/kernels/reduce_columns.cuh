// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The column reduction kernel: lanes own columns, lines and blocks share the reduced range.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>

namespace lazyfuse::cuda_detail {

/// The inner loop runs along the kept axis K - 1: lanes own columns, lines share the reduced range.
template <class Set, class Epilogue, int K, int R, int Width, int Depth, class... Src>
__device__ __forceinline__ void columns_body(const auto& p, list<Src...> sources) {
  constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  constexpr int count = sizeof...(Src) + 1;
  using accumulators = typename Set::accumulators;
  __shared__ accumulators shared[block_threads];
  const unsigned tile = blockIdx.x / p.splits, split = blockIdx.x - tile * p.splits;
  const unsigned outer = tile / p.chunks, chunk = tile - outer * p.chunks;
  // Threads that are left over make a line beyond the last.
  const int lines = block_threads / p.lanes, line = static_cast<int>(threadIdx.x) / p.lanes,
            lane = static_cast<int>(threadIdx.x) - line * p.lanes;
  const spread threads{spacing_of(p)};
  const int spacing = threads.spacing, span = p.lanes * Width;
  const index_t chunk_begin = static_cast<index_t>(chunk) * span;
  const int in_chunk = static_cast<int>(p.inner - chunk_begin < span ? p.inner - chunk_begin : span);
  // The last lanes, or the last chunk, go back as far as all columns of a thread exist, if there are so many. What they
  // share with others they do not store.
  const int own = threads.template first<Width>(lane);
  const bool whole = spacing == 1 ? in_chunk >= Width : p.inner >= span;
  const int first = !whole                   ? own
                    : spacing != 1           ? own - (span - in_chunk)
                    : own > in_chunk - Width ? in_chunk - Width
                                             : own;
  const index_t column = chunk_begin + first;
  const int in_row = in_chunk - first, others = (spacing == 1 ? own : 0) - first;
  const bool has_columns = line < lines && in_row > 0 && others <= (Width - 1) * spacing;

  // Kept position of the first element: the outer axes, and the column.
  index_t base[count] = {}, at[K] = {};
  p.kept(outer * p.inner, [&](int axis, index_t i) { at[axis] = i; });
  at[K - 1] = column;
  const auto kept_offset = [&](index_t& to, const auto& o) {
    if constexpr (requires { o.steps; })
#pragma unroll
      for (int k = 0; k < K; ++k) to += at[k] * o.steps[k];
  };
  [&]<int... I>(index_sequence<I...>) { (kept_offset(base[I], get<I>(p.operands)), ...); }
  (seq);

  thread_sums<Set, Width, true> sums;
  sums.clear();
  const index_t begin = split * p.units_per_split,
                end = begin + p.units_per_split < p.units ? begin + p.units_per_split : p.units;
  // Along the last axis as far as it goes, several units at a time; short ones are gone through as if they were one.
  const bool one_axis = p.reduced.first == R - K - 1;
  const index_t length = p.reduced.extents[R - K - 1];
  const bool in_turn = whole && (one_axis || length >= 4 * lines);
  for (index_t from = begin; from < end && has_columns;) {
    index_t to = end, unit = from + line;
    if (in_turn) {
      index_t offset[count];
#pragma unroll
      for (int i = 0; i < count; ++i) offset[i] = base[i];
      p.reduced(from, [&](int axis, index_t i) {
        if (axis == R - K - 1) to = from + length - i < end ? from + length - i : end;
      });
      if (!one_axis) add_offsets<K>(offset, p.reduced, from, p.operands, seq);
      const index_t origin = one_axis ? 0 : from;
      for (; unit + (Depth - 1) * lines < to; unit += Depth * lines)
        combine_full<Set, R - K == 1, Width, Depth>(sums, p, offset, unit - origin, lines, R - 1, K - 1, spacing, false,
                                                    sources, seq);
    }
    for (; unit < to; unit += lines) {
      index_t offset[count];
#pragma unroll
      for (int i = 0; i < count; ++i) offset[i] = base[i];
      add_offsets<K>(offset, p.reduced, unit, p.operands, seq);
      combine_some<Set, Width>(sums, p, offset, in_row, K - 1, spacing, sources, seq);
    }
    from = to;
  }

  // Lines merge through shared memory, a column at a time; the order is fixed.
  const auto merge_lines = [&] {
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      for (int all = lines; all > 1;) {
        const int half = (all + 1) / 2;
        __syncthreads();
        if (line >= half && line < all) shared[threadIdx.x] = sums.lane[k];
        __syncthreads();
        if (line < all - half) Set::merge(sums.lane[k], shared[threadIdx.x + half * p.lanes]);
        all = half;
      }
    }
  };
  sums.restore();
  merge_lines();

  if (p.splits > 1) {
    accumulators* const partial = static_cast<accumulators*>(p.partial) + static_cast<index_t>(tile) * p.splits * span;
    const int slot = lane * Width;  // of the thread, whatever its columns
    if (line == 0)
#pragma unroll
      for (int k = 0; k < Width; ++k) partial[static_cast<index_t>(split) * span + slot + k] = sums.lane[k];
    if (!arrives_last(p.tickets + tile, p.splits)) return;
    sums.clear();
    const auto of_split = [&](int k, index_t s) { return partial + s * span + slot + k; };
    if constexpr (1 < merged_at_a_time<Set>) {
#pragma unroll
      for (int k = 0; k < Width; ++k)
        merge_together<Set>(sums.lane[k], line, p.splits, lines, [&](int s) { return read_in_words(of_split(k, s)); });
    } else if (line < lines)
      merge_in_runs<Width, Set>(sums.lane, line, p.splits, lines, [&](int k, unsigned s) { return *of_split(k, s); });
    merge_lines();
  }
  if (line == 0) {
#pragma unroll
    for (int k = 0; k < Width; ++k)
      if (k * spacing < in_row && k * spacing >= others) {
        at[K - 1] = column + k * spacing;
        finish<Set, Epilogue, K>(p, at, sums.lane[k]);
      }
  }
}

/// Blocks that are to share a processor; 0: as many as the compiler makes of it. Cheap programs wait for memory, and
/// want more threads than dear ones, which want registers.
template <class Set, int Width, int Depth, class Sources>
constexpr int column_residents(Sources sources) {
  using tuned = reduce_tuning;
  constexpr int cost = Set::prologue::cost;
  const int bytes = sum_bytes<Set, Width>(sources, Width * Depth);
  if (cost >= tuned::dear && bytes <= tuned::dear_bytes) return 4;
  if (cost < tuned::cheap && bytes <= tuned::bytes_of_four) return 4;
  return bytes <= tuned::bytes_of_three ? 3 : 0;
}

template <class Set, class Epilogue, class Sources, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, column_residents<Set, Width, Depth>(Sources{}))
    reduce_columns(const __grid_constant__ Parameters p) {
  columns_body<Set, Epilogue, K, R, Width, Depth>(p, Sources{});
}

}  // namespace lazyfuse::cuda_detail
