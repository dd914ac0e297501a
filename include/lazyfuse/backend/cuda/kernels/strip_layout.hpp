// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How strips lie over threads: rows or columns that stay in registers, read element by element.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// Of columns. The axes are [outer kept ones | those of the column | the inner kept one]: K, R - 1 - K and 1 of them.
template <int K, int R>
struct column_numbers {
  axes_walk<K + 1> kept;  ///< neighbours along the inner axis are columns of neighbouring threads
  axes_walk<R - 1 - K> down;
  index_t columns;
  int height;
};

/// Of rows, K axes before theirs.
template <int K, int R>
struct row_strip_numbers {
  axes_walk<K> kept;
  axes_walk<R - K> along;
  index_t rows;
  int length;
};

/// Where the elements of a strip lie: steps apart, all at the first (a target: it has one result), or one after the
/// other.
enum class strip_step { any, same, next };

/// Registers of a processor.
inline constexpr int registers_of_processor = 65536;
/// What a thread that holds so many words of elements takes of them; element_bytes: of the largest, as functions of
/// doubles need more beside their elements. Devices give registers out in eights.
constexpr int registers_of_strip(int words, int element_bytes) {
  return (words + (element_bytes > 4 ? 60 : 28) + 7) / 8 * 8;
}
/// Threads of a block of rows that are shared by at most a warp.
inline constexpr int block_of_short_rows = 128;
/// Elements that a thread combines one after the other; such runs are merged, so that sums of many do not drift.
inline constexpr int strip_run = 8;
/// Elements of results that are computed at a time, with what only they read.
inline constexpr int strip_step_of_results = 4;

}  // namespace lazyfuse::cuda_detail
