// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU, as what nvcc compiles offers it to the rest of the backend: keys are unsigned integers whose order
// is the wanted one, and memory is the caller's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lazyfuse::cuda_detail {

/// count rows of length keys that follow each other. Sorting goes back and forth between two buffers, and ends in the
/// one that becomes the first. values, 32 bits beside each key, may be null.
template <class Key>
struct radix_rows {
  std::int64_t count, length;
  Key *keys, *other_keys;
  std::uint32_t *values, *other_values;
};

/// Sorts each row, keeping the order of equal keys. Without memory it only says how many bytes it takes.
template <class Key>
cudaError_t radix_sort(void* memory, std::size_t& bytes, radix_rows<Key>& rows, cudaStream_t stream);

extern template cudaError_t radix_sort(void*, std::size_t&, radix_rows<std::uint8_t>&, cudaStream_t);
extern template cudaError_t radix_sort(void*, std::size_t&, radix_rows<std::uint16_t>&, cudaStream_t);
extern template cudaError_t radix_sort(void*, std::size_t&, radix_rows<std::uint32_t>&, cudaStream_t);
extern template cudaError_t radix_sort(void*, std::size_t&, radix_rows<std::uint64_t>&, cudaStream_t);

}  // namespace lazyfuse::cuda_detail
