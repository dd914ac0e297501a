// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selecting by digits, from the first: blocks count the digits of their parts of a row, which says what digit the
// wanted key has, and for each part how many keys are below and how many have that digit; so both can be moved to where
// they belong in the order of places, and the next digit is looked for among the latter. Where they are many they are
// not moved, and all are counted again. The few that come first of a long row are looked for among what a sieve leaves.
#include "backend/cuda/compiled/grid.cuh"
#include "backend/cuda/compiled/order_statistics.hpp"
#include "backend/cuda/compiled/sieve.cuh"
#include "backend/cuda/compiled/vectors.cuh"

#include <algorithm>
#include <type_traits>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t, std::uint32_t, std::uint64_t;

constexpr int threads = 512, warps = threads / 32, blocks_of_processor = 2;
constexpr int digit_bits = 11, digits = 1 << digit_bits;
/// Counters of a digit in shared memory, side by side: lanes with equal digits wait for each other, which most floating
/// point numbers have.
constexpr int copies = 4;
/// Of a row; the picking block has a thread for each.
constexpr int most_parts = 1024;
/// Of several rows together, so that the memory for counts and candidates is bounded.
constexpr int64_t most_blocks = 2048, most_elements = int64_t{1} << 27;
/// Candidates are moved if they are one of so many.
constexpr uint32_t fewer = 16;

/// What is looked for in a row, before a digit is known.
template <class Key>
struct search {
  uint32_t n, wanted;  ///< candidates, and how many of what is read are wanted: below the candidates, and of them
  uint32_t written;    ///< wanted ones that were moved to the result before
  int source;          ///< where candidates are: in the row itself, or in buffer 0 or 1
  Key prefix;          ///< the digits of the candidates that are known
  bool done;
};
/// What to do with it when the digit is known.
template <class Key>
struct moving {
  Key limit;  ///< the known digits of the candidates: what has smaller ones is wanted
  uint32_t below, equal;
  bool moves, last;  ///< last: of candidates as many as are wanted go to the result
};

/// Everything that kernels are given; by value.
template <class Key>
struct job {
  selects what;
  int64_t rows, length;  ///< of this batch
  const Key* keys;
  Key minus_zero, zero;
  int ranks;
  uint32_t rank[most_ranks];
  Key* to;
  uint32_t* places;
  int parts;           ///< blocks of a row
  uint32_t* totals;    ///< of each row: of each digit; and how many are below the candidates
  uint32_t* before;    ///< of each row and part: how many come before each digit, and before none
  uint64_t* offsets;   ///< of each row and part: how many below come before it, and how many candidates (upper half)
  search<Key>* found;  ///< of each row and digit
  moving<Key>* moves;  ///< of each row
  Key* buffers[2];
  uint32_t* buffer_places[2];
  int64_t room[2];         ///< of a row in them
  const uint32_t* sieved;  ///< of each row: how many a sieve left in buffer 0, none: it is searched itself; or null

  __device__ Key key(Key k) const { return k == minus_zero ? zero : k; }
  /// Row v / ranks is searched for rank v % ranks.
  __device__ search<Key> state(int64_t v, int level) const {
    if (level > 0) return found[v * most_levels + level - 1];
    const uint32_t wanted = rank[v % ranks] + (what == selects::first ? 0 : 1);
    if (sieved && sieved[v] > 0) return {sieved[v], wanted, 0, 0, 0, false};
    return {static_cast<uint32_t>(length), wanted, 0, -1, 0, false};
  }
  __device__ words_of<Key> source(int64_t v, const search<Key>& s) const {
    return {s.source < 0 ? keys + v / ranks * length : buffers[s.source] + v * room[s.source],
            static_cast<int64_t>(s.n)};
  }

  static constexpr int bits = 8 * static_cast<int>(sizeof(Key)), most_levels = 6;
  static constexpr int levels = (bits + digit_bits - 1) / digit_bits;
  /// The bits of a digit are [shift, shift + width).
  static constexpr __host__ __device__ int shift(int level) {
    const int s = bits - digit_bits * (level + 1);
    return s > 0 ? s : 0;
  }
  static constexpr __host__ __device__ int width(int level) { return bits - digit_bits * level - shift(level); }
};
/// Keys are shifted as words of 32 bits or more: by all their bits, where no digit is known.
template <class Key>
using word_of = std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>;

/// The tiles that a part of a row has, the same when they are counted and when they are moved.
template <class Key>
struct tiles_of_part {
  using tile = tile_of<Key, threads>;
  int64_t first, last, active;
  __device__ tiles_of_part(const words_of<Key>& row, int parts, int64_t part) {
    const int64_t all = (row.last + tile::size - 1) / tile::size, each = (all + parts - 1) / parts;
    first = part * each;
    last = first + each < all ? first + each : all;
    active = each > 0 ? (all + each - 1) / each : 0;  // parts that have any
  }
};

/// Counts what a part has of each digit. `rows`: of those that are read; before any digit is known all ranks have one.
template <class Key>
__global__ __launch_bounds__(threads, blocks_of_processor) void count_digits(job<Key> j, int level) {
  using tile = tile_of<Key, threads>;
  using word = word_of<Key>;
  __shared__ uint32_t own[digits * copies];
  __shared__ uint32_t of_warps[warps];
  __shared__ uint32_t under;
  const int64_t v = blockIdx.x / j.parts, part = blockIdx.x % j.parts;
  const search<Key> s = j.state(level == 0 ? v * j.ranks : v, level);
  if (s.done) return;
  const words_of<Key> row = j.source(level == 0 ? v * j.ranks : v, s);
  const tiles_of_part<Key> part_tiles(row, j.parts, part);
  if (part_tiles.first >= part_tiles.last) return;

  for (int i = static_cast<int>(threadIdx.x); i < digits * copies; i += threads) own[i] = 0;
  if (threadIdx.x == 0) under = 0;
  __syncthreads();  // counters are zero before any is added to

  const int shift = job<Key>::shift(level), width = job<Key>::width(level);
  const word mask = (word{1} << width) - 1, prefix = s.prefix;
  const int copy = static_cast<int>(threadIdx.x) % copies;
  const auto add = [&](int digit, uint32_t n) { atomicAdd(own + digit * copies + copy, n); };
  uint32_t below = 0;
  for (int64_t t = part_tiles.first; t < part_tiles.last; ++t) {
    tile values;
    const bool whole = values.load(row, t * tile::size);
#pragma unroll
    for (int g = 0; g < tile::groups; ++g) {
      int digit[tile::per];  // -1: of no candidate
      bool equal = true;
#pragma unroll
      for (int e = 0; e < tile::per; ++e) {
        const bool exists = whole || row.has(tile::place(t * tile::size, g) + e);
        const word k = static_cast<word>(j.key(values.values[g][e])) >> shift;
        const word known = k >> width;  // two shifts: together they may be as many bits as a word has
        digit[e] = exists && known == prefix ? static_cast<int>(k & mask) : -1;
        below += exists && known < prefix;
        equal = equal && digit[e] == digit[0];
      }
      if (equal) {  // constant data, and most candidates of rows where there are few: none
        if (digit[0] >= 0) add(digit[0], tile::per);
        continue;
      }
#pragma unroll
      for (int e = 0; e < tile::per; ++e)
        if (digit[e] >= 0) add(digit[e], 1);
    }
  }
  if (below > 0) atomicAdd(&under, below);
  __syncthreads();  // all are counted before counters are read

  constexpr int each = digits / threads;
  uint32_t counts[each], sum = 0;
#pragma unroll
  for (int d = 0; d < each; ++d) {
    counts[d] = 0;
#pragma unroll
    for (int c = 0; c < copies; ++c) counts[d] += own[(static_cast<int>(threadIdx.x) * each + d) * copies + c];
    sum += counts[d];
  }
  uint32_t* const totals = j.totals + v * (digits + 1);
  uint32_t* const before = j.before + (v * j.parts + part) * (digits + 1);
  uint32_t so_far = under + sum_up_to_thread(sum, of_warps) - sum;
#pragma unroll
  for (int d = 0; d < each; ++d) {
    const int digit = static_cast<int>(threadIdx.x) * each + d;
    if (counts[d] > 0) atomicAdd(totals + digit, counts[d]);
    before[digit] = so_far;
    so_far += counts[d];
  }
  if (threadIdx.x == threads - 1) before[digits] = so_far;
  if (threadIdx.x == 0 && under > 0) atomicAdd(totals + digits, under);
}

/// The digit of the wanted key of each row, and where parts move what they have to; one block for each.
template <class Key>
__global__ __launch_bounds__(most_parts) void pick_digit(job<Key> j, int level) {
  __shared__ uint32_t counts_of_warps[32];
  __shared__ uint64_t offsets_of_warps[32];
  __shared__ uint32_t digit, below, equal;
  const int64_t v = blockIdx.x, counted = level == 0 ? v / j.ranks : v;
  const int t = static_cast<int>(threadIdx.x);
  const search<Key> s = j.state(v, level);
  search<Key>* const next = j.found + v * job<Key>::most_levels + level;
  if (s.done) {
    if (t == 0) *next = s, j.moves[v].moves = false;
    return;
  }
  const uint32_t* const totals = j.totals + counted * (digits + 1);
  static_assert(digits == 2 * most_parts);
  const uint32_t a = totals[2 * t], b = totals[2 * t + 1];
  const uint32_t before = totals[digits] + sum_up_to_thread(a + b, counts_of_warps) - a - b;
  // of one thread: one digit has the wanted key
  if (before < s.wanted && s.wanted - before <= a) digit = 2 * t, below = before, equal = a;
  else if (before + a < s.wanted && s.wanted - before - a <= b) digit = 2 * t + 1, below = before + a, equal = b;
  __syncthreads();  // the digit is known to all

  const bool last_digit = level + 1 == job<Key>::levels;
  const bool all_wanted = j.what == selects::first && below + equal == s.wanted;
  const bool last = last_digit || all_wanted;
  const bool few = j.what != selects::partition && equal <= s.n / fewer;
  const bool moves = last ? j.what != selects::key : few;
  const auto limit = static_cast<Key>(static_cast<word_of<Key>>(s.prefix) << job<Key>::width(level) | digit);
  const tiles_of_part<Key> tiles(j.source(v, s), j.parts, 0);
  if (moves) {
    uint64_t here = 0;
    if (t < tiles.active) {
      const uint32_t* const of_part = j.before + (counted * j.parts + t) * (digits + 1) + digit;
      here = of_part[0] | static_cast<uint64_t>(of_part[1] - of_part[0]) << 32;
    }
    const uint64_t up_to = sum_up_to_thread(here, offsets_of_warps);
    if (t < tiles.active) j.offsets[v * j.parts + t] = up_to - here;
  }
  if (t != 0) return;
  j.moves[v] = {limit, below, equal, moves, last};
  *next = s;
  next->prefix = limit;
  next->done = last;
  if (moves && !last) {
    next->n = equal;
    next->wanted = s.wanted - below;
    next->written = s.written + below;
    next->source = s.source == 0 ? 1 : 0;
  }
  if (last && j.what == selects::key) j.to[v] = limit;
}

/// Moves what is wanted to the result, and candidates to a buffer, in the order in which they are.
template <class Key>
__global__ __launch_bounds__(threads, blocks_of_processor) void move_keys(job<Key> j, int level) {
  using tile = tile_of<Key, threads>;
  using word = word_of<Key>;
  __shared__ uint32_t of_warps[warps];
  const int64_t v = blockIdx.x / j.parts, part = blockIdx.x % j.parts;
  const moving<Key> m = j.moves[v];
  if (!m.moves) return;
  const search<Key> s = j.state(v, level);
  const words_of<Key> row = j.source(v, s);
  const tiles_of_part<Key> part_tiles(row, j.parts, part);
  if (part_tiles.first >= part_tiles.last) return;
  const int shift = job<Key>::shift(level);
  const word limit = m.limit;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const uint64_t offset = j.offsets[v * j.parts + part];
  uint32_t below = static_cast<uint32_t>(offset), equal = static_cast<uint32_t>(offset >> 32);  // before this tile
  const bool has_places = j.what == selects::first;
  const uint32_t* const from_places =
      has_places && s.source >= 0 ? j.buffer_places[s.source] + v * j.room[s.source] : nullptr;
  const int target = s.source == 0 ? 1 : 0;

  for (int64_t t = part_tiles.first; t < part_tiles.last; ++t) {
    tile values;
    const bool whole = values.load(row, t * tile::size);
    // Of each group: how many of this thread are below, and how many are candidates (upper half).
    uint32_t counts[tile::groups], any = 0;
#pragma unroll
    for (int g = 0; g < tile::groups; ++g) {
      counts[g] = 0;
#pragma unroll
      for (int e = 0; e < tile::per; ++e) {
        if (!whole && !row.has(tile::place(t * tile::size, g) + e)) continue;
        const word k = static_cast<word>(j.key(values.values[g][e])) >> shift;
        counts[g] += k < limit ? 1u : k == limit ? 1u << 16 : 0u;
      }
      any |= counts[g];
    }
    // No thread writes of_warps of this tile before all have read those of the last.
    if (j.what == selects::partition) any = 1;
    if (!__syncthreads_or(any != 0)) continue;
    const bool warp_has = __any_sync(0xffffffffu, any != 0);
    uint32_t sum = 0;  // of groups before, and of lanes before in this one
    if (warp_has)
#pragma unroll
      for (int g = 0; g < tile::groups; ++g) {
        const uint32_t up_to = sum_up_to_lane(counts[g]), here = counts[g];
        counts[g] = sum + up_to - here;
        sum += __shfl_sync(0xffffffffu, up_to, 31);
      }
    if (threadIdx.x % 32 == 0) of_warps[warp] = sum;
    __syncthreads();  // all warps have said how many they have
    uint32_t below_here = below, equal_here = equal;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const uint32_t of_warp = of_warps[w];
      if (w < warp) below_here += of_warp & 0xffffu, equal_here += of_warp >> 16;
      below += of_warp & 0xffffu, equal += of_warp >> 16;
    }
    if (!warp_has) continue;
#pragma unroll
    for (int g = 0; g < tile::groups; ++g) {
      uint32_t less = below_here + (counts[g] & 0xffffu), same = equal_here + (counts[g] >> 16);
#pragma unroll
      for (int e = 0; e < tile::per; ++e) {
        const int64_t at = tile::place(t * tile::size, g) + e;
        if (!whole && !row.has(at)) continue;
        const int64_t i = at - row.first;
        const Key key = j.key(values.values[g][e]);
        const word k = static_cast<word>(key) >> shift;
        if (j.what == selects::partition) {
          const int64_t to = k < limit    ? less
                             : k == limit ? m.below + same
                                          : int64_t{m.below} + m.equal + i - less - same;
          j.to[v * j.length + to] = key;
        } else if (k < limit || (k == limit && m.last)) {
          // of the last digit as many as are wanted, the first ones
          const uint32_t to = k < limit ? less : m.below + same;
          if (has_places && to < s.wanted) {
            const int64_t result = v * j.rank[0] + s.written + to;
            j.to[result] = key;
            j.places[result] = from_places ? from_places[i] : static_cast<uint32_t>(i);
          }
        } else if (k == limit) {
          const int64_t to = v * j.room[target] + same;
          j.buffers[target][to] = key;
          if (has_places) j.buffer_places[target][to] = from_places ? from_places[i] : static_cast<uint32_t>(i);
        }
        less += k < limit, same += k == limit;
      }
    }
  }
}

template <class Key>
cudaError_t select_as(void* memory, std::size_t& bytes, const key_selection& s, int processors, cudaStream_t stream) {
  const int64_t tiles = s.length / tile_of<Key, threads>::size + 2;
  const int64_t wave = int64_t{processors} * blocks_of_processor;  // blocks that run at a time
  const int64_t at_a_time = std::min(s.rows, std::max<int64_t>(1, most_elements / s.length));
  const int64_t each = std::clamp<int64_t>((wave + at_a_time - 1) / at_a_time, 1, most_parts);
  job<Key> j{};
  j.what = s.what;
  j.length = s.length;
  j.minus_zero = static_cast<Key>(s.minus_zero);
  j.zero = static_cast<Key>(s.zero);
  j.ranks = s.ranks;
  std::copy(s.rank, s.rank + s.ranks, j.rank);
  j.parts = static_cast<int>(std::min(each, tiles));
  const int64_t batch = std::min(at_a_time, std::max<int64_t>(1, most_blocks / (int64_t{j.parts} * s.ranks)));
  const int64_t searches = batch * s.ranks;
  carving of{static_cast<char*>(memory)};
  j.totals = of.take<uint32_t>(searches * (digits + 1));
  j.before = of.take<uint32_t>(searches * j.parts * (digits + 1));
  j.offsets = of.take<uint64_t>(searches * j.parts);
  j.found = of.take<search<Key>>(searches * job<Key>::most_levels);
  j.moves = of.take<moving<Key>>(searches);
  if (s.what != selects::partition)
    for (int b = 0; b < 2; ++b) {
      j.room[b] = ((b == 0 ? s.length : j.room[0]) / fewer + 15) / 16 * 16;
      j.buffers[b] = of.take<Key>(searches * j.room[b]);
      if (s.what == selects::first) j.buffer_places[b] = of.take<uint32_t>(searches * j.room[b]);
    }
  const bool sieves = s.what == selects::first && sieve<Key>::helps(s.rank[0], s.length);
  sieve<Key> first_few{};
  if (sieves) {
    first_few.length = s.length;
    first_few.minus_zero = j.minus_zero;
    first_few.zero = j.zero;
    first_few.wanted = s.rank[0];
    first_few.rank = sieve<Key>::rank_of(s.rank[0], s.length);
    first_few.parts = j.parts;
    first_few.to = j.buffers[0];
    first_few.places = j.buffer_places[0];
    first_few.room = j.room[0];
    first_few.take_memory(of, batch);
    j.sieved = first_few.found;
  }
  if (!memory) {
    bytes = of.used;
    return cudaSuccess;
  }
  for (int64_t first = 0; first < s.rows; first += batch) {
    j.rows = std::min(batch, s.rows - first);
    j.keys = static_cast<const Key*>(s.keys) + first * s.length;
    const int64_t result = s.what == selects::first ? s.rank[0] : s.what == selects::key ? s.ranks : s.length;
    j.to = static_cast<Key*>(s.to) + first * result;
    if (s.places) j.places = s.places + first * result;
    if (sieves) {
      first_few.keys = j.keys;
      sieve_rows(first_few, j.rows, stream);
    }
    for (int level = 0; level < job<Key>::levels; ++level) {
      const int64_t counted = level == 0 ? j.rows : j.rows * j.ranks, all = j.rows * j.ranks;
      const std::size_t counters = static_cast<std::size_t>(counted) * (digits + 1) * sizeof(uint32_t);
      if (const cudaError_t status = cudaMemsetAsync(j.totals, 0, counters, stream); status != cudaSuccess)
        return status;
      count_digits<Key><<<static_cast<unsigned>(counted * j.parts), threads, 0, stream>>>(j, level);
      pick_digit<Key><<<static_cast<unsigned>(all), most_parts, 0, stream>>>(j, level);
      move_keys<Key><<<static_cast<unsigned>(all * j.parts), threads, 0, stream>>>(j, level);
    }
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t select_by_digits(void* memory, std::size_t& bytes, const key_selection& s, int processors,
                             cudaStream_t stream) {
  return s.key_bytes == 1   ? select_as<std::uint8_t>(memory, bytes, s, processors, stream)
         : s.key_bytes == 2 ? select_as<std::uint16_t>(memory, bytes, s, processors, stream)
         : s.key_bytes == 4 ? select_as<uint32_t>(memory, bytes, s, processors, stream)
                            : select_as<uint64_t>(memory, bytes, s, processors, stream);
}

}  // namespace lazyfuse::cuda_detail
