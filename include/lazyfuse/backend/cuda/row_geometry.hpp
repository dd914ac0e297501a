// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where rows live while they pass through their stages: registers, or the shared memory of a team of blocks. Decided
// per launch from the extents, the element types and the number of operands (src/backend/cuda/row_geometry.cpp).
#pragma once

#include <lazyfuse/backend/cuda/geometry.hpp>
#include <lazyfuse/plan/homes.hpp>

namespace lazyfuse::cuda_detail {

/// How the blocks of a team exchange what they have.
enum class exchange { none, cluster, memory };

/// What the types of a program say about its rows.
struct row_program {
  int width;         ///< elements of a vector
  int held;          ///< elements of a row that a thread can hold in registers
  int accumulators;  ///< bytes of the largest stage's
  wide_bits again;   ///< operands that more than one pass reads
  int held_steps;    ///< of a block of a team, those whose vectors stay in registers (simple walks)
  int depth;         ///< steps that it takes at a time (simple walks)
};

inline constexpr int team_threads = 512;
inline constexpr int most_cluster_blocks = 16;
static_assert(most_cluster_blocks <= 32, "a lane of each warp takes the results of a block");
/// Of `end` steps that a block of a team takes over a row, depth at a time, the first whose vectors shared memory
/// keeps: the last are, from a turn on that all threads take; or none. kept, held: how many fit into it, and into
/// registers.
LAZYFUSE_HD constexpr int first_kept(int end, int whole, int kept, int held, int depth) {
  constexpr int none = 1 << 30;
  const int from = end > kept ? (end - kept + depth - 1) / depth * depth : 0;
  if (from > whole) return none;
  return from > 0 && from < held && held <= whole ? held : from;
}

/// What is copied to shared memory begins at a whole line of its banks: elsewhere every copy writes two.
inline constexpr int room_alignment = 128;
/// Of shared memory, in its first bytes, for what the blocks of a cluster that share a row send each other: two
/// counters and two boxes. accumulators: bytes of the largest stage's.
constexpr int mailbox_bytes(int accumulators) { return 16 + 2 * most_cluster_blocks * accumulators; }
/// Blocks that share a processor: one has memory to wait for while the other computes.
inline constexpr int team_residents = 2;
/// The largest block of rows in registers, and the most elements of a row that a thread holds: twice as many of 16
/// bits.
inline constexpr int register_threads = 512, most_register_elements = 16;

/// The decisions for rows.
struct row_geometry {
  /// Whether the device can run it: all blocks of a grid at a time, results in shared memory, units counted in 32 bits.
  bool fits = true;
  bool registers, one_vector;  ///< one vector per thread, or register_elements
  bool consecutive;
  bool whole;   ///< every operand is read in whole vectors, or is the same along the inner axis
  bool simple;  ///< whole, and one axis across
  wide_bits wide_in = 0, wide_out = 0, staged = 0;
  int group = 1, threads = team_threads;
  index_t rows = 1, grid = 1;
  // of teams
  unsigned blocks = 1, teams = 1;
  exchange how = exchange::none;
  index_t tasks = 1, units = 1, per_block = 1, vectors = 1;
  int lanes = 1, kept_steps = 0, held_steps = 0;
  int residents = 1;  ///< blocks of a processor at a time
  unsigned room[64] = {}, shared_bytes = 0;
  unsigned slots = 1;  ///< results of a stage that a block passes on
  const char* path;
};

/// outer: how many axes come before those of the row; columns: the inner axis is a kept one.
row_geometry plan_rows(const index_t* extents, int rank, int outer, bool columns, const operand_info* info, int targets,
                       int count, const row_program& program);

/// Where rows and results are, for predictions and explain.
void find_homes(const row_geometry& g, row_homes& to);

}  // namespace lazyfuse::cuda_detail
