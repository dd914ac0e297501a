// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting short rows on the GPU by warps, as what nvcc compiles offers it to the rest of the backend.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lazyfuse::cuda_detail {

/// Rows of more elements do not fit.
inline constexpr std::int64_t longest_short_row = 2048;

/// rows of length unsigned integers of 1, 2, 4 or 8 bytes that follow each other, of which the first k are wanted after
/// sorting, equal ones in their order; rows of k follow each other, too. Either result may be missing.
struct short_rows {
  int key_bytes;
  std::int64_t rows, length, k;
  const void* keys;
  std::uint64_t minus_zero, zero;  ///< a key that counts as another; if they differ, sorted is not keys
  void* sorted;                    ///< keys as they were; may be where they are
  std::int64_t* places;
  const std::uint32_t* values;  ///< what places are, if they are not elements' own; beside keys
};
/// Nothing waits, and no memory is needed.
cudaError_t sort_short_rows(const short_rows& s, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
