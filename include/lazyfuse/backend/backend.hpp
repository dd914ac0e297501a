// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend offers: one struct per space that runs the patterns. The only layer that knows threads.
#pragma once

#include <lazyfuse/plan/reductions.hpp>
#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse {

/// What runs the patterns in a space. A specialisation has a name and
///   before(info, targets, count): memory is ready for the work to come
///   transform<Schedule>(extents, bound, targets, dry), reduce<Set, Epilogue, K>(extents, bound, targets, along_kept,
///   dry): run the pattern, or only decide (dry), and return the name of the path.
template <class Space>
struct backend;

/// Whether this compiler can launch work in Space.
template <class Space>
concept runnable_here = requires {
  backend<Space>::name;
};

}  // namespace lazyfuse
