// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many arrays of unlike lengths, over which one kernel goes.
#pragma once

#include <lazyfuse/core/index.hpp>

namespace lazyfuse::planning {

/// The arrays of a kernel of the pattern packed: groups of arrays that are of one length, such as a parameter and its
/// gradient. An operand in memory, and a target, has an array in each.
struct pack {
  index_t groups;
  const index_t* sizes;     ///< elements of an array of each group; none is 0
  const void* const* data;  ///< those of a group follow each other: of operands in memory, then of targets
  int columns;              ///< how many that are

  const void* at(index_t group, int column) const { return data[group * columns + column]; }
};

}  // namespace lazyfuse::planning
