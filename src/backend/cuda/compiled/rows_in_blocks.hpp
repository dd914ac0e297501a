// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selecting from rows that fit the shared memory of a block, as what nvcc compiles offers it to the rest of the
// backend.
#pragma once

#include "backend/cuda/compiled/order_statistics.hpp"

namespace lazyfuse::cuda_detail {

/// The first k of each row after sorting, equal ones in their order; rows of k follow each other. Either result may be
/// missing.
struct first_of_rows {
  int key_bytes;
  std::int64_t rows, length, k;
  const void* keys;
  std::uint64_t minus_zero, zero;  ///< a key that counts as another
  void* sorted;                    ///< keys as they were
  std::int64_t* places;
};
/// Whether a block takes rows of that length, of which the first k are wanted. shared_bytes: of a block.
bool fits_blocks(int key_bytes, std::int64_t length, std::int64_t k, std::int64_t shared_bytes);
/// Deterministic; nothing waits, and no memory is needed.
cudaError_t first_in_blocks(const first_of_rows& s, cudaStream_t stream);
/// The keys that sorting would put at ranks (selects::key).
cudaError_t keys_in_blocks(const key_selection& s, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
