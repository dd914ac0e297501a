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
///   transform<Schedule>(extents, bound, targets, dry), reduce<Set, Epilogue, K>(extents, bound, targets, along_kept,
///   dry): run the pattern, or only decide (dry), and return the name of the path
///   machine(): the numbers with which plans are compared
///   rows<Staged, Outer, Columns>(extents, bound, targets, one_result, dry, homes): the same, or null for what it
///   cannot do; homes, if not null, has its again_bytes and is filled. The axes are [Outer kept ones | those of the row
///   | the inner one], which is of the row, or (Columns) a kept one; one_result: results are one per row, and their
///   targets do not move along it.
template <class Space>
struct backend;

/// Whether this compiler can launch work in Space.
template <class Space>
concept runnable_here = requires {
  backend<Space>::name;
};

}  // namespace lazyfuse
