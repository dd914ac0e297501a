// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's selection by flags, of words: what they mean is not asked.
#include "backend/cuda/compiled/selection.hpp"

#include <cub/device/device_select.cuh>

namespace lazyfuse::cuda_detail {

cudaError_t select_flagged(void* memory, std::size_t& bytes, const void* values, const bool* mask,
                           std::size_t element_size, std::int64_t n, void* to, std::int64_t* count,
                           cudaStream_t stream) {
  const auto of = [&]<class Word>(const Word* from) {
    return cub::DeviceSelect::Flagged(memory, bytes, from, mask, static_cast<Word*>(to), count, n, stream);
  };
  switch (element_size) {
    case 1:
      return of(static_cast<const std::uint8_t*>(values));
    case 2:
      return of(static_cast<const std::uint16_t*>(values));
    case 4:
      return of(static_cast<const std::uint32_t*>(values));
    case 8:
      return of(static_cast<const std::uint64_t*>(values));
    case 16:
      return of(static_cast<const uint4*>(values));
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace lazyfuse::cuda_detail
