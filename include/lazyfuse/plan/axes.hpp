// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes of an iteration, which are sorted and merged without knowing types (compiled).
#pragma once

#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::planning {

/// Merges neighbouring axes of [from, to) where every operand walks them as one, drops axes of extent 1,
/// moves what remains to the end of the section (1 in front) and returns how many axes remain.
int coalesce(index_t* extents, int from, int to, operand_info* operands, int count);

/// The same of all axes of elementwise work. On the device what is read through a map keeps its rows: a block reads
/// what rows below each other have in common once, and finds out once where its tile lies.
int coalesce_elementwise(index_t* extents, int rank, operand_info* operands, int count, bool on_device);

/// Sorts the axes of [from, to) so that the steps of the first operands (the targets) fall.
void order_axes(index_t* extents, int from, int to, operand_info* operands, int count, int targets);

/// Sorts the reduced axes [from, to) so that the operands' steps fall: the order of a reduction is free.
void order_reduced_axes(index_t* extents, int from, int to, operand_info* operands, int count);

/// Moves that kept axis of a reduction to their end along which elements are next to each other, where those of most
/// operands are, and none is broadcast (as those of an epilogue are): results are few beside what is read.
void order_kept_for_reading(index_t* extents, int kept, int rank, operand_info* all, int targets, int count);

/// Whether the inner loop of a reduction should run along the last kept axis (memory is contiguous there).
/// windows: so it should, too, where these are contiguous along both, as windows that overlap are: neighbours then read
/// together what each would read again.
bool runs_along_kept(const index_t* extents, int kept, int rank, const operand_info* operands, int count,
                     bool windows = false);

/// Whether a dense row-major array of extents b reads as extents and steps a (axes of extent 1 aside).
bool same_order(const index_t* a_extents, const index_t* a_steps, int a_rank, const index_t* b_extents, int b_rank);

}  // namespace lazyfuse::planning
