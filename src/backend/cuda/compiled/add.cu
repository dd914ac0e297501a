// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows added where indices say. They are sorted by where they go; each run of those that go to one place is added up in
// order, its long parts by a tree of pieces that begin at multiples of their sizes, whoever adds them.
#include "backend/cuda/compiled/grid.cuh"
#include "backend/cuda/compiled/selection.hpp"

#include <cstring>

namespace lazyfuse::cuda_detail {

namespace {

using std::int64_t, std::uint32_t;

constexpr int threads = threads_of_grid;

template <class Key>
__global__ void make_keys(const int64_t* places, int64_t n, Key* keys, uint32_t* positions) {
  for (int64_t k = first_of_thread(); k < n; k += all_threads()) {
    keys[k] = places[k] < 0 ? ~Key{0} : static_cast<Key>(places[k]);
    positions[k] = static_cast<uint32_t>(k);
  }
}

/// So many elements, or sums of pieces, are one piece: a power of two.
constexpr int64_t fan = 256;
constexpr int most_levels = 3;  // fewer than 2^32 elements are sorted

/// What is added: rows of length values at sorted positions.
template <class T, class Key>
struct sorted_rows {
  const T* from;
  int64_t length, values;
  const Key* keys;
  const uint32_t* positions;
  int64_t n;
  __device__ T value(int64_t k, int64_t c) const { return from[(values == 1 ? 0 : positions[k]) * length + c]; }
  /// Whether elements [k, k + span) are there and go to one place.
  __device__ bool in_a_run(int64_t k, int64_t span) const {
    return k + span <= n && keys[k] == keys[k + span - 1] && keys[k] != ~Key{0};
  }
};
/// Sums of pieces of fan, fan^2, ... elements; those of pieces that lie in no run are not there.
template <class T>
struct piece_sums {
  T* of[most_levels];
  int levels;
};

template <class T>
__device__ T of_other_lane(const T& v, int difference) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &v, sizeof(T));
  for (unsigned& word : words) word = __shfl_xor_sync(0xffffffffu, word, difference);
  T other;
  memcpy(&other, words, sizeof(T));
  return other;
}

/// One level of sums, of pieces of span elements. A warp adds as many columns of a piece as there are, up to 32, each
/// by as many lanes as are left, and then by a tree.
template <class T, class Key>
__global__ void add_pieces(sorted_rows<T, Key> r, piece_sums<T> sums, int level, int64_t span) {
  int columns = 1;
  while (columns < 32 && columns < r.length) columns *= 2;
  const int lane = static_cast<int>(threadIdx.x) % 32, lanes = 32 / columns;
  const int64_t groups = (r.length + columns - 1) / columns, pieces = r.n / span;
  for (int64_t w = first_of_thread() / 32; w < pieces * groups; w += all_threads() / 32) {
    const int64_t piece = w / groups, c = w % groups * columns + lane % columns;
    if (!r.in_a_run(piece * span, span)) continue;  // all lanes
    const auto at = [&](int64_t k) {
      return level == 0 ? r.value(piece * fan + k, c) : sums.of[level - 1][(piece * fan + k) * r.length + c];
    };
    T sum{};
    if (c < r.length) {
      sum = at(lane / columns);
      for (int64_t k = lane / columns + lanes; k < fan; k += lanes) sum = static_cast<T>(sum + at(k));
    }
    for (int d = columns; d < 32; d *= 2) sum = static_cast<T>(sum + of_other_lane(sum, d));
    if (lane < columns && c < r.length) sums.of[level][piece * r.length + c] = sum;
  }
}

/// One thread adds up one column of a run, in order: elements, and the largest pieces that begin where it has come to.
template <class T, class Key>
__global__ void add_columns(T* to, sorted_rows<T, Key> r, piece_sums<T> sums) {
  for (int64_t i = first_of_thread(); i < r.n * r.length; i += all_threads()) {
    int64_t k = r.length == 1 ? i : i / r.length;
    const int64_t c = i - k * r.length;
    const Key key = r.keys[k];
    if (key == ~Key{0} || (k > 0 && r.keys[k - 1] == key)) continue;
    T sum = to[static_cast<int64_t>(key) * r.length + c];
    while (k < r.n && r.keys[k] == key) {
      int level = 0;
      int64_t span = 1;
      while (level < sums.levels && (k & (span * fan - 1)) == 0 && r.in_a_run(k, span * fan)) ++level, span *= fan;
      sum = static_cast<T>(sum + (level == 0 ? r.value(k, c) : sums.of[level - 1][k / span * r.length + c]));
      k += span;
    }
    to[static_cast<int64_t>(key) * r.length + c] = sum;
  }
}

template <class T, class Key>
cudaError_t add_as(void* memory, std::size_t& bytes, void* to, const void* from, int64_t length, int64_t values,
                   const Key* keys, const uint32_t* positions, int64_t n, cudaStream_t stream) {
  const sorted_rows<T, Key> r{static_cast<const T*>(from), length, values, keys, positions, n};
  piece_sums<T> sums{};
  carving of{static_cast<char*>(memory)};
  for (int64_t span = fan; span <= n && sums.levels < most_levels; span *= fan)
    sums.of[sums.levels++] = of.take<T>(n / span * length);
  if (!memory) {
    bytes = of.used;
    return cudaSuccess;
  }
  int64_t span = fan;
  for (int level = 0; level < sums.levels; ++level, span *= fan) {
    const int64_t warps = n / span * ((length + 31) / 32);
    add_pieces<T, Key><<<blocks_for(warps * 32), threads, 0, stream>>>(r, sums, level, span);
  }
  add_columns<T, Key><<<blocks_for(n * length), threads, 0, stream>>>(static_cast<T*>(to), r, sums);
  return cudaGetLastError();
}

}  // namespace

template <class Key>
cudaError_t places_as_keys(const int64_t* places, int64_t n, Key* keys, uint32_t* positions, cudaStream_t stream) {
  make_keys<Key><<<blocks_for(n), threads, 0, stream>>>(places, n, keys, positions);
  return cudaGetLastError();
}
template cudaError_t places_as_keys(const int64_t*, int64_t, std::uint32_t*, uint32_t*, cudaStream_t);
template cudaError_t places_as_keys(const int64_t*, int64_t, std::uint64_t*, uint32_t*, cudaStream_t);

template <class Key>
cudaError_t add_runs(void* memory, std::size_t& bytes, dtype type, void* to, const void* from, int64_t length,
                     int64_t values, const Key* keys, const uint32_t* positions, int64_t n, cudaStream_t stream) {
  const auto of = [&]<class T>(T*) {
    return add_as<T>(memory, bytes, to, from, length, values, keys, positions, n, stream);
  };
  switch (type) {
    case dtype::int8:
    case dtype::uint8:
      return of(static_cast<std::uint8_t*>(nullptr));  // they wrap around
    case dtype::int16:
    case dtype::uint16:
      return of(static_cast<std::uint16_t*>(nullptr));
    case dtype::int32:
    case dtype::uint32:
      return of(static_cast<uint32_t*>(nullptr));
    case dtype::int64:
    case dtype::uint64:
      return of(static_cast<std::uint64_t*>(nullptr));
    case dtype::float16:
      return of(static_cast<half*>(nullptr));
    case dtype::bfloat16:
      return of(static_cast<bfloat16*>(nullptr));
    case dtype::float32:
      return of(static_cast<float*>(nullptr));
    case dtype::float64:
      return of(static_cast<double*>(nullptr));
    case dtype::complex64:
      return of(static_cast<complex<float>*>(nullptr));
    case dtype::complex128:
      return of(static_cast<complex<double>*>(nullptr));
    default:
      return cudaErrorInvalidValue;
  }
}
template cudaError_t add_runs(void*, std::size_t&, dtype, void*, const void*, int64_t, int64_t, const std::uint32_t*,
                              const uint32_t*, int64_t, cudaStream_t);
template cudaError_t add_runs(void*, std::size_t&, dtype, void*, const void*, int64_t, int64_t, const std::uint64_t*,
                              const uint32_t*, int64_t, cudaStream_t);

}  // namespace lazyfuse::cuda_detail
