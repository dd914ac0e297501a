// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selecting among keys on the GPU by their digits, as what nvcc compiles offers it to the rest of the backend: sizes
// and pointers; memory is the caller's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lazyfuse::cuda_detail {

/// What becomes of each row.
enum class selects {
  first,      ///< rank keys that come first, with their places; equal keys are in the order of places, others in any
  key,        ///< the keys that sorting would put at ranks
  partition,  ///< all keys, those before the one that sorting puts at rank first, and then those that equal it
};

inline constexpr int most_ranks = 8;

/// rows of length unsigned integers of 1, 2, 4 or 8 bytes that follow each other. length < 2^32.
struct key_selection {
  selects what;
  int key_bytes;
  std::int64_t rows, length;
  const void* keys;
  std::uint64_t minus_zero, zero;  ///< a key that counts as another
  int ranks;                       ///< one, but of `key`
  std::uint32_t rank[most_ranks];
  void* to;               ///< rows of rank, of ranks, or of length keys
  std::uint32_t* places;  ///< of `first` alone
};
/// Deterministic, and nothing waits. Without memory it only says how many bytes it takes: 5/16 of a row, or of 2^27
/// keys of shorter ones, for each rank, the places beside `first`, and 8 KiB for each of some 2000 blocks. processors:
/// of the GPU.
cudaError_t select_by_digits(void* memory, std::size_t& bytes, const key_selection& s, int processors,
                             cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
