// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions for a transform and for a reduction: plain numbers, made on the host (compiled).
#pragma once

#include <lazyfuse/backend/cuda/kernels/reduce_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>
#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::cuda_detail {

enum class transform_path { flat, strided, tiled, window };

/// The decisions for a transform.
struct transform_geometry {
  transform_path path;
  bool consecutive;  ///< a thread's elements are neighbours, else a row of threads apart
  wide_bits wide_in = 0, wide_out = 0, via_shared = 0;
  bool dense = false;                        ///< flat, and all memory is contiguous and aligned
  int lanes = block_threads, lines = 1;      ///< threads of a block along the columns, along the rows
  unsigned row_tiles = 1, column_tiles = 1;  ///< where mirrored, of squares
  unsigned blocks = 1;
  bool small = false;        ///< every offset of every operand and target fits 31 bits
  bool mirrored = false;     ///< squares of tiles (i, j) and (j, i) follow each other
  index_t shared_bytes = 0;  ///< for operands that are turned
  shared_window window{};
};

/// May swap axes of the extents and of all steps.
transform_geometry plan_transform(index_t* extents, int rank, planning::operand_info* info, int targets, int count,
                                  thread_share flat, thread_share strided, thread_share turned, bool may_window);

inline flat_numbers numbers_of_flat(const transform_geometry& g, index_t size) {
  return {size, g.wide_in, g.wide_out, g.consecutive, g.dense};
}
template <int R>
strided_numbers<R> numbers_of_strided(const transform_geometry& g, const index_t* extents) {
  index_t planes = 1;
  for (int k = 0; k < R - 2; ++k) planes *= extents[k];
  return {.planes_walk = walk_of<R - 2>(extents),
          .planes = planes,
          .rows = extents[R - 2],
          .columns = extents[R - 1],
          .wide_in = g.wide_in,
          .wide_out = g.wide_out,
          .via_shared = g.via_shared,
          .row_tiles = g.row_tiles,
          .column_tiles = g.column_tiles,
          .by_rows = divisor::of(g.row_tiles),
          .by_columns = divisor::of(g.column_tiles),
          .lanes = g.lanes,
          .lines = g.lines,
          .planes_here = block_threads / (g.lanes * g.lines),
          .by_lanes = divisor::of(g.lanes),
          .by_lines = divisor::of(g.lines),
          .consecutive = g.consecutive,
          .mirrored = g.mirrored,
          .small = g.small};
}

/// The decisions for a reduction.
struct reduce_geometry {
  bool consecutive;
  bool dense;  ///< all memory is contiguous along the inner axis; where consecutive, aligned too
  wide_bits wide = 0;
  int group = block_threads;  ///< threads that share an output (rows)
  int lanes = block_threads;  ///< of these, along the inner axis; columns: threads along the kept axis
  unsigned chunks = 1;        ///< pieces of the inner axis, each lanes * width long
  index_t units = 0;          ///< steps of the loop over everything that is reduced
  unsigned splits = 1;        ///< blocks that share an output
  index_t units_per_split = 0;
  unsigned tiles = 1;  ///< blocks without splitting
};

reduce_geometry plan_reduce(const index_t* extents, int kept, int rank, const planning::operand_info* info, int count,
                            bool along_kept, thread_share share, index_t resident);
/// Without room for partial results.
template <int K, int R>
reduce_numbers<K, R> numbers_of_reduce(const reduce_geometry& g, const index_t* extents, bool along_kept, int width) {
  index_t outputs = 1;
  for (int k = 0; k < K; ++k) outputs *= extents[k];
  shape<R> walked;
  for (int k = 0; k < R; ++k) walked[k] = extents[k];
  if (!along_kept) walked[R - 1] = 1;  // the loop over chunks walks it
  const index_t inner = along_kept ? extents[K > 0 ? K - 1 : 0] : extents[R - 1];
  return {.kept = walk_of<K>(extents),
          .reduced = walk_of<R - K>(walked.extent + K),
          .outputs = outputs,
          .inner = inner,
          .units = g.units,
          .units_per_split = g.units_per_split,
          .whole_chunks = inner / (index_t{g.lanes} * width),
          .small_units = g.units < (index_t{1} << 31),
          .wide = g.wide,
          .chunks = g.chunks,
          .splits = g.splits,
          .chunk_divisor = divisor::of(g.chunks),
          .group = g.group,
          .lanes = g.lanes,
          .consecutive = g.consecutive,
          .dense = g.dense,
          .tickets = nullptr,
          .partial = nullptr};
}

}  // namespace lazyfuse::cuda_detail
