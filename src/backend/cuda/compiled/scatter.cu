// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows written where indices say, each by the threads of one value, so that nothing depends on who comes first.
#include "backend/cuda/compiled/grid.cuh"
#include "backend/cuda/compiled/selection.hpp"

namespace lazyfuse::cuda_detail {

namespace {

constexpr int threads = threads_of_grid;

__global__ void find_last(const std::int64_t* places, std::int64_t n, unsigned long long* last) {
  for (std::int64_t k = first_of_thread(); k < n; k += all_threads())
    if (places[k] >= 0) atomicMax(last + places[k], static_cast<unsigned long long>(k) + 1);
}
template <class Word>
__global__ void write_words(row_writes w, const unsigned long long* last, std::int64_t length) {
  Word* const to = static_cast<Word*>(w.to);
  const Word* const from = static_cast<const Word*>(w.from);
  for (std::int64_t i = first_of_thread(); i < w.n * length; i += all_threads()) {
    const std::int64_t k = length == 1 ? i : i / length, c = i - k * length, row = w.places[k];
    if (row < 0 || (last && last[row] != static_cast<unsigned long long>(k) + 1)) continue;
    to[row * length + c] = from[k % w.values * length + c];
  }
}
template <class Word>
cudaError_t write_as(const row_writes& w, const unsigned long long* last, cudaStream_t stream) {
  const std::int64_t length = w.row_bytes / static_cast<std::int64_t>(sizeof(Word));
  write_words<Word><<<blocks_for(w.n * length), threads, 0, stream>>>(w, last, length);
  return cudaGetLastError();
}

}  // namespace

cudaError_t write_rows(const row_writes& w, unsigned long long* last, cudaStream_t stream) {
  if (last) {
    find_last<<<blocks_for(w.n), threads, 0, stream>>>(w.places, w.n, last);
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  }
  switch (w.word) {
    case 1:
      return write_as<std::uint8_t>(w, last, stream);
    case 2:
      return write_as<std::uint16_t>(w, last, stream);
    case 4:
      return write_as<std::uint32_t>(w, last, stream);
    case 8:
      return write_as<std::uint64_t>(w, last, stream);
    default:
      return write_as<uint4>(w, last, stream);
  }
}

}  // namespace lazyfuse::cuda_detail
