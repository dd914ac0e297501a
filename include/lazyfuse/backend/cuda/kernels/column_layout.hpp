// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How columns that stay in registers lie over threads. The axes are [outer kept ones | those of the column | the inner
// kept one]: K, R - 1 - K and 1 of them.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

template <int K, int R>
struct column_numbers {
  axes_walk<K + 1> kept;  ///< neighbours along the inner axis are columns of neighbouring threads
  axes_walk<R - 1 - K> down;
  index_t columns;
  int height;
  int lines, groups;  ///< warps below each other, which share 32 columns; such groups in a block
  bool one_result;
};

/// Threads of a block of columns at most, which 64 registers each leave two of.
inline constexpr int column_threads = 512;
/// Elements of results that are computed at a time, with what only they read.
inline constexpr int column_step = 4;

}  // namespace lazyfuse::cuda_detail
