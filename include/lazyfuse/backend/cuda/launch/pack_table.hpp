// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of a packed kernel, made on the host (compiled).
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/backend/cuda/kernels/packed_layout.hpp>
#include <lazyfuse/plan/pack.hpp>

namespace lazyfuse::cuda_detail {

/// Which block has which part of which array. Until its kernel is launched it keeps the memory that the words are in if
/// there are too many for parameters.
struct pack_table {
  packed_numbers numbers;
  unsigned blocks;

  /// Of some columns of the pack, by their numbers (null: all of them), for threads of such a share. The words are
  /// copied on the current stream. Throws error while that is captured, memory_error, cuda_error.
  pack_table(const planning::pack& arrays, const short* columns, int count, thread_share share);

 private:
  handles<1> memory_;
};

}  // namespace lazyfuse::cuda_detail
