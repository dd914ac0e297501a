// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What comes first of a long row, and little else, in one reading: a sample says what key the wanted ones are unlikely
// to come behind, and what is not behind it is kept, in the order of places. That these are enough is then known from
// their number; if they are not, or too many, the whole row is there still.
#pragma once

#include "backend/cuda/compiled/grid.cuh"
#include "backend/cuda/compiled/vectors.cuh"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace lazyfuse::cuda_detail {

/// Rows that begin at keys. A row is read in strands, each by a warp.
template <class Key>
struct sieve {
  static constexpr int sample_threads = 1024, of_thread = sizeof(Key) == 8 ? 8 : 16;
  static constexpr int sample = sample_threads * of_thread;
  /// Shorter rows are searched by digits as fast.
  static constexpr std::int64_t shortest = std::int64_t{1} << 22;
  static constexpr int threads = 512, warps = threads / 32;
  struct sampled {
    Key limit;
    bool helps;  ///< few of the sample are not behind it
  };

  const Key* keys;
  std::int64_t length;
  Key minus_zero, zero;
  std::uint32_t wanted;
  int rank;  ///< of the limit in the sample
  int parts, strands;
  sampled* limits;        ///< of each row
  std::uint32_t* before;  ///< of each row and strand: how many it has, then how many come before it; and of the row
  Key* kept;              ///< of each row and strand: the first `keeps` that it has, so that it is not read again
  std::uint32_t* kept_places;
  std::int64_t keeps;
  Key* to;  ///< of each row: all of them, if there is room for so many
  std::uint32_t* places;
  std::int64_t room;
  std::uint32_t* found;  ///< of each row: how many they are, or 0: what is wanted is looked for in the row itself

  /// Wanted keys in a sample are distributed almost as Poisson's law has it, six of whose deviations are never seen.
  static int rank_of(std::int64_t wanted, std::int64_t length) {
    const double mean = static_cast<double>(wanted) * sample / static_cast<double>(length);
    return static_cast<int>(mean + 6 * std::sqrt(mean)) + 16;
  }
  static bool helps(std::int64_t wanted, std::int64_t length) {
    return length >= shortest && wanted <= length / 64 && rank_of(wanted, length) <= sample / 64;
  }
  /// Memory but for what is moved, of so many rows; parts, length and room are known.
  void take_memory(carving& of, std::int64_t rows) {
    strands = parts * warps;
    keeps = room / strands;
    limits = of.take<sampled>(rows);
    found = of.take<std::uint32_t>(rows);
    before = of.take<std::uint32_t>(rows * (strands + 1));
    kept = of.take<Key>(rows * strands * keeps);
    kept_places = of.take<std::uint32_t>(rows * strands * keeps);
  }

  __device__ Key key(Key k) const { return k == minus_zero ? zero : k; }

  /// put(number, key, place) of each key of a strand that is not behind the limit, in the order of places; how many
  /// they are. By all lanes of a warp.
  template <class Put>
  __device__ std::uint32_t each_in_front(std::int64_t v, int strand, Key limit, Put put) const {
    using tile = tile_of<Key, 32>;
    constexpr unsigned all = 0xffffffffu;
    const words_of<Key> row(keys + v * length, length);
    const std::int64_t tiles = (row.last + tile::size - 1) / tile::size, each = (tiles + strands - 1) / strands;
    const std::int64_t first = strand * each, last = first + each < tiles ? first + each : tiles;
    std::uint32_t so_far = 0;
    for (std::int64_t t = first; t < last; ++t) {
      tile values;
      const bool whole = values.load(row, t * tile::size);
      unsigned in_front[tile::groups], any = 0;  // a bit for each element of the word
#pragma unroll
      for (int g = 0; g < tile::groups; ++g) {
        in_front[g] = 0;
#pragma unroll
        for (int e = 0; e < tile::per; ++e) {
          values.values[g][e] = key(values.values[g][e]);
          const bool exists = whole || row.has(tile::place(t * tile::size, g) + e);
          in_front[g] |= static_cast<unsigned>(exists && values.values[g][e] <= limit) << e;
        }
        any |= in_front[g];
      }
      if (!__any_sync(all, any != 0)) continue;
#pragma unroll
      for (int g = 0; g < tile::groups; ++g) {
        if (!__any_sync(all, in_front[g] != 0)) continue;
        const auto here = static_cast<std::uint32_t>(__popc(in_front[g]));
        const std::uint32_t up_to = sum_up_to_lane(here);
        std::uint32_t number = so_far + up_to - here;
#pragma unroll
        for (int e = 0; e < tile::per; ++e)
          if (in_front[g] >> e & 1) {
            const std::int64_t place = tile::place(t * tile::size, g) + e - row.first;
            put(number++, values.values[g][e], static_cast<std::uint32_t>(place));
          }
        so_far += __shfl_sync(all, up_to, 31);
      }
    }
    return so_far;
  }
};

/// The key of that rank in a sample of a row, bit by bit from the first; one block for each.
template <class Key>
__global__ __launch_bounds__(sieve<Key>::sample_threads) void choose_limit(sieve<Key> s) {
  using word = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;
  __shared__ int sums[2][32];
  const std::int64_t v = blockIdx.x, apart = s.length / sieve<Key>::sample;
  const int t = static_cast<int>(threadIdx.x);
  Key own[sieve<Key>::of_thread];
#pragma unroll
  for (int e = 0; e < sieve<Key>::of_thread; ++e) {
    // One of each so many, by a hash, so that data that repeat themselves are no worse than others.
    const auto i = static_cast<std::uint32_t>(e * sieve<Key>::sample_threads + t);
    std::uint32_t hash = (i + 1) * 0x9e3779b1u;
    hash = (hash ^ hash >> 15) * 0x85ebca6bu;
    hash ^= hash >> 13;
    own[e] = s.key(s.keys[v * s.length + i * apart + hash % static_cast<std::uint32_t>(apart)]);
  }
  int turn = 0;
  const auto count = [&](auto is_one) {  // of the sample, known to all threads; one barrier: sums take turns
    int n = 0;
#pragma unroll
    for (int e = 0; e < sieve<Key>::of_thread; ++e) n += is_one(own[e]);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) n += __shfl_xor_sync(0xffffffffu, n, d);
    int* const of_warps = sums[turn];
    turn = 1 - turn;
    if (t % 32 == 0) of_warps[t / 32] = n;
    __syncthreads();
    n = of_warps[t % 32];
#pragma unroll
    for (int d = 16; d > 0; d /= 2) n += __shfl_xor_sync(0xffffffffu, n, d);
    return n;
  };
  word limit = 0;
  for (word bit = word{1} << (8 * sizeof(Key) - 1); bit > 0; bit >>= 1) {
    const word other = limit | bit;
    if (count([&](Key k) { return k < other; }) <= s.rank) limit = other;
  }
  const int in_front = count([&](Key k) { return k <= limit; });
  if (t == 0) s.limits[v] = {static_cast<Key>(limit), in_front <= sieve<Key>::sample / 32};
}

template <class Key>
__global__ __launch_bounds__(sieve<Key>::threads, 2) void find_few(sieve<Key> s) {
  const std::int64_t v = blockIdx.x / s.parts;
  const int strand = static_cast<int>(blockIdx.x % s.parts) * s.warps + static_cast<int>(threadIdx.x) / 32;
  const auto [limit, helps] = s.limits[v];
  if (!helps) return;
  const std::int64_t keeps = s.keeps, at = (v * s.strands + strand) * keeps;
  const std::uint32_t n =
      s.each_in_front(v, strand, limit, [&s, keeps, at](std::uint32_t number, Key key, std::uint32_t place) {
        if (number < keeps) s.kept[at + number] = key, s.kept_places[at + number] = place;
      });
  if (threadIdx.x % 32 == 0) s.before[v * (s.strands + 1) + strand] = n;
}

/// Where strands move what they have to, and whether there is enough of it, and room; one block for each row.
template <class Key>
__global__ __launch_bounds__(1024) void place_few(sieve<Key> s) {
  __shared__ std::uint32_t of_warps[32];
  const std::int64_t v = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x);
  if (!s.limits[v].helps) {
    if (t == 0) s.found[v] = 0;
    return;
  }
  std::uint32_t* const before = s.before + v * (s.strands + 1);
  const int each = (s.strands + 1023) / 1024, first = t * each < s.strands ? t * each : s.strands,
            last = first + each < s.strands ? first + each : s.strands;
  std::uint32_t sum = 0;
  for (int i = first; i < last; ++i) sum += before[i];
  const std::uint32_t up_to = sum_up_to_thread(sum, of_warps);
  std::uint32_t so_far = up_to - sum;
  for (int i = first; i < last; ++i) {
    const std::uint32_t here = before[i];
    before[i] = so_far;
    so_far += here;
  }
  if (t != 1023) return;
  before[s.strands] = up_to;
  s.found[v] = up_to >= s.wanted && up_to <= s.room ? up_to : 0;
}

template <class Key>
__global__ __launch_bounds__(sieve<Key>::threads, 2) void move_few(sieve<Key> s) {
  const std::int64_t v = blockIdx.x / s.parts;
  const int strand = static_cast<int>(blockIdx.x % s.parts) * s.warps + static_cast<int>(threadIdx.x) / 32;
  if (s.found[v] == 0) return;
  const std::uint32_t* const before = s.before + v * (s.strands + 1) + strand;
  const std::int64_t to = v * s.room + before[0], n = before[1] - before[0];
  if (n > s.keeps) {
    (void)s.each_in_front(v, strand, s.limits[v].limit, [&s, to](std::uint32_t number, Key key, std::uint32_t place) {
      s.to[to + number] = key, s.places[to + number] = place;
    });
    return;
  }
  const std::int64_t from = (v * s.strands + strand) * s.keeps;
  for (std::int64_t i = threadIdx.x % 32; i < n; i += 32)
    s.to[to + i] = s.kept[from + i], s.places[to + i] = s.kept_places[from + i];
}

template <class Key>
void sieve_rows(const sieve<Key>& s, std::int64_t rows, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(rows * s.parts), each = static_cast<unsigned>(rows);
  choose_limit<Key><<<each, sieve<Key>::sample_threads, 0, stream>>>(s);
  find_few<Key><<<blocks, sieve<Key>::threads, 0, stream>>>(s);
  place_few<Key><<<each, 1024, 0, stream>>>(s);
  move_few<Key><<<blocks, sieve<Key>::threads, 0, stream>>>(s);
}

}  // namespace lazyfuse::cuda_detail
