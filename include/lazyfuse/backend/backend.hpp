// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend offers: one struct per space that runs the patterns. The only layer that knows threads.
#pragma once

#include <lazyfuse/plan/reductions.hpp>
#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse {

/// Specialised in backend/host and backend/cuda:
///   transform<Schedule>(extents, operands, targets, infos)
///   reduce<...>(...)
template <class Space>
struct backend;

template <class Space>
concept runnable_here = requires {
  backend<Space>::name;
};

}  // namespace lazyfuse
