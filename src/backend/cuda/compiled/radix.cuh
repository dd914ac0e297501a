// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's sorts, which take nvcc long: radix_*.cu have one type of keys each, with values beside them or without.
#pragma once

#include "backend/cuda/compiled/radix.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace lazyfuse::cuda_detail {

/// Where row i begins.
struct row_start {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i * length; }
};

template <bool Values, class Key>
cudaError_t radix_sort(void* memory, std::size_t& bytes, radix_rows<Key>& rows, cudaStream_t stream) {
  constexpr int bits = 8 * sizeof(Key);
  const std::int64_t n = rows.count * rows.length;
  const auto starts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), row_start{rows.length});
  cub::DoubleBuffer<Key> keys(rows.keys, rows.other_keys);
  cub::DoubleBuffer<std::uint32_t> values(rows.values, rows.other_values);
  cudaError_t status = cudaSuccess;
  if constexpr (Values)
    status = rows.count == 1 ? cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, 0, bits, stream)
                             : cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, keys, values, n, rows.count,
                                                                         starts, starts + 1, stream);
  else
    status = rows.count == 1 ? cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, bits, stream)
                             : cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, keys, n, rows.count, starts,
                                                                        starts + 1, stream);
  if (memory && status == cudaSuccess) {
    rows.other_keys = keys.Alternate(), rows.keys = keys.Current();
    if (Values) rows.other_values = values.Alternate(), rows.values = values.Current();
  }
  return status;
}

}  // namespace lazyfuse::cuda_detail
