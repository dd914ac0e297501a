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
/// to[key] += the values at positions for each run of equal keys; rows of so many elements. In their order up to 255 of
/// them, of more by a tree that the sorted keys alone decide. Without memory it only says how many bytes it takes: a
/// 255th of the values.
template <class Key>
cudaError_t add_runs(void* memory, std::size_t& bytes, dtype type, void* to, const void* from, std::int64_t length,
                     std::int64_t values, const Key* keys, const std::uint32_t* positions, std::int64_t n,
                     cudaStream_t stream);
extern template cudaError_t places_as_keys(const std::int64_t*, std::int64_t, std::uint32_t*, std::uint32_t*,
                                           cudaStream_t);
extern template cudaError_t places_as_keys(const std::int64_t*, std::int64_t, std::uint64_t*, std::uint32_t*,
                                           cudaStream_t);
extern template cudaError_t add_runs(void*, std::size_t&, dtype, void*, const void*, std::int64_t, std::int64_t,
                                     const std::uint32_t*, const std::uint32_t*, std::int64_t, cudaStream_t);
extern template cudaError_t add_runs(void*, std::size_t&, dtype, void*, const void*, std::int64_t, std::int64_t,
                                     const std::uint64_t*, const std::uint32_t*, std::int64_t, cudaStream_t);

/// What is known of a GPU.
struct processor {
  int count;  ///< of multiprocessors
  std::int64_t shared_bytes_of_block;
};
/// Edges, float or double, of bins of one width, which all of them together have, or, where that is 0, to be searched;
/// and the first and the last one.
struct bin_edges {
  dtype type;
  const void* edges;
  std::int64_t bins;
  double width, low, high;
};
/// Adds to counts how many of n values are in each bin between edges.
cudaError_t count_between(const bin_edges& b, const void* values, std::int64_t n, std::int64_t* counts,
                          const processor& p, cudaStream_t stream);
/// Of numbers in [0, bins).
cudaError_t count_numbers(const std::int64_t* values, std::int64_t n, std::int64_t bins, std::int64_t* counts,
                          const processor& p, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail
