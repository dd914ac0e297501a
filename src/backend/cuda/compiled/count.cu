// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values counted in bins, by integers, whose sums do not depend on who comes first: in shared memory, all of it if need
// be, and else where the result is.
#include "backend/cuda/compiled/selection.hpp"
#include "backend/cuda/compiled/vectors.cuh"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t;

constexpr int threads = 512, blocks_of_processor = 2;
using counter = unsigned long long;

/// The bin of a value, -1 for none; as src/backend/host/scatter.cpp has it. Where the exact position would be is known
/// up to `error` without a division, and if no edge is so near, neither rounding nor edges are asked.
template <class T>
struct by_width {
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr T half_epsilon = is_float ? T(1) / (1 << 24) : T(1) / (int64_t{1} << 53);
  /// A sum with it is rounded to an integer, which its last bits hold: of numbers up to a third of it, negative ones,
  /// too.
  static constexpr T to_integer = is_float ? T(3 << 22) : T(int64_t{3} << 51);
  const T* edges;
  int64_t bins;
  T width, first, last, scale, error, half_bins;

  by_width(const T* edges, int64_t bins, double width, double low, double high)
      : edges(edges),
        bins(bins),
        width(static_cast<T>(width)),
        first(static_cast<T>(low)),
        last(static_cast<T>(high)),
        half_bins(static_cast<T>(bins) / 2) {
    const double exact = static_cast<double>(bins) / width;
    const bool fits = exact <= static_cast<double>(std::numeric_limits<T>::max());
    scale = fits ? static_cast<T>(exact) : T(0);
    // Three quarters of it are rounding: of the difference, the width, the quotient, the product, its distance from the
    // middle, and of edges and what they are computed of, which may be large beside the width.
    const double largest = std::max(low < 0 ? -low : low, high < 0 ? -high : high);
    const double bound = static_cast<double>(bins) * static_cast<double>(half_epsilon) * (8 + 4 * largest / width);
    const bool is_small = bins <= (int64_t{1} << 22);                         // and so are positions in it
    error = fits && is_small && bound < 0.25 ? static_cast<T>(bound) : T(1);  // 1: everything is asked
  }
  template <class Number>
  __device__ Number of(T v) const {
    const T middle = (v - first) * scale - T(0.5), sum = middle + to_integer, rounded = sum - to_integer;
    const bool inside = abs(middle - (half_bins - T(0.5))) <= half_bins;
    if (abs(middle - rounded) <= T(0.5) - error && inside) {
      if constexpr (is_float) return __float_as_int(sum) - __float_as_int(to_integer);
      else return __double2loint(sum);
    }
    return asked<Number>(v);
  }
  template <class Number>
  __device__ Number asked(T v) const {
    if (!(v >= first && v <= last)) return -1;
    if (error < T(0.5)) {  // the only edge that may be on either side of it
      const auto edge = static_cast<Number>(floor((v - first) * scale + T(0.5)));
      const Number bin = edge <= bins && v >= edges[edge] ? edge : edge - 1;
      return bin < 0 ? 0 : bin < bins ? bin : static_cast<Number>(bins - 1);
    }
    int64_t bin = static_cast<int64_t>((v - first) / width * static_cast<T>(bins));
    bin = bin < bins ? bin : bins - 1;  // where rounded bounds are further apart than their distance
    bin -= v < edges[bin];
    bin += v >= edges[bin + 1] && bin != bins - 1;
    return static_cast<Number>(bin);
  }
};
template <class T>
struct by_search {
  const T* edges;
  int64_t bins;
  T first, last;
  template <class Number>
  __device__ Number of(T v) const {
    if (!(v >= first && v <= last)) return -1;
    Number low = 0, high = static_cast<Number>(bins);  // the last of edges[0, bins) that is not above v
    while (high - low > 1) {
      const Number middle = low + (high - low) / 2;
      (v >= edges[middle] ? low : high) = middle;
    }
    return low;
  }
};
struct by_number {
  int64_t bins;
  template <class Number>
  __device__ Number of(int64_t v) const {
    return v >= 0 && v < bins ? static_cast<Number>(v) : Number(-1);
  }
};

/// Of the values of a word that all fall into one bin, one addition: constant data are as fast as others.
/// Shared: counters of the block, so many copies side by side, of lanes that would wait for each other.
template <bool Shared, class Bin, class T>
__global__ __launch_bounds__(threads, blocks_of_processor) void count(Bin bin_of, words_of<T> values, int64_t bins,
                                                                      int copies, counter* counts) {
  using tile = tile_of<T, threads>;
  using number = std::conditional_t<Shared, int, int64_t>;
  extern __shared__ unsigned own[];
  const int64_t counters = bins * copies;
  if constexpr (Shared) {
    for (int64_t b = threadIdx.x; b < counters; b += threads) own[b] = 0;
    __syncthreads();  // counters are zero before any is added to
  }
  const int copy = static_cast<int>(threadIdx.x) & (copies - 1);
  const auto add = [&](number bin, unsigned n) {
    if constexpr (Shared) atomicAdd(own + bin * copies + copy, n);
    else {  // of lanes with one bin, one adds for all
      const unsigned lanes = __activemask(), alike = __match_any_sync(lanes, bin);
      if (__ffs(static_cast<int>(alike)) - 1 == static_cast<int>(threadIdx.x % 32))
        atomicAdd(counts + bin, counter{n} * static_cast<unsigned>(__popc(alike)));
    }
  };
  for (int64_t at = int64_t{blockIdx.x} * tile::size; at < values.last; at += int64_t{gridDim.x} * tile::size) {
    tile some;
    const bool whole = some.load(values, at);
#pragma unroll
    for (int g = 0; g < tile::groups; ++g) {
      number bin[tile::per];
      bool equal = true;
#pragma unroll
      for (int e = 0; e < tile::per; ++e) {
        bin[e] = whole || values.has(tile::place(at, g) + e) ? bin_of.template of<number>(some.values[g][e]) : -1;
        equal = equal && bin[e] == bin[0];
      }
      if (equal) {
        if (bin[0] >= 0) add(bin[0], tile::per);
        continue;
      }
#pragma unroll
      for (int e = 0; e < tile::per; ++e)
        if (bin[e] >= 0) add(bin[e], 1);
    }
  }
  if constexpr (Shared) {
    __syncthreads();  // all are counted before counters are read
    for (int64_t b = threadIdx.x; b < bins; b += threads) {
      counter sum = 0;
      for (int c = 0; c < copies; ++c) sum += own[b * copies + c];
      if (sum > 0) atomicAdd(counts + b, sum);
    }
  }
}

template <class Bin, class T>
cudaError_t count_by(const Bin& bin_of, const T* values, int64_t n, int64_t bins, int64_t* counts, const processor& p,
                     cudaStream_t stream) {
  const words_of<T> all(values, n);
  const int64_t tiles = (all.last + tile_of<T, threads>::size - 1) / tile_of<T, threads>::size;
  counter* const to = reinterpret_cast<counter*>(counts);
  constexpr int64_t size = sizeof(unsigned), most_copies = 32;
  if (bins * size > p.shared_bytes_of_block) {
    const auto blocks = static_cast<unsigned>(std::min<int64_t>(tiles, int64_t{p.count} * blocks_of_processor));
    count<false><<<blocks, threads, 0, stream>>>(bin_of, all, bins, 1, to);
    return cudaGetLastError();
  }
  // Copies as long as two blocks can share a processor, as they can with 96 KiB each.
  const int64_t for_copies = std::min<int64_t>(p.shared_bytes_of_block, 96 << 10);
  int copies = 1;
  while (copies < most_copies && bins * size * copies * 2 <= for_copies) copies *= 2;
  const auto bytes = static_cast<int>(bins * size * copies);
  if (bytes > 48 << 10)  // what every kernel has; the same limit for all calls, since threads may set it at a time
    if (const cudaError_t status =
            cudaFuncSetAttribute(count<true, Bin, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(p.shared_bytes_of_block));
        status != cudaSuccess)
      return status;
  const int64_t together = bytes > for_copies ? 1 : blocks_of_processor;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(tiles, p.count * together));
  count<true><<<blocks, threads, static_cast<std::size_t>(bytes), stream>>>(bin_of, all, bins, copies, to);
  return cudaGetLastError();
}
template <class T>
cudaError_t count_in(const bin_edges& b, const void* values, int64_t n, int64_t* counts, const processor& p,
                     cudaStream_t stream) {
  const T *const e = static_cast<const T*>(b.edges), *const v = static_cast<const T*>(values);
  if (b.width > 0) return count_by(by_width<T>(e, b.bins, b.width, b.low, b.high), v, n, b.bins, counts, p, stream);
  return count_by(by_search<T>{e, b.bins, static_cast<T>(b.low), static_cast<T>(b.high)}, v, n, b.bins, counts, p,
                  stream);
}

}  // namespace

cudaError_t count_between(const bin_edges& b, const void* values, int64_t n, int64_t* counts, const processor& p,
                          cudaStream_t stream) {
  if (b.type == dtype::float32) return count_in<float>(b, values, n, counts, p, stream);
  return count_in<double>(b, values, n, counts, p, stream);
}
cudaError_t count_numbers(const int64_t* values, int64_t n, int64_t bins, int64_t* counts, const processor& p,
                          cudaStream_t stream) {
  return count_by(by_number{bins}, values, n, bins, counts, p, stream);
}

}  // namespace lazyfuse::cuda_detail
