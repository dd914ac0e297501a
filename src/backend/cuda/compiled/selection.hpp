// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selecting, scattering and counting on the GPU, as what nvcc compiles offers it to the rest of the backend: sizes and
// pointers; memory is the caller's.
#pragma once

#include <lazyfuse/core/types.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lazyfuse::cuda_detail {

/// Rows of so many bytes, which words of 1, 2, 4, 8 or 16 divide, to be written at n places, of which those below 0 are
/// none. Values repeat after `values` rows.
struct row_writes {
  void* to;
  const void* from;
  std::int64_t row_bytes, values;
  int word;
  const std::int64_t* places;
  std::int64_t n;
};
/// Of several values for one row the last wins: `last`, a number for each row of the destination, is 0 beforehand; null
/// if all values are equal.
cudaError_t write_rows(const row_writes& w, unsigned long long* last, cudaStream_t stream);

/// keys[k] = places[k], the largest number if that is below 0; positions[k] = k.
template <class Key>
cudaError_t places_as_keys(const std::int64_t* places, std::int64_t n, Key* keys, std::uint32_t* positions,
                           cudaStream_t stream);
/// to[key] += the values at positions, in their order, for each run of equal keys; rows of so many elements.
template <class Key>
cudaError_t add_runs(dtype type, void* to, const void* from, std::int64_t length, std::int64_t values, const Key* keys,
                     const std::uint32_t* positions, std::int64_t n, cudaStream_t stream);
extern template cudaError_t places_as_keys(const std::int64_t*, std::int64_t, std::uint32_t*, std::uint32_t*,
                                           cudaStream_t);
extern template cudaError_t places_as_keys(const std::int64_t*, std::int64_t, std::uint64_t*, std::uint32_t*,
                                           cudaStream_t);
extern template cudaError_t add_runs(dtype, void*, const void*, std::int64_t, std::int64_t, const std::uint32_t*,
                                     const std::uint32_t*, std::int64_t, cudaStream_t);
extern template cudaError_t add_runs(dtype, void*, const void*, std::int64_t, std::int64_t, const std::uint64_t*,
                                     const std::uint32_t*, std::int64_t, cudaStream_t);

/// Adds to counts how many of n values are in each bin between edges, of one width, which all of them together have,
/// or, where that is 0, to be searched.
cudaError_t count_between(dtype type, const void* edges, std::int64_t bins, double width, const void* values,
                          std::int64_t n, std::int64_t* counts, cudaStream_t stream);
/// Of numbers in [0, bins).
cudaError_t count_numbers(const std::int64_t* values, std::int64_t n, std::int64_t bins, std::int64_t* counts,
                          cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
