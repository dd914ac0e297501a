// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selecting from rows of some thousand elements, each by one block that has it in shared memory: digits of keys are
// counted from the first on until what is wanted is known, and the few that come first are put in order by counting how
// many come before each.
#include "backend/cuda/compiled/rows_in_blocks.hpp"
#include "backend/cuda/compiled/vectors.cuh"

#include <algorithm>
#include <type_traits>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t, std::uint32_t, std::uint64_t;

constexpr int threads = 256, warps = threads / 32;
constexpr int digit_bits = 11, digits = 1 << digit_bits, of_thread = digits / threads;
/// Those put in order by counting: each is compared with all.
constexpr int64_t most_first = 256;
/// Two blocks share a processor; less than that leaves it waiting.
constexpr int64_t most_bytes = 96 << 10;

template <class Key>
using word_of = std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>;

/// What a search has found: keys whose leading bits are below the limit come before the wanted one, `equal` have the
/// same.
template <class Key>
struct limit_of {
  word_of<Key> prefix;
  int shift;
  uint32_t below, equal;
};

/// A row in shared memory.
template <class Key>
struct block_row {
  using word = word_of<Key>;
  static constexpr int bits = 8 * static_cast<int>(sizeof(Key));
  Key* keys;
  int length;

  __device__ void load(const Key* from, Key minus_zero, Key zero) const {
    constexpr int per = words_of<Key>::per;
    const words_of<Key> row(from, length);
    for (int64_t at = static_cast<int64_t>(threadIdx.x) * per; at < row.last; at += threads * per) {
      if (at >= row.first && at + per <= row.last) {
        const uint4 words = *reinterpret_cast<const uint4*>(row.origin + at);
        Key values[per];
        memcpy(values, &words, 16);
#pragma unroll
        for (int e = 0; e < per; ++e) keys[at + e - row.first] = values[e] == minus_zero ? zero : values[e];
      } else
        for (int e = 0; e < per; ++e)
          if (row.has(at + e)) {
            const Key k = row.origin[at + e];
            keys[at + e - row.first] = k == minus_zero ? zero : k;
          }
    }
  }

  /// Finds the key that `wanted` keys do not come behind. Stops where all that have its digits so far are wanted.
  /// counts: of each digit; of_warps, picked: shared memory as well. Has barriers before it reads the row and at its
  /// end.
  __device__ limit_of<Key> search(uint32_t wanted, bool all_will_do, uint32_t* counts, uint32_t* of_warps,
                                  uint32_t* picked) const {
    const int t = static_cast<int>(threadIdx.x);
    limit_of<Key> found{0, bits, 0, static_cast<uint32_t>(length)};
    while (found.shift > 0) {
      const int shift = found.shift > digit_bits ? found.shift - digit_bits : 0, width = found.shift - shift;
      const word mask = (word{1} << width) - 1;
#pragma unroll
      for (int d = 0; d < of_thread; ++d) counts[d * threads + t] = 0;
      __syncthreads();  // the row is there, and counters are zero before any is added to
      for (int i = t; i < length; i += threads) {
        const word k = static_cast<word>(keys[i]) >> shift;
        if (k >> width == found.prefix) atomicAdd(counts + (k & mask), 1);  // by two shifts, together less than a word
      }
      __syncthreads();  // all are counted
      uint32_t own[of_thread], sum = 0;
#pragma unroll
      for (int d = 0; d < of_thread; ++d) sum += own[d] = counts[t * of_thread + d];
      uint32_t before = found.below + sum_up_to_thread(sum, of_warps) - sum;
#pragma unroll
      for (int d = 0; d < of_thread; ++d) {
        if (before < wanted && wanted - before <= own[d]) {  // of one thread: one digit has the wanted key
          picked[0] = static_cast<uint32_t>(t * of_thread + d);
          picked[1] = before;
          picked[2] = own[d];
        }
        before += own[d];
      }
      __syncthreads();  // the digit is known to all
      found = {found.prefix << width | picked[0], shift, picked[1], picked[2]};
      if (all_will_do && found.below + found.equal == wanted) break;
    }
    return found;
  }
};

/// What all searches of a block share; the row lies behind it, and what is found behind that.
struct block_memory {
  uint32_t counts[digits];
  uint32_t of_warps[warps];
  uint64_t of_warps_of_pairs[warps];
  uint32_t picked[4];
};
extern __shared__ __align__(16) unsigned char block_bytes[];

template <class Key>
constexpr __host__ __device__ int64_t bytes_of_row(int64_t length) {
  return (length * static_cast<int64_t>(sizeof(Key)) + 15) / 16 * 16;
}
template <class Key>
constexpr int64_t bytes_of_block(int64_t length, int64_t k) {
  return static_cast<int64_t>(sizeof(block_memory)) + 16 + bytes_of_row<Key>(length) + bytes_of_row<Key>(k) + k * 4;
}

template <class Key>
__global__ __launch_bounds__(threads) void first_of_row(const __grid_constant__ first_of_rows s) {
  auto& shared = *reinterpret_cast<block_memory*>(block_bytes);
  unsigned char* const behind = block_bytes + (sizeof(block_memory) + 15) / 16 * 16;
  const auto length = static_cast<int>(s.length), k = static_cast<int>(s.k), t = static_cast<int>(threadIdx.x);
  const block_row<Key> row{reinterpret_cast<Key*>(behind), length};
  auto* const found_keys = reinterpret_cast<Key*>(behind + bytes_of_row<Key>(length));
  auto* const found_places = reinterpret_cast<uint32_t*>(behind + bytes_of_row<Key>(length) + bytes_of_row<Key>(k));
  const Key* const from = static_cast<const Key*>(s.keys) + int64_t{blockIdx.x} * length;
  row.load(from, static_cast<Key>(s.minus_zero), static_cast<Key>(s.zero));
  const auto limit = row.search(static_cast<uint32_t>(k), true, shared.counts, shared.of_warps, shared.picked);

  // Those below the limit in their order, and then as many with its digits as are wanted. A thread has neighbours.
  const int each = ((length + threads - 1) / threads) | 1, first = t * each < length ? t * each : length,
            last = first + each < length ? first + each : length;
  uint32_t below = 0, equal = 0;
  for (int i = first; i < last; ++i) {
    const auto digit = static_cast<word_of<Key>>(row.keys[i]) >> limit.shift;
    below += digit < limit.prefix, equal += digit == limit.prefix;
  }
  const uint64_t both = uint64_t{equal} << 32 | below, before = sum_up_to_thread(both, shared.of_warps_of_pairs) - both;
  auto less = static_cast<uint32_t>(before), same = limit.below + static_cast<uint32_t>(before >> 32);
  if (below + equal > 0)
    for (int i = first; i < last; ++i) {
      const Key key = row.keys[i];
      const auto digit = static_cast<word_of<Key>>(key) >> limit.shift;
      if (digit > limit.prefix) continue;
      const uint32_t to = digit < limit.prefix ? less++ : same++;
      if (to >= static_cast<uint32_t>(k)) continue;
      found_keys[to] = key;
      found_places[to] = static_cast<uint32_t>(i);
    }
  __syncthreads();  // all that are wanted are found
  for (int i = t; i < k; i += threads) {
    const Key key = found_keys[i];
    const uint32_t place = found_places[i];
    int rank = 0;
    for (int j = 0; j < k; ++j) rank += found_keys[j] < key || (found_keys[j] == key && found_places[j] < place);
    const int64_t to = int64_t{blockIdx.x} * k + rank;
    if (s.places) s.places[to] = place;
    if (s.sorted) static_cast<Key*>(s.sorted)[to] = from[place];  // the sign of a zero is there
  }
}

template <class Key>
__global__ __launch_bounds__(threads) void keys_of_row(const __grid_constant__ key_selection s) {
  auto& shared = *reinterpret_cast<block_memory*>(block_bytes);
  const block_row<Key> row{reinterpret_cast<Key*>(block_bytes + (sizeof(block_memory) + 15) / 16 * 16),
                           static_cast<int>(s.length)};
  row.load(static_cast<const Key*>(s.keys) + int64_t{blockIdx.x} * s.length, static_cast<Key>(s.minus_zero),
           static_cast<Key>(s.zero));
  for (int r = 0; r < s.ranks; ++r) {
    const auto limit = row.search(s.rank[r] + 1, false, shared.counts, shared.of_warps, shared.picked);
    if (threadIdx.x == 0) static_cast<Key*>(s.to)[int64_t{blockIdx.x} * s.ranks + r] = static_cast<Key>(limit.prefix);
  }
}

template <class Key, class What>
cudaError_t launch(void (*kernel)(What), const What& s, int64_t bytes, cudaStream_t stream) {
  const auto shared = static_cast<int>(bytes);
  if (const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
      status != cudaSuccess)
    return status;
  kernel<<<static_cast<unsigned>(s.rows), threads, static_cast<unsigned>(shared), stream>>>(s);
  return cudaGetLastError();
}

}  // namespace

bool fits_blocks(int key_bytes, int64_t length, int64_t k, int64_t shared_bytes) {
  const int64_t bytes = key_bytes == 1   ? bytes_of_block<std::uint8_t>(length, k)
                        : key_bytes == 2 ? bytes_of_block<std::uint16_t>(length, k)
                        : key_bytes == 4 ? bytes_of_block<uint32_t>(length, k)
                                         : bytes_of_block<uint64_t>(length, k);
  return k <= std::min(most_first, length) && bytes <= std::min(most_bytes, shared_bytes);
}

cudaError_t first_in_blocks(const first_of_rows& s, cudaStream_t stream) {
  const auto as = [&]<class Key>(Key) {
    return launch<Key>(first_of_row<Key>, s, bytes_of_block<Key>(s.length, s.k), stream);
  };
  return s.key_bytes == 1   ? as(std::uint8_t{})
         : s.key_bytes == 2 ? as(std::uint16_t{})
         : s.key_bytes == 4 ? as(uint32_t{})
                            : as(uint64_t{});
}
cudaError_t keys_in_blocks(const key_selection& s, cudaStream_t stream) {
  const auto as = [&]<class Key>(Key) {
    return launch<Key>(keys_of_row<Key>, s, bytes_of_block<Key>(s.length, 0), stream);
  };
  return s.key_bytes == 1   ? as(std::uint8_t{})
         : s.key_bytes == 2 ? as(std::uint16_t{})
         : s.key_bytes == 4 ? as(uint32_t{})
                            : as(uint64_t{});
}

}  // namespace lazyfuse::cuda_detail
