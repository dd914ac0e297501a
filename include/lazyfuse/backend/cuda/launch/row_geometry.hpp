// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where rows live while they pass through their stages: registers, or the shared memory of a team of blocks. Decided
// per launch from the extents, the element types and the number of operands (compiled).
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_layout.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/plan/bind.hpp>
#include <lazyfuse/plan/residence.hpp>

namespace lazyfuse::cuda_detail {

/// What the types of a program say about its rows.
struct row_program {
  int width;         ///< elements of a vector
  int held;          ///< elements of a row that a thread can hold in registers
  int accumulators;  ///< bytes of the largest stage's
  wide_bits again;   ///< operands that more than one pass reads
  int held_steps;    ///< of a block of a team, those whose vectors stay in registers (straight walks)
  int depth;         ///< steps that it takes at a time (straight walks)
};

/// The decisions for rows.
struct row_geometry {
  /// Whether the device can run it: all blocks of a grid at a time, results in shared memory, units counted in 32 bits.
  bool fits = true;
  bool registers, one_vector;  ///< one vector per thread, or register_elements
  bool consecutive;
  bool whole;     ///< every operand is read in whole vectors, or is the same along the inner axis
  bool straight;  ///< whole; columns: and one axis across
  bool columns = false;
  bool one_by_one =
      false;  ///< columns that are not: several kernels read many of them in less time, of rows they do not
  wide_bits wide_in = 0, wide_out = 0, via_shared = 0;
  int group = 1, threads = row_tuning::team_threads;
  index_t rows = 1, grid = 1;
  // of teams
  unsigned blocks = 1, teams = 1;
  exchange how = exchange::none;
  index_t tasks = 1, units = 1, per_block = 1, vectors = 1;
  int lanes = 1, cached_steps = 0, held_steps = 0;
  int residents = 1;  ///< blocks of a processor at a time
  unsigned room[most_operands] = {}, shared_bytes = 0;
  unsigned passed_bytes = 0;  ///< of the results of a stage that a block passes on
  double busy = 1;            ///< as of row_residence, in registers
  const char* path;

  /// Whether rows in registers are whole, which have one axis before them.
  bool has_whole_rows(const index_t* extents, int outer) const {
    return whole && (outer == 0 || rows == extents[outer - 1]);
  }
};

/// outer: how many axes come before those of the row; columns: the inner axis is a kept one.
row_geometry plan_rows(const index_t* extents, int rank, int outer, bool columns, const planning::operand_info* info,
                       int targets, int count, const row_program& program);

template <int K>
register_numbers<K> numbers_of_registers(const row_geometry& g, const index_t* extents, index_t length,
                                         bool one_result) {
  return {.kept = walk_of<K>(extents),
          .rows = g.rows,
          .length = static_cast<int>(length),
          .rows_per_block = g.threads / g.group,
          .group_bits = log2_of(g.group),
          .consecutive = g.consecutive,
          .one_result = one_result,
          .whole = g.has_whole_rows(extents, K),
          .wide_in = g.wide_in,
          .wide_out = g.wide_out};
}

template <int K, int R>
team_numbers<K, R> numbers_of_teams(const row_geometry& g, const index_t* extents, bool one_result) {
  team_numbers<K, R> n{.outer = walk_of<K>(extents),
                       .across = walk_of<R - 1 - K>(extents + K),
                       .tasks = g.tasks,
                       .inner = extents[R - 1],
                       .units = g.units,
                       .vectors = g.vectors,
                       .of_vectors = divisor::of(g.vectors),
                       .lane_bits = log2_of(g.lanes),
                       .cached_steps = g.cached_steps,
                       .consecutive = g.consecutive,
                       .one_result = one_result,
                       .wide_in = g.wide_in,
                       .wide_out = g.wide_out,
                       .via_shared = g.via_shared,
                       .room = {},
                       .team = {}};
  for (int i = 0; i < most_operands; ++i) n.room[i] = g.room[i];
  return n;
}

/// How a kernel of teams is started, and until then the memory through which they exchange results.
struct team_start {
  unsigned blocks = 0;
  scratch room;
};
/// Says the kernel who its teams are. Rows that are more than run at a time are several tasks of each.
team_start prepare_teams(const void* kernel, const row_geometry& g, team_parameters& team);
/// parameters: with those of the team that were prepared.
void launch_teams(const void* kernel, const row_geometry& g, const team_start& start, void* parameters);

/// Where rows and results are, for predictions and explain.
void find_residence(const row_geometry& g, planning::row_residence& to);

}  // namespace lazyfuse::cuda_detail
