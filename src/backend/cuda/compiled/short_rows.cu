// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting short rows: each block sorts as many as fit. An element is its row in the block, its key and its place, so no
// two are equal: any sort keeps the order of equal keys, and leaves each row where it is.
#include "backend/cuda/compiled/short_rows.hpp"

#include <cub/block/block_merge_sort.cuh>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t, std::uint32_t, std::uint64_t;

constexpr int threads = 256, each = 8, capacity = threads * each, place_bits = 11;
static_assert(capacity == longest_short_row && capacity == 1 << place_bits);
constexpr uint32_t place_mask = capacity - 1;

/// Of keys of up to 32 bits all fits a word: the row, the key, and the place.
struct narrow_element {
  uint64_t word;
  narrow_element() = default;
  __device__ narrow_element(uint32_t row, uint64_t key, uint32_t place)
      : word(uint64_t{row} << (32 + place_bits) | key << place_bits | place) {}
  __device__ uint64_t key() const { return word >> place_bits & 0xffffffffu; }
  __device__ uint32_t place() const { return static_cast<uint32_t>(word) & place_mask; }
  static __device__ narrow_element beyond() {
    narrow_element e;
    e.word = ~uint64_t{0};
    return e;
  }
  __device__ bool operator<(const narrow_element& other) const { return word < other.word; }
};
struct wide_element {
  uint64_t bits;
  uint32_t at;  // the row and the place
  wide_element() = default;
  __device__ wide_element(uint32_t row, uint64_t key, uint32_t place) : bits(key), at(row << place_bits | place) {}
  __device__ uint64_t key() const { return bits; }
  __device__ uint32_t place() const { return at & place_mask; }
  static __device__ wide_element beyond() {
    wide_element e;
    e.bits = ~uint64_t{0};
    e.at = ~uint32_t{0};
    return e;
  }
  __device__ bool operator<(const wide_element& other) const {
    const uint32_t row = at >> place_bits, other_row = other.at >> place_bits;
    return row != other_row ? row < other_row : bits != other.bits ? bits < other.bits : at < other.at;
  }
};
struct less {
  template <class E>
  __device__ bool operator()(const E& a, const E& b) const {
    return a < b;
  }
};

__device__ uint64_t key_at(const void* keys, int bytes, int64_t i) {
  return bytes == 1   ? static_cast<const std::uint8_t*>(keys)[i]
         : bytes == 2 ? static_cast<const std::uint16_t*>(keys)[i]
         : bytes == 4 ? static_cast<const uint32_t*>(keys)[i]
                      : static_cast<const uint64_t*>(keys)[i];
}
__device__ void put_key(void* keys, int bytes, int64_t i, uint64_t key) {
  if (bytes == 1) static_cast<std::uint8_t*>(keys)[i] = static_cast<std::uint8_t>(key);
  else if (bytes == 2) static_cast<std::uint16_t*>(keys)[i] = static_cast<std::uint16_t>(key);
  else if (bytes == 4) static_cast<uint32_t*>(keys)[i] = static_cast<uint32_t>(key);
  else static_cast<uint64_t*>(keys)[i] = key;
}

template <class E>
__global__ __launch_bounds__(threads) void sort_in_blocks(short_rows s) {
  using block_sort = cub::BlockMergeSort<E, threads, each>;
  __shared__ typename block_sort::TempStorage memory;
  const int length = static_cast<int>(s.length);
  const int64_t together = capacity / length, t = threadIdx.x;
  for (int64_t first = blockIdx.x * together; first < s.rows; first += gridDim.x * together) {
    const int64_t rows = first + together < s.rows ? together : s.rows - first;
    const int n = static_cast<int>(rows) * length;
    E elements[each];  // of any order
#pragma unroll
    for (int e = 0; e < each; ++e) {
      const int i = e * threads + static_cast<int>(t);
      elements[e] = E::beyond();
      if (i >= n) continue;
      const uint64_t key = key_at(s.keys, s.key_bytes, first * s.length + i);
      const int row = i / length;
      elements[e] =
          E(static_cast<uint32_t>(row), key == s.minus_zero ? s.zero : key, static_cast<uint32_t>(i - row * length));
    }
    // All keys are read before the first is written: the sort has barriers between.
    block_sort(memory).Sort(elements, less{});
#pragma unroll
    for (int e = 0; e < each; ++e) {
      const int i = static_cast<int>(t) * each + e;
      if (i >= n) continue;
      const int row = i / length, place = i - row * length;
      if (place >= s.k) continue;
      const int64_t to = (first + row) * s.k + place;
      const E& element = elements[e];
      const int64_t from = (first + row) * s.length + element.place();
      if (s.places) s.places[to] = s.values ? s.values[from] : element.place();
      if (!s.sorted) continue;
      const bool either_zero = s.minus_zero != s.zero && element.key() == s.zero;
      put_key(s.sorted, s.key_bytes, to, either_zero ? key_at(s.keys, s.key_bytes, from) : element.key());
    }
    __syncthreads();  // the memory of this sort is that of the next
  }
}

}  // namespace

cudaError_t sort_short_rows(const short_rows& s, cudaStream_t stream) {
  constexpr int64_t most_blocks = 1 << 20;
  const int64_t together = capacity / s.length, blocks = (s.rows + together - 1) / together;
  const auto grid = static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
  if (s.key_bytes == 8) sort_in_blocks<wide_element><<<grid, threads, 0, stream>>>(s);
  else sort_in_blocks<narrow_element><<<grid, threads, 0, stream>>>(s);
  return cudaGetLastError();
}

}  // namespace lazyfuse::cuda_detail
