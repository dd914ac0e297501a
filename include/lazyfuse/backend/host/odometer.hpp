// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where all operands are at one position after the other. Its types know how many operands and axes there are, and no
// more, so that expressions share them.
#pragma once

#include <lazyfuse/backend/host/strided.hpp>
#include <lazyfuse/core/pack.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::host_detail {

using namespace ir;

/// N operands without their types: those that differ, and which of them each is. Types do not tell how many that are;
/// work for every row is for these. On lines of its own: threads read it all the time.
template <int N>
struct strided_table {
  alignas(64) strided all[N > 0 ? N : 1];
  int of[N + 1];
  int count;
};

/// The offsets of N operands at an index over the axes [from, to) of R.
template <int N, int R>
struct odometer {
  const strided_table<N>* table;
  const index_t* extents;
  int from, to;
  index_t at[R > 0 ? R : 1] = {};
  index_t offsets[N + 1] = {};  ///< of those that differ

  index_t offset(int operand) const { return offsets[table->of[operand]]; }
  void seek(index_t linear) { strided_odometer{table->all, table->count, extents, from, to, at, offsets}.seek(linear); }
  /// Moves on, at most to the end of the last axis.
  void next(index_t by = 1) { strided_odometer{table->all, table->count, extents, from, to, at, offsets}.next(by); }
};

}  // namespace lazyfuse::host_detail
