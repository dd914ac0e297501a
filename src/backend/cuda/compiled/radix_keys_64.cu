// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of keys of 64 bits.
#include "backend/cuda/compiled/radix.cuh"

namespace lazyfuse::cuda_detail {
template cudaError_t radix_sort<false>(void*, std::size_t&, radix_rows<std::uint64_t>&, cudaStream_t);
}  // namespace lazyfuse::cuda_detail
