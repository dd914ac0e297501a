// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of keys of 8 bits.
#include "backend/cuda/compiled/radix.cuh"

namespace lazyfuse::cuda_detail {
template cudaError_t radix_sort<false>(void*, std::size_t&, radix_rows<std::uint8_t>&, cudaStream_t);
}  // namespace lazyfuse::cuda_detail
