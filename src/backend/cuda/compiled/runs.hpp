// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What surrounds sorting on the GPU: places before it and after it, and runs of equal keys.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lazyfuse::cuda_detail {

/// Numbers each element of its row.
cudaError_t number_places(std::uint32_t* places, std::int64_t rows, std::int64_t length, cudaStream_t stream);
/// The first k of each row, as int64.
cudaError_t widen_places(const std::uint32_t* places, std::int64_t rows, std::int64_t length, std::int64_t k,
                         std::int64_t* to, cudaStream_t stream);

/// Keys of so many bytes, one of which becomes another.
cudaError_t replace_key(int key_bytes, const void* keys, std::int64_t n, std::uint64_t old, std::uint64_t by, void* to,
                        cudaStream_t stream);
/// The keys at k places of each row.
cudaError_t take_keys(int key_bytes, const void* keys, std::int64_t rows, std::int64_t length, std::int64_t k,
                      const std::int64_t* places, void* to, cudaStream_t stream);

/// Where runs of equal keys of so many bytes start, of n, and their number, on the GPU. minus_zero counts as zero.
/// Without memory it only says how many bytes it takes.
cudaError_t find_runs(void* memory, std::size_t& bytes, int key_bytes, const void* keys, std::uint64_t minus_zero,
                      std::uint64_t zero, std::int64_t n, std::int64_t* starts, std::int64_t* runs,
                      cudaStream_t stream);
/// number[places[i]] is the run that sorted key i is in.
cudaError_t number_runs(const std::int64_t* starts, std::int64_t runs, const std::int64_t* places, std::int64_t n,
                        std::int64_t* number, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
