// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How packed kernels find their arrays.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>

namespace lazyfuse::cuda_detail {

/// Words of the table that travel with the parameters, at most.
inline constexpr int packed_words = 384;

/// The arrays of a packed kernel, as words: for all groups the first block; for all of them the elements of an array;
/// and for all of them where these are, of the first operand in memory, of the next one, ..., and of each target.
struct packed_numbers {
  const unsigned long long* table;  ///< null: the words are here
  index_t groups;
  unsigned long long here[packed_words];
};

/// Of packed rows. kept: rounds of a block, from the first of a row on, whose vectors stay in shared memory.
struct packed_row_numbers : packed_numbers {
  int kept;
};

}  // namespace lazyfuse::cuda_detail
