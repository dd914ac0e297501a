// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How several transforms share the blocks of one launch.
#pragma once

namespace lazyfuse::cuda_detail {

/// Parts of a launch, at most: each adds its code to the kernel, and a block looks at all of them before its own.
inline constexpr int most_parts = 8;

/// Which blocks are those of a part: of each round of the launch's blocks `each` from `first` on, until it has had all
/// of its `count`. Parts one after the other take one round.
struct part_blocks {
  unsigned first, each, count;
};

}  // namespace lazyfuse::cuda_detail
