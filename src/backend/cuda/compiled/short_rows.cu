// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting short rows: each warp has one in its registers, or several that are shorter than it, and sorts them by a
// bitonic network (Batcher, "Sorting networks and their applications", 1968). An element is its key and its place,
// where places are asked for, so no two are equal: that network keeps the order of equal keys, too.
#include "backend/cuda/compiled/short_rows.hpp"

#include <algorithm>
#include <bit>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t, std::uint32_t, std::uint64_t;

constexpr int threads = 128, warp = 32, place_bits = 11;
static_assert(longest_short_row == 1 << place_bits);

/// A key alone.
template <class Key>
struct key_element {
  static constexpr bool has_place = false;
  Key word;
  key_element() = default;
  __device__ key_element(uint64_t key, uint32_t) : word(static_cast<Key>(key)) {}
  __device__ uint64_t key() const { return word; }
  __device__ uint32_t place() const { return 0; }
  static __device__ key_element beyond() { return {~uint64_t{0}, 0}; }
  __device__ key_element of_lane(int mask) const { return {__shfl_xor_sync(~0u, word, mask), 0}; }
  __device__ bool operator<(const key_element& other) const { return word < other.word; }
};
/// Of keys of up to 32 bits both fit a word.
struct narrow_element {
  static constexpr bool has_place = true;
  uint64_t word;
  narrow_element() = default;
  __device__ narrow_element(uint64_t key, uint32_t place) : word(key << place_bits | place) {}
  __device__ uint64_t key() const { return word >> place_bits; }
  __device__ uint32_t place() const { return static_cast<uint32_t>(word) & ((1u << place_bits) - 1); }
  static __device__ narrow_element beyond() {
    narrow_element e;
    e.word = ~uint64_t{0};
    return e;
  }
  __device__ narrow_element of_lane(int mask) const {
    narrow_element e;
    e.word = __shfl_xor_sync(~0u, word, mask);
    return e;
  }
  __device__ bool operator<(const narrow_element& other) const { return word < other.word; }
};
struct wide_element {
  static constexpr bool has_place = true;
  uint64_t bits;
  uint32_t at;
  wide_element() = default;
  __device__ wide_element(uint64_t key, uint32_t place) : bits(key), at(place) {}
  __device__ uint64_t key() const { return bits; }
  __device__ uint32_t place() const { return at; }
  static __device__ wide_element beyond() { return {~uint64_t{0}, ~0u}; }
  __device__ wide_element of_lane(int mask) const {
    return {__shfl_xor_sync(~0u, bits, mask), __shfl_xor_sync(~0u, at, mask)};
  }
  __device__ bool operator<(const wide_element& other) const {
    return bits != other.bits ? bits < other.bits : at < other.at;
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

/// Sorts sequences of `size` elements, a power of two: element e * 32 + lane of one is e of that lane, counted within
/// it.
template <int Each, class E>
__device__ __forceinline__ void sort_network(E (&x)[Each], int size, int lane) {
#pragma unroll 1
  for (int sorted = 2; sorted <= size; sorted *= 2) {  // pieces of so many are sorted, in turn up and down
#pragma unroll
    for (int apart = Each / 2; apart > 0; apart /= 2) {  // between elements of a lane
      if (apart * warp >= sorted) continue;
#pragma unroll
      for (int e = 0; e < Each; ++e) {
        if (e & apart) continue;
        const E low = x[e], high = x[e + apart];
        const bool falls = high < low, swaps = falls == ((e * warp & sorted) == 0);
        x[e] = swaps ? high : low;
        x[e + apart] = swaps ? low : high;
      }
    }
#pragma unroll 1
    for (int apart = sorted / 2 < warp / 2 ? sorted / 2 : warp / 2; apart > 0; apart /= 2) {  // between lanes
      const bool is_low = (lane & apart) == 0;
#pragma unroll
      for (int e = 0; e < Each; ++e) {
        const E other = x[e].of_lane(apart);
        const bool takes_smaller = is_low == (((e * warp + lane) & sorted) == 0);
        x[e] = (other < x[e]) == takes_smaller ? other : x[e];
      }
    }
  }
}

/// Rows of up to `size` elements, of which a lane has `Each`; several rows share a warp where they are shorter.
template <int Each, class E>
__global__ __launch_bounds__(threads) void sort_in_warps(short_rows s, int size) {
  const int lane = static_cast<int>(threadIdx.x) % warp, in_row = size < warp ? lane & (size - 1) : lane;
  const int64_t number = int64_t{blockIdx.x} * (threads / warp) + threadIdx.x / warp;
  const int64_t row = size < warp ? number * (warp / size) + lane / size : number;
  const bool exists = row < s.rows;
  E elements[Each];
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const int i = e * warp + in_row;
    elements[e] = E::beyond();
    if (!exists || i >= s.length) continue;
    const uint64_t key = key_at(s.keys, s.key_bytes, row * s.length + i);
    elements[e] = E(key == s.minus_zero ? s.zero : key, static_cast<uint32_t>(i));
  }
  // All keys of a row are read before the first is written: lanes wait for each other between.
  sort_network(elements, size, in_row);
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const int i = e * warp + in_row;
    if (!exists || i >= s.k) continue;
    const int64_t to = row * s.k + i;
    if constexpr (E::has_place) {
      const int64_t from = row * s.length + elements[e].place();
      if (s.places) s.places[to] = s.values ? s.values[from] : elements[e].place();
      if (!s.sorted) continue;
      const bool either_zero = s.minus_zero != s.zero && elements[e].key() == s.zero;
      put_key(s.sorted, s.key_bytes, to, either_zero ? key_at(s.keys, s.key_bytes, from) : elements[e].key());
    } else put_key(s.sorted, s.key_bytes, to, elements[e].key());
  }
}

template <class E, int Each = 1>
void launch(const short_rows& s, int size, cudaStream_t stream) {
  if constexpr (Each * warp < longest_short_row)
    if (size > Each * warp) return launch<E, Each * 2>(s, size, stream);
  constexpr int warps = threads / warp;
  const int64_t together = size < warp ? warp / size : 1, all = (s.rows + together - 1) / together;
  sort_in_warps<Each, E><<<static_cast<unsigned>((all + warps - 1) / warps), threads, 0, stream>>>(s, size);
}

}  // namespace

cudaError_t sort_short_rows(const short_rows& s, cudaStream_t stream) {
  const int size = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(s.length, 2))));
  const bool wide = s.key_bytes == 8, signs = s.minus_zero != s.zero;  // of zeros are read at their places
  if (s.places || signs) wide ? launch<wide_element>(s, size, stream) : launch<narrow_element>(s, size, stream);
  else wide ? launch<key_element<uint64_t>>(s, size, stream) : launch<key_element<uint32_t>>(s, size, stream);
  return cudaGetLastError();
}

}  // namespace lazyfuse::cuda_detail
