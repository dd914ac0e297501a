// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's sorts of one type of keys; each is instantiated in a file of its own, for the time that takes.
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

template <class Key>
cudaError_t radix_sort(void* memory, std::size_t& bytes, radix_rows<Key>& rows, cudaStream_t stream) {
  cub::DoubleBuffer<Key> keys(rows.keys, rows.other_keys);
  cub::DoubleBuffer<std::uint32_t> values(rows.values, rows.other_values);
  const std::int64_t n = rows.count * rows.length;
  const auto starts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), row_start{rows.length});
  const cudaError_t status =
      rows.count == 1
          ? rows.values ? cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, 0, sizeof(Key) * 8, stream)
                        : cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, sizeof(Key) * 8, stream)
      : rows.values ? cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, keys, values, n, rows.count, starts,
                                                                starts + 1, stream)
                    : cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, keys, n, rows.count, starts, starts + 1,
                                                               stream);
  if (memory && status == cudaSuccess) {
    rows.other_keys = keys.Alternate(), rows.keys = keys.Current();
    if (rows.values) rows.other_values = values.Alternate(), rows.values = values.Current();
  }
  return status;
}

}  // namespace lazyfuse::cuda_detail
