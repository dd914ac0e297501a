// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows written and added where indices say, each row by the threads of one value, so that nothing depends on who comes
// first.
#include "backend/cuda/compiled/selection.hpp"

namespace lazyfuse::cuda_detail {

namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1 << 16;
unsigned blocks_for(std::int64_t n) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
}
__device__ std::int64_t first_of_thread() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t all_threads() { return std::int64_t{gridDim.x} * blockDim.x; }

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

template <class Key>
__global__ void make_keys(const std::int64_t* places, std::int64_t n, Key* keys, std::uint32_t* positions) {
  for (std::int64_t k = first_of_thread(); k < n; k += all_threads()) {
    keys[k] = places[k] < 0 ? ~Key{0} : static_cast<Key>(places[k]);
    positions[k] = static_cast<std::uint32_t>(k);
  }
}

/// One thread adds up one column of a run, in order.
template <class T, class Key>
__global__ void add_columns(T* to, const T* from, std::int64_t length, std::int64_t values, const Key* keys,
                            const std::uint32_t* positions, std::int64_t n) {
  for (std::int64_t i = first_of_thread(); i < n * length; i += all_threads()) {
    std::int64_t k = length == 1 ? i : i / length;
    const std::int64_t c = i - k * length;
    const Key key = keys[k];
    if (key == ~Key{0} || (k > 0 && keys[k - 1] == key)) continue;
    T sum = to[static_cast<std::int64_t>(key) * length + c];
    for (; k < n && keys[k] == key; ++k)
      sum = static_cast<T>(sum + from[(values == 1 ? 0 : positions[k]) * length + c]);
    to[static_cast<std::int64_t>(key) * length + c] = sum;
  }
}
template <class T, class Key>
cudaError_t add_as(void* to, const void* from, std::int64_t length, std::int64_t values, const Key* keys,
                   const std::uint32_t* positions, std::int64_t n, cudaStream_t stream) {
  add_columns<<<blocks_for(n * length), threads, 0, stream>>>(static_cast<T*>(to), static_cast<const T*>(from), length,
                                                              values, keys, positions, n);
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

template <class Key>
cudaError_t places_as_keys(const std::int64_t* places, std::int64_t n, Key* keys, std::uint32_t* positions,
                           cudaStream_t stream) {
  make_keys<<<blocks_for(n), threads, 0, stream>>>(places, n, keys, positions);
  return cudaGetLastError();
}
template cudaError_t places_as_keys(const std::int64_t*, std::int64_t, std::uint32_t*, std::uint32_t*, cudaStream_t);
template cudaError_t places_as_keys(const std::int64_t*, std::int64_t, std::uint64_t*, std::uint32_t*, cudaStream_t);

template <class Key>
cudaError_t add_runs(dtype type, void* to, const void* from, std::int64_t length, std::int64_t values, const Key* keys,
                     const std::uint32_t* positions, std::int64_t n, cudaStream_t stream) {
  const auto of = [&]<class T>(T*) { return add_as<T>(to, from, length, values, keys, positions, n, stream); };
  switch (type) {
    case dtype::int8:
    case dtype::uint8:
      return of(static_cast<std::uint8_t*>(nullptr));  // they wrap around
    case dtype::int16:
    case dtype::uint16:
      return of(static_cast<std::uint16_t*>(nullptr));
    case dtype::int32:
    case dtype::uint32:
      return of(static_cast<std::uint32_t*>(nullptr));
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
template cudaError_t add_runs(dtype, void*, const void*, std::int64_t, std::int64_t, const std::uint32_t*,
                              const std::uint32_t*, std::int64_t, cudaStream_t);
template cudaError_t add_runs(dtype, void*, const void*, std::int64_t, std::int64_t, const std::uint64_t*,
                              const std::uint32_t*, std::int64_t, cudaStream_t);

}  // namespace lazyfuse::cuda_detail
