// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where rows and the results of their reductions are between passes, and what that costs. A backend says where
// (src/backend/cuda/launch/row_geometry.cpp, backend/host); here it becomes work.
#pragma once

#include <lazyfuse/plan/cost.hpp>

namespace lazyfuse::planning {

/// Who shares a value, from its registers outwards; cache and memory: it is read again.
enum class residence { thread, warp, block, cluster, grid, cache, memory };

/// How a backend carries rows through their passes.
struct row_residence {
  index_t again_bytes = 0;              ///< what passes after the first would read a second time; given by who asks
  residence results = residence::grid;  ///< of the reductions, between passes
  residence row = residence::memory;    ///< the elements, between passes
  index_t cached_bytes = 0;             ///< of again_bytes, what stays on the chip
  int grid_barriers = 0;                ///< barriers of a whole grid for each stage
  bool one_by_one = false;              ///< columns that are not read in vectors, nor all at once
  double pace = 1;  ///< the part of memory's speed that they reach if no pass reads them again; less if blocks wait
  double busy = 1;  ///< of memory's speed, the part that they reach at most: few, or written in parts of sectors
};

/// What it takes to walk over an element one by one, in each pass: 90 to 180 instructions in all on an H100, where half
/// of the slots for them are used. With 80 columns were kept together that two kernels take 0.7 to 0.9 of the time for.
inline constexpr double operations_of_walk = 130;

/// The work of one kernel over rows of so many elements in all: what it touches, and what it reads again after `stages`
/// stages. Blocks that wait for each other do so in each pass over what they keep.
constexpr work work_of_rows(const row_residence& h, const work& touched, int stages, index_t elements) {
  work w = touched;
  if (h.one_by_one) w.operations += static_cast<double>(elements) * operations_of_walk * (stages + 1);
  const index_t again = h.again_bytes - h.cached_bytes;
  (h.row == residence::memory ? w.bytes_read : w.bytes_cached) += again;
  double pace = h.busy;
  if (h.pace < 1) {
    const index_t read = touched.bytes_read > 0 ? touched.bytes_read : 1;
    const double kept = static_cast<double>(h.again_bytes - again) / static_cast<double>(read);
    pace *= h.pace / (kept > 1 ? kept : 1);
  }
  for (index_t* const bytes : {&w.bytes_read, &w.bytes_written})
    *bytes = static_cast<index_t>(static_cast<double>(*bytes) / pace);
  w.barriers = h.grid_barriers * stages;
  return w;
}

/// The least work of the same as an array for each stage's reductions and a transform: each reads what its pass reads.
constexpr work work_of_cut(const row_residence& h, const work& touched, int stages) {
  work w = touched;
  w.bytes_read += h.again_bytes;
  w.launches = stages + 1;
  return w;
}

/// Rows so long that a backend may pass results through memory, with barriers of a grid.
inline constexpr index_t long_row = 1 << 15;

/// Fewer elements than these are walked over in less time than another launch takes.
inline constexpr index_t many_elements = 1 << 20;
/// Whether one kernel over rows may take longer than the cut: it moves no more bytes, launches less and computes the
/// same; but long rows may have barriers of a grid, and of many elements it matters how they are read.
constexpr bool rows_are_to_be_compared(index_t length, index_t elements) {
  return length >= long_row || elements >= many_elements;
}
/// Whether it is expected to take no longer.
inline bool rows_pay(const row_residence& h, const work& touched, int stages, index_t elements, const machine& m) {
  constexpr double nearly_all = 0.75;
  if (h.grid_barriers == 0 && !h.one_by_one && h.pace == 1 && h.busy >= nearly_all) return true;
  return predicted_us(work_of_rows(h, touched, stages, elements), m) <=
         predicted_us(work_of_cut(h, touched, stages), m);
}

}  // namespace lazyfuse::planning
