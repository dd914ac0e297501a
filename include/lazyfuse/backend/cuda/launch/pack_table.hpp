// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of packed kernels, made on the host (compiled).
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/backend/cuda/kernels/packed_layout.hpp>
#include <lazyfuse/plan/pack.hpp>

namespace lazyfuse::cuda_detail {

/// How many elements of an array a block of the packed kernel takes, by the share of its threads.
constexpr index_t packed_part(thread_share share) {
  return index_t{transform_tuning::packed_rounds} * block_threads * share.width * share.depth;
}
/// Which block has which part of which array. Until its kernel is launched it keeps the memory that the words are in if
/// there are too many for parameters.
struct pack_table {
  packed_numbers numbers;
  unsigned blocks;

  /// Of some columns of the pack, by their numbers (null: all of them). part: as many elements for a block; 0: all of
  /// an array, the longest first. The words are copied on the current stream. Throws error while that is captured,
  /// memory_error, cuda_error.
  pack_table(const planning::pack& arrays, const short* columns, int count, index_t part);

 private:
  handles<1> memory_;
};

/// How rounds of packed rows stay in shared memory.
struct kept_rounds {
  int rounds;
  std::size_t shared_bytes;
};
/// Of so many elements, and bytes of them that are kept, beside bytes for what is merged. Throws error if there are not
/// as many.
kept_rounds keep_rounds(const planning::pack& arrays, index_t elements, index_t bytes, index_t merge_bytes);

}  // namespace lazyfuse::cuda_detail
