// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How rows lie over threads: those that stay in registers, and those that are shared by the blocks of a team.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// How the blocks of a team exchange what they have.
enum class exchange { none, cluster, memory };

static_assert(row_tuning::most_cluster_blocks <= 32, "a lane of each warp takes the results of a block");
/// Of `end` steps that a block of a team takes over a row, depth at a time, the first whose vectors shared memory
/// keeps: the last are, from a turn on that all threads take; or none. cached, held: how many fit into it, and into
/// registers.
LAZYFUSE_HD constexpr int first_cached(int end, int whole, int cached, int held, int depth) {
  constexpr int none = 1 << 30;
  const int from = end > cached ? (end - cached + depth - 1) / depth * depth : 0;
  if (from > whole) return none;
  return from > 0 && from < held && held <= whole ? held : from;
}

/// Of rows in registers, K axes before them.
template <int K>
struct register_numbers {
  axes_walk<K> kept;
  index_t rows;
  int length;
  int rows_per_block;
  int group_bits;  ///< of the number of threads that share a row
  bool consecutive, one_result;
  bool whole;  ///< one axis is kept, and every operand is read in whole vectors, or is the same along a row
  wide_bits wide_in, wide_out;
};

/// The blocks that share rows.
struct team_parameters {
  unsigned blocks;  ///< of a team
  unsigned teams;
  exchange how;
  unsigned* tickets;  ///< one per team, zero before and after
  void* partial;      ///< two rooms for each team
  unsigned room;      ///< bytes of each block's part of a room
};

/// Of rows that teams share. The axes are [outer kept axes | axes of the row | the axis of the inner loop]: K, R - 1 -
/// K and 1 of them. The inner loop runs along the row, or (columns) along a kept axis.
template <int K, int R>
struct team_numbers {
  axes_walk<K> outer;
  axes_walk<R - 1 - K> across;
  index_t tasks;       ///< rows; columns: tiles of them at all outer positions
  index_t inner;       ///< extent of the inner axis
  index_t units;       ///< of a task: vectors of a row; columns: positions along the row
  index_t vectors;     ///< of the inner axis; columns: tiles
  divisor of_vectors;  ///< rows: finds the place across of a vector
  int lane_bits;       ///< columns: of the number of threads side by side
  int cached_steps;    ///< of the steps over a task, those whose units a block keeps in shared memory
  bool consecutive, one_result;
  wide_bits wide_in, wide_out, via_shared;
  unsigned room[most_operands];  ///< where each operand via shared memory begins in it
  team_parameters team;
};

/// Of shared memory, in its first bytes, for what the blocks of a cluster that share a row send each other: two
/// counters and two boxes. accumulators: bytes of the largest stage's.
constexpr int mailbox_bytes(int accumulators) { return 16 + 2 * row_tuning::most_cluster_blocks * accumulators; }

}  // namespace lazyfuse::cuda_detail
