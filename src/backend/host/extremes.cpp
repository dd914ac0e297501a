// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/backend/host/extremes.hpp>
#include <lazyfuse/backend/host/partial_sums.hpp>
#include <lazyfuse/op/reduction.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace lazyfuse::host_detail {
namespace {

/// Elements whose extreme is found before it is looked for among them: the first cache has them still.
constexpr index_t block = 1024;

// What follows is inlined into functions for processors with wider vectors, and becomes vectors there.
/// Of the lanes; NaN if one is. Of integers that are in the order of the numbers, with all bits of NaN set, which is
/// before the first or after the last: the compiler takes these in vectors, and numbers one by one.
template <class M, int N, class Lanes>
[[gnu::always_inline]] inline auto extreme_lane(Lanes& lanes) {
  using T = decltype(lanes.at(0));
  if constexpr (requires { lanes.nan; }) {
    lanes.fold();
    return lanes.at(0);
  } else if constexpr (std::is_integral_v<T>) {
    T most = M::template identity<T>();
    for (int l = 0; l < N; ++l) most = M::of_numbers(most, lanes.value[l]);
    return most;
  } else {
    using bits = std::conditional_t<sizeof(T) == 4, int32, int64>;
    using whole = std::make_unsigned_t<bits>;
    constexpr bits low = std::numeric_limits<bits>::min(), high = std::numeric_limits<bits>::max();
    constexpr whole after = M::is_largest;
    const auto turned = [](bits b) { return b ^ ((b >> (8 * sizeof(T) - 1)) & high); };
    bits most = M::is_largest ? low : high;
    for (int l = 0; l < N; ++l) {
      const T v = lanes.value[l];
      const bits b = __builtin_bit_cast(bits, v) | -bits(v != v);
      most = M::of_numbers(most, bits(whole(turned(b)) - after));
    }
    if (most == (M::is_largest ? high : low)) return math::not_a_number<T>();
    return __builtin_bit_cast(T, turned(bits(whole(most) + after)));
  }
}
/// Of n elements, which are a group of N at least: the last group may share elements with that before it.
template <class M, int N, class T>
[[gnu::always_inline]] inline T extreme_of(const T* x, index_t n) {
  partial_sums<M, T, N> most;
  most.clear(N);
  const auto add = [&](const T* group) __attribute__((always_inline)) {
    for (index_t l = 0; l < N; ++l) most.combine(l, group[l]);
  };
  index_t i = 0;
  for (; i + N <= n; i += N) add(x + i);
  if (i < n) add(x + n - N);
  return extreme_lane<M, N>(most);
}
/// Whether value is among N elements, or NaN as that.
template <int N, class T>
[[gnu::always_inline]] inline bool has(const T* x, T value) {
  int some = 0;
  if (value == value)
    for (index_t l = 0; l < N; ++l) some |= x[l] == value;
  else
    for (index_t l = 0; l < N; ++l) some |= x[l] != x[l];
  return some != 0;
}
/// Where it is first among N elements; N if nowhere.
template <int N, class T>
[[gnu::always_inline]] inline index_t first_in(const T* x, T value) {
  int first = N;
  if (value == value)
    for (int l = 0; l < N; ++l) first = std::min(first, x[l] == value ? l : N);
  else
    for (int l = 0; l < N; ++l) first = std::min(first, x[l] != x[l] ? l : N);
  return first;
}
/// Where it is first among n elements, which have it.
template <int N, class T>
[[gnu::always_inline]] inline index_t first_of(const T* x, index_t n, T value) {
  constexpr int many = 4 * N;
  index_t i = 0;
  while (i + many <= n && !has<many>(x + i, value)) i += many;
  for (; i + N < n; i += N)
    if (const index_t first = first_in<N>(x + i, value); first < N) return i + first;
  return n - N + first_in<N>(x + n - N, value);
}
/// N: n elements are as many at least.
template <class M, int N, class T>
[[gnu::always_inline]] inline index_t place_in_groups(const T* x, index_t n) {
  const auto beyond = [](T a, T b) { return a != a || (a != b && M::of_numbers(a, b) == a); };
  index_t best = 0;
  for (index_t i = 0; i < n && (i == 0 || x[best] == x[best]); i += block) {
    const index_t begin = std::min(i, n - N), some = std::min(block, n - begin);
    const T value = extreme_of<M, N>(x + begin, some);
    if (i == 0 || beyond(value, x[best])) best = begin + first_of<N>(x + begin, some, value);
  }
  return best;
}
template <class M, class T>
[[gnu::always_inline]] inline index_t place_in(const T* x, index_t n) {
  if (n >= lane_count) return place_in_groups<M, lane_count>(x, n);
  if (n >= 8) return place_in_groups<M, 8>(x, n);
  return place_in_groups<M, 1>(x, n);
}
template <class T>
[[gnu::always_inline]] inline void places(const T* x, index_t n, index_t next, index_t rows, bool largest,
                                          index_t* to) {
  for (index_t r = 0; r < rows; ++r, x += next)
    to[r] = largest ? place_in<extreme_element<true>>(x, n) : place_in<extreme_element<false>>(x, n);
}

template <class T>
void places_16(const T* x, index_t n, index_t next, index_t rows, bool largest, index_t* to) {
  places(x, n, next, rows, largest, to);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) void places_32(const T* x, index_t n, index_t next, index_t rows, bool largest,
                                               index_t* to) {
  places(x, n, next, rows, largest, to);
}
template <class T>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw"))) void places_64(const T* x, index_t n, index_t next,
                                                                             index_t rows, bool largest, index_t* to) {
  places(x, n, next, rows, largest, to);
}
template <class T>
auto best_places() {
  const bool wide =
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return wide ? places_64<T> : __builtin_cpu_supports("avx2") ? places_32<T> : places_16<T>;
}
#else
template <class T>
auto best_places() {
  return places_16<T>;
}
#endif
template <class T>
void find(const T* x, index_t n, index_t next, index_t rows, bool largest, index_t* to) {
  static const auto places = best_places<T>();
  places(x, n, next, rows, largest, to);
}

}  // namespace

void places_of_extremes(const float* x, index_t n, index_t next, index_t rows, bool largest, index_t* to) {
  find(x, n, next, rows, largest, to);
}
void places_of_extremes(const double* x, index_t n, index_t next, index_t rows, bool largest, index_t* to) {
  find(x, n, next, rows, largest, to);
}
void places_of_extremes(const int32* x, index_t n, index_t next, index_t rows, bool largest, index_t* to) {
  find(x, n, next, rows, largest, to);
}
void places_of_extremes(const int64* x, index_t n, index_t next, index_t rows, bool largest, index_t* to) {
  find(x, n, next, rows, largest, to);
}

}  // namespace lazyfuse::host_detail
