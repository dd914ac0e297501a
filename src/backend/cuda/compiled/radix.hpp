// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU, as what nvcc compiles offers it to the rest of the backend: keys are unsigned integers whose
// order is the wanted one, and memory is the caller's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lazyfuse::cuda_detail {

/// count rows of length keys that follow each other. Sorting goes back and forth between two buffers, and ends in the
/// one that becomes the first. Beside each key there may be a value of 32 bits.
template <class Key>
struct radix_rows {
  std::int64_t count, length;
  Key *keys, *other_keys;
  std::uint32_t *values, *other_values;
};

/// Sorts each row, keeping the order of equal keys, with values or without. Without memory it only says how many bytes
/// it takes. Of keys of 8, 16, 32 and 64 bits, each in a file of its own.
template <bool Values, class Key>
cudaError_t radix_sort(void* memory, std::size_t& bytes, radix_rows<Key>& rows, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
