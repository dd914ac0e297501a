// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend offers: one struct per space that runs the patterns. The only layer that knows threads.
#pragma once

#include <lazyfuse/plan/homes.hpp>
#include <lazyfuse/plan/reductions.hpp>
#include <lazyfuse/plan/rows.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse {

/// What runs the patterns in a space. A specialisation has a name and
///   before(info, targets, count): memory is ready for the work to come
///   machine(): the numbers with which plans are compared
///   transform<Schedule>(extents, bound, targets), reduce<Set, Epilogue, K>(extents, bound, targets, along_kept),
///   rows<Staged, Outer, Columns>(extents, bound, targets, one_result): run the pattern and return the name of the
///   path, or null for what the space cannot do. The axes of rows are [Outer kept ones | those of the row | the inner
///   one], which is of the row, or (Columns) a kept one; one_result: results are one per row, and their targets do not
///   move along it. transform_path<Schedule>(extents, bound, targets), reduce_path(along_kept), rows_path<Staged,
///   Outer, Columns>(extents, bound, targets, homes): the same path, without running; homes has its again_bytes and is
///   filled.
template <class Space>
struct backend;

/// Whether this compiler can launch work in Space.
template <class Space>
concept runnable_here = requires {
  backend<Space>::name;
};

}  // namespace lazyfuse
