// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How integers of 32 and 64 bits are sorted by processors that have AVX2 or AVX-512: parted by a pivot, as many at once
// as a vector has lanes, until what is left fits in eight or sixteen vectors, which are sorted there (columns, then
// bitonic merges; K. E. Batcher, Sorting networks and their applications, 1968). Equal integers are one, so their order
// is no question.
#pragma once

#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/core/index.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>

namespace lazyfuse::sort_detail {

template <class T, int Bytes>
struct sorted_vector {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <class T, int Bytes>
using sorted_vector_t = typename sorted_vector<T, Bytes>::type;
template <class T, int Bytes = 32>
inline constexpr int sorted_lanes = Bytes / int(sizeof(T));
/// So many elements are sorted at once, by vectors of 32 bytes and of 64.
template <class T>
inline constexpr int at_once = 8 * sorted_lanes<T>;
template <class T>
inline constexpr int at_once_of_64 = 16 * sorted_lanes<T, 64>;
inline bool has_vectors_of_64() { return host_detail::bytes_of_vectors == 64; }

template <class V>
[[gnu::always_inline]] inline void put_in_order(V& a, V& b) {
  const V x = a, y = b;
  a = x < y ? x : y;
  b = x < y ? y : x;
}
/// The lanes that are D apart, in order.
template <int D, class V, std::size_t... I>
[[gnu::always_inline]] inline void put_lanes_in_order(V& v, std::index_sequence<I...>) {
  V low = v, high = __builtin_shufflevector(v, v, (I ^ D)...);
  put_in_order(low, high);
  v = __builtin_shufflevector(low, high, (I & D ? sizeof...(I) + I : I)...);
}
template <class V, std::size_t... I>
[[gnu::always_inline]] inline void merge_lanes(V& v, std::index_sequence<I...> lanes) {
  if constexpr (sizeof...(I) == 16) put_lanes_in_order<8>(v, lanes);
  if constexpr (sizeof...(I) >= 8) put_lanes_in_order<4>(v, lanes);
  put_lanes_in_order<2>(v, lanes);
  put_lanes_in_order<1>(v, lanes);
}
/// As many vectors as lanes, each column in order; and as rows of what they are columns of.
template <class V, std::size_t... I>
[[gnu::always_inline]] inline void sort_square(V* v, std::index_sequence<I...>) {
  constexpr int n = sizeof...(I);
#pragma GCC unroll 16
  for (int p = n / 2; p > 0; p /= 2)
#pragma GCC unroll 16
    for (int q = n / 2, r = 0, d = p; q >= p; d = q - p, r = p, q /= 2)
#pragma GCC unroll 16
      for (int i = 0; i < n - d; ++i)
        if ((i & p) == r) put_in_order(v[i], v[i + d]);
#pragma GCC unroll 16
  for (int rounds = n; rounds > 1; rounds /= 2) {
    V other[n];
#pragma GCC unroll 16
    for (int k = 0; k < n / 2; ++k) {
      other[2 * k] = __builtin_shufflevector(v[k], v[k + n / 2], (I / 2 + I % 2 * n)...);
      other[2 * k + 1] = __builtin_shufflevector(v[k], v[k + n / 2], (n / 2 + I / 2 + I % 2 * n)...);
    }
#pragma GCC unroll 16
    for (int k = 0; k < n; ++k) v[k] = other[k];
  }
}
/// Two runs of Half vectors.
template <int Half, class V, std::size_t... I>
[[gnu::always_inline]] inline void merge_runs(V* v, std::index_sequence<I...> lanes) {
#pragma GCC unroll 16
  for (int k = 0; k < (Half + 1) / 2; ++k) {
    const V a = v[Half + k], b = v[2 * Half - 1 - k];
    v[Half + k] = __builtin_shufflevector(b, b, (sizeof...(I) - 1 - I)...);
    v[2 * Half - 1 - k] = __builtin_shufflevector(a, a, (sizeof...(I) - 1 - I)...);
  }
#pragma GCC unroll 16
  for (int d = Half; d > 0; d /= 2)
#pragma GCC unroll 16
    for (int k = 0; k < 2 * Half; ++k)
      if ((k & d) == 0) put_in_order(v[k], v[k + d]);
#pragma GCC unroll 16
  for (int k = 0; k < 2 * Half; ++k) merge_lanes(v[k], lanes);
}

/// Whole vectors, as many as a square of their lanes has, or a multiple of it.
template <int Vectors, class V, std::size_t... I>
[[gnu::always_inline]] inline void sort_all(V* v, std::index_sequence<I...> lanes) {
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; k += int(sizeof...(I))) sort_square(v + k, lanes);
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; k += 2) merge_runs<1>(v + k, lanes);
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; k += 4) merge_runs<2>(v + k, lanes);
  if constexpr (Vectors >= 8)
#pragma GCC unroll 16
    for (int k = 0; k < Vectors; k += 8) merge_runs<4>(v + k, lanes);
  if constexpr (Vectors == 16) merge_runs<8>(v, lanes);
}

/// Up to as many as so many vectors have, 4 or 8, no fewer than one has lanes.
template <int Vectors, class T>
[[gnu::target("avx2"), gnu::flatten, gnu::noinline]] void sort_in_vectors(const T* from, int n, T* to) {
  using V = sorted_vector_t<std::make_signed_t<T>, 32>;  // as which they are compared
  constexpr auto flip = static_cast<std::make_signed_t<T>>(T(1) << (8 * sizeof(T) - 1));
  constexpr int width = sorted_lanes<T>;
  T all[Vectors * width];
  V v[Vectors];
  std::memcpy(all, from, static_cast<std::size_t>(n) * sizeof(T));
  for (int i = n; i < Vectors * width; ++i) all[i] = static_cast<T>(~T(0));
  std::memcpy(v, all, sizeof all);
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; ++k) v[k] ^= flip;
  sort_all<Vectors>(v, std::make_index_sequence<width>());
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; ++k) v[k] ^= flip;
  std::memcpy(all, v, sizeof all);
  std::memcpy(to, all, static_cast<std::size_t>(n) * sizeof(T));
}

/// A bit for each of the lanes from `first` on that n elements have.
[[gnu::always_inline]] inline unsigned lanes_of(index_t n, index_t first, int lanes) {
  const index_t count = std::clamp<index_t>(n - first, 0, lanes);
  return static_cast<unsigned>((std::uint32_t{1} << count) - 1);
}
/// Loads those lanes, or stores them; the others have all bits.
template <int Bytes, class T>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,popcnt,bmi2"), gnu::always_inline]] inline auto load_lanes(
    unsigned set, const T* from) {
  if constexpr (Bytes == 32) {
    const __m256i all = _mm256_set1_epi64x(-1);
    if constexpr (sizeof(T) == 4) return _mm256_mask_loadu_epi32(all, static_cast<__mmask8>(set), from);
    else return _mm256_mask_loadu_epi64(all, static_cast<__mmask8>(set), from);
  } else {
    const __m512i all = _mm512_set1_epi64(-1);
    if constexpr (sizeof(T) == 4) return _mm512_mask_loadu_epi32(all, static_cast<__mmask16>(set), from);
    else return _mm512_mask_loadu_epi64(all, static_cast<__mmask8>(set), from);
  }
}
template <class T, class V>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,popcnt,bmi2"), gnu::always_inline]] inline void store_lanes(
    T* to, unsigned set, V v) {
  if constexpr (sizeof(V) == 32) {
    if constexpr (sizeof(T) == 4) _mm256_mask_storeu_epi32(to, static_cast<__mmask8>(set), v);
    else _mm256_mask_storeu_epi64(to, static_cast<__mmask8>(set), v);
  } else {
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(set), v);
    else _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(set), v);
  }
}
/// Up to as many as so many vectors have, by a processor that has vectors of 64 bytes.
template <int Bytes, int Vectors, class T>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,popcnt,bmi2"), gnu::flatten, gnu::noinline]] void
sort_in_masked_vectors(const T* from, int n, T* to) {
  using V = sorted_vector_t<T, Bytes>;
  constexpr int width = sorted_lanes<T, Bytes>;
  V v[Vectors];
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; ++k)
    v[k] = (V)load_lanes<Bytes>(lanes_of(n, k * width, width), from + std::min(n, k * width));
  sort_all<Vectors>(v, std::make_index_sequence<width>());
#pragma GCC unroll 16
  for (int k = 0; k < Vectors; ++k) {
    using words = decltype(load_lanes<Bytes>(0u, from));
    store_lanes(to + std::min(n, k * width), lanes_of(n, k * width, width), (words)v[k]);
  }
}

/// Up to as many as are sorted at once.
template <class T>
void sort_few(const T* from, int n, T* to) {
  constexpr bool wide = sizeof(T) == 8;
  if (has_vectors_of_64()) {
    if (wide && n <= 16) sort_in_masked_vectors<32, wide ? 4 : 8>(from, n, to);
    else if (n <= at_once<T>) sort_in_masked_vectors<32, 8>(from, n, to);
    else if (n <= at_once_of_64<T> / 2) sort_in_masked_vectors<wide ? 64 : 32, wide ? 8 : 16>(from, n, to);
    else sort_in_masked_vectors<64, 16>(from, n, to);
  } else if (wide && n <= at_once<T> / 2) sort_in_vectors<wide ? 4 : 8>(from, n, to);
  else sort_in_vectors<8>(from, n, to);
}

/// Of each set of lanes where they come from if they stand before the others: words of 32 bits, a byte for each.
template <class T>
inline constexpr auto fronts = [] {
  constexpr int lanes = sorted_lanes<T>, words = 8 / lanes;
  std::array<std::uint64_t, std::size_t{1} << lanes> all{};
  for (std::size_t set = 0; set < all.size(); ++set) {
    int to = 0;
    for (const bool front : {true, false})
      for (int lane = 0; lane < lanes; ++lane)
        if ((set >> lane & 1) == front)
          for (int w = 0; w < words; ++w) all[set] |= std::uint64_t(lane * words + w) << 8 * to++;
  }
  return all;
}();

template <class T>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i in_all_lanes(T value) {
  if constexpr (sizeof(T) == 4) return _mm256_set1_epi32(static_cast<int>(value));
  else return _mm256_set1_epi64x(static_cast<long long>(value));
}
/// A bit for each lane whose integer, with a sign, is less.
template <class T>
[[gnu::target("avx2"), gnu::always_inline]] inline unsigned lanes_less(__m256i v, __m256i limit) {
  if constexpr (sizeof(T) == 4)
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, v))));
  else return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(limit, v))));
}

/// Moves what is less than the pivot to the front of n elements elsewhere, and the rest behind it; returns how many.
template <class T>
[[gnu::target("avx2,popcnt"), gnu::noinline]] index_t part_by_32(T pivot, const T* from, index_t n, T* to) {
  constexpr int width = sorted_lanes<T>;
  constexpr T sign = T(1) << (8 * sizeof(T) - 1);
  T *front = to, *back = to + n;
  index_t i = 0;
  const __m256i flip = in_all_lanes(sign), limit = in_all_lanes(static_cast<T>(pivot ^ sign));
  // There is room for two vectors: what either puts beyond its own elements is no other's yet.
  for (; i + 2 * width <= n; i += width) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    const unsigned set = lanes_less<T>(_mm256_xor_si256(v, flip), limit);
    const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(fronts<T>[set])));
    const __m256i parted = _mm256_permutevar8x32_epi32(v, order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(front), parted);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(back - width), parted);
    const int count = __builtin_popcount(set);
    front += count;
    back -= width - count;
  }
  for (; i < n; ++i) {
    const T e = from[i];
    const bool less = e < pivot;
    *front = e;
    back[-1] = e;
    front += less;
    back -= !less;
  }
  return front - to;
}

/// The same by vectors of 64 bytes.
template <class T>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,popcnt,bmi2"), gnu::noinline]] index_t part_by_64(T pivot,
                                                                                                    const T* from,
                                                                                                    index_t n, T* to) {
  constexpr int width = sorted_lanes<T, 64>;
  constexpr unsigned all = (1u << width) - 1;
  T *front = to, *back = to + n;
  index_t i = 0;
  // vpcompress into memory is slow on some processors
  const auto part = [&]([[gnu::unused]] auto whole, unsigned present, const T* at)
      __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,popcnt,bmi2"), always_inline)) {
    __m512i low, high;  // high: those that are not less, at the last lanes that are present
    unsigned less, count;
    if constexpr (sizeof(T) == 4) {
      const __m512i v = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(present), at);
      less = _mm512_cmplt_epu32_mask(v, _mm512_set1_epi32(static_cast<int>(pivot))) & present;
      count = static_cast<unsigned>(__builtin_popcount(less));
      low = _mm512_maskz_compress_epi32(static_cast<__mmask16>(less), v);
      high = _mm512_maskz_compress_epi32(static_cast<__mmask16>(present & ~less), v);
      if constexpr (whole) high = _mm512_maskz_expand_epi32(static_cast<__mmask16>(all << count), high);
    } else {
      const __m512i v = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(present), at);
      less = _mm512_cmplt_epu64_mask(v, _mm512_set1_epi64(static_cast<long long>(pivot))) & present;
      count = static_cast<unsigned>(__builtin_popcount(less));
      if constexpr (whole) {
        const __m128i order = _mm_cvtsi64_si128(static_cast<long long>(fronts<std::uint32_t>[less]));
        // with masks of all lanes, since g++ warns of what the others begin with
        const __m512i from_lane = _mm512_maskz_cvtepu8_epi64(all, order);
        low = high = _mm512_maskz_permutexvar_epi64(all, from_lane, v);
      } else {
        low = _mm512_maskz_compress_epi64(static_cast<__mmask8>(less), v);
        high = _mm512_maskz_compress_epi64(static_cast<__mmask8>(present & ~less), v);
      }
    }
    if constexpr (whole) {
      _mm512_storeu_si512(front, low);
      _mm512_storeu_si512(back - width, high);
      back -= width - static_cast<int>(count);
    } else {
      const auto others = static_cast<unsigned>(__builtin_popcount(present)) - count;
      store_lanes(front, (1u << count) - 1, low);
      back -= others;
      store_lanes(back, (1u << others) - 1, high);
    }
    front += count;
  };
  for (; i + 2 * width <= n; i += width) part(std::true_type{}, all, from + i);
  for (; i < n; i += width) part(std::false_type{}, lanes_of(n, i, width), from + i);
  return front - to;
}
template <class T>
index_t part_by(T pivot, const T* from, index_t n, T* to) {
  return has_vectors_of_64() ? part_by_64(pivot, from, n, to) : part_by_32(pivot, from, n, to);
}

/// The same by all of so many ascending pivots, a power of two without one: how many elements each range has. Goes back
/// and forth as often as that power says.
template <class T>
void part_by_all(const T* pivots, int ranges, T* x, T* other, index_t n, index_t* sizes) {
  if (ranges == 1) {
    sizes[0] = n;
    return;
  }
  const int half = ranges / 2;
  const index_t less = part_by(pivots[half - 1], x, n, other);
  part_by_all(pivots, half, other, x, less, sizes);
  part_by_all(pivots + half, half, other + less, x + less, n - less, sizes + half);
}

template <class T>
T middle(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
/// The middle one of some elements, the more the more there are.
template <class T>
T pivot_of(const T* x, index_t n) {
  constexpr int most = at_once<T>;
  if (n < 256) return middle(x[n / 8], x[n / 2], x[n - n / 8]);
  if (n < 2048) {
    const index_t d = n / 10;
    return middle(middle(x[d], x[2 * d], x[3 * d]), middle(x[4 * d], x[5 * d], x[6 * d]),
                  middle(x[7 * d], x[8 * d], x[9 * d]));
  }
  T sample[most];
  for (int k = 0; k < most; ++k) sample[k] = x[(2 * k + 1) * (n / (2 * most))];
  sort_few(sample, most, sample);
  return sample[most / 2];
}

/// Sorts n elements at x, with room for as many others; they end up at x, if they are to stay, or there. False if
/// pivots were too bad so often; then they are where they are to end up, in any order.
template <class T>
bool sort_by_pivots(T* x, T* other, index_t n, bool stay, int depth) {
  const index_t few = has_vectors_of_64() ? at_once_of_64<T> : at_once<T>;
  while (n > few) {
    if (depth-- == 0) {
      if (!stay) std::copy_n(x, n, other);
      return false;
    }
    T pivot = pivot_of(x, n);
    index_t less = part_by(pivot, x, n, other);
    const bool none = less == 0;
    if (none) {  // the pivot is the least: those that equal it are in order
      if (pivot == static_cast<T>(~T(0))) {
        less = n;
        if (!stay) std::copy_n(x, n, other);
        return true;
      }
      less = part_by(static_cast<T>(pivot + 1), x, n, other);
      if (stay) std::fill_n(x, less, pivot);
    } else if (!sort_by_pivots(other, x, less, !stay, depth)) {
      if (stay) std::copy_n(other + less, n - less, x + less);
      return false;
    }
    x += less;
    other += less;
    n -= less;
    std::swap(x, other);
    stay = !stay;
  }
  sort_few(x, static_cast<int>(n), stay ? x : other);
  return true;
}

/// Puts element k of n where sorting would, with those before it no larger and those behind it no smaller, with room
/// for as many others.
template <class T>
void select_by_pivots(T* x, T* other, index_t n, index_t k, int depth) {
  T *from = x, *to = other;  // x is where all of them end up
  const auto leave = [&](const T* there, index_t first, index_t count) {
    if (there != x) std::copy_n(there + first, count, x + first);
  };
  while (n > at_once<T> && depth-- > 0) {
    const T pivot = pivot_of(from, n);
    index_t less = part_by(pivot, from, n, to);
    if (less == 0) {
      if (pivot == static_cast<T>(~T(0))) return leave(from, 0, n);
      less = part_by(static_cast<T>(pivot + 1), from, n, to);
      if (k < less) return leave(to, 0, n);  // among those that equal it
    }
    if (k < less) {
      leave(to, less, n - less);
      n = less;
    } else {
      leave(to, 0, less);
      x += less;
      from += less;
      to += less;
      k -= less;
      n -= less;
    }
    std::swap(from, to);
  }
  leave(from, 0, n);
  std::nth_element(x, x + k, x + n);
}

}  // namespace lazyfuse::sort_detail
#endif
