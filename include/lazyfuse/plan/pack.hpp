// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many arrays of unlike lengths, over which one kernel goes.
#pragma once

#include <lazyfuse/expr/lazy.hpp>

#include <vector>

namespace lazyfuse::planning {

/// The arrays of a kernel of the pattern packed: groups of arrays that are of one length, such as a parameter and its
/// gradient. An operand in memory, and a target, has an array in each.
struct pack {
  /// Where an operand or a target has its array: among those of a group, or (-1) one element that is the same for all.
  struct column {
    int place;
    const void* same;
    friend bool operator==(const column&, const column&) = default;
  };
  /// The words of a table on the GPU, for the next call with the same arrays: of which columns, and for which blocks.
  struct kept_words {
    handles<1> memory;
    std::vector<column> columns;
    index_t part = 0;
    unsigned blocks = 0;
  };
  index_t groups;
  const index_t* sizes;     ///< elements of an array of each group; none is 0
  const void* const* data;  ///< the arrays of a group follow each other
  int arrays;               ///< of a group
  const column* columns;    ///< of operands in memory, then of targets
  int column_count;
  kept_words* kept = nullptr;  ///< null: its words are of this call alone

  const void* at(index_t group, int c) const {
    return columns[c].place < 0 ? columns[c].same : data[group * arrays + columns[c].place];
  }
};

}  // namespace lazyfuse::planning
