// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/backend/host/extremes.hpp>
#include <lazyfuse/backend/host/partial_sums.hpp>
#include <lazyfuse/op/reduction.hpp>

#include <algorithm>

namespace lazyfuse::host_detail {
namespace {

/// Elements whose extreme is found before it is looked for among them: the first cache has them still.
constexpr index_t block = 1024;

// What follows is inlined into functions for processors with wider vectors, and becomes vectors there.
template <class M, class T>
[[gnu::always_inline]] inline T extreme_of(const T* x, index_t n) {
  partial_sums<M, T, lane_count> most;
  most.clear(lane_count);
  for (; n > 0; n -= lane_count, x += lane_count)
    for (index_t l = 0; l < lane_count; ++l) most.combine(l, x[l]);
  most.fold();
  return most.at(0);
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
/// Where it is first among n elements, which have it.
template <class T>
[[gnu::always_inline]] inline index_t first_of(const T* x, index_t n, T value) {
  constexpr int many = 4 * lane_count;
  index_t i = 0;
  while (i + many <= n && !has<many>(x + i, value)) i += many;
  while (i + lane_count <= n && !has<lane_count>(x + i, value)) i += lane_count;
  while (value == value ? x[i] != value : x[i] == x[i]) ++i;
  return i;
}
template <class M, class T>
[[gnu::always_inline]] inline index_t place_in(const T* x, index_t n) {
  const index_t whole = n / lane_count * lane_count;
  const auto beyond = [](T a, T b) { return a != a || (a != b && M::of_numbers(a, b) == a); };
  index_t best = 0;
  for (index_t i = 0; i < whole && x[best] == x[best]; i += block) {
    const index_t some = std::min(block, whole - i);
    const T value = extreme_of<M>(x + i, some);
    if (i == 0 || beyond(value, x[best])) best = i + first_of(x + i, some, value);
  }
  for (index_t i = whole; i < n && x[best] == x[best]; ++i)
    if (beyond(x[i], x[best])) best = i;
  return best;
}
template <class T>
[[gnu::always_inline]] inline index_t place(const T* x, index_t n, bool largest) {
  return largest ? place_in<extreme_element<true>>(x, n) : place_in<extreme_element<false>>(x, n);
}

template <class T>
index_t place_16(const T* x, index_t n, bool largest) {
  return place(x, n, largest);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) index_t place_32(const T* x, index_t n, bool largest) {
  return place(x, n, largest);
}
template <class T>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw"))) index_t place_64(const T* x, index_t n, bool largest) {
  return place(x, n, largest);
}
template <class T>
auto best_place() {
  const bool wide =
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return wide ? place_64<T> : __builtin_cpu_supports("avx2") ? place_32<T> : place_16<T>;
}
#else
template <class T>
auto best_place() {
  return place_16<T>;
}
#endif
template <class T>
index_t found(const T* x, index_t n, bool largest) {
  static const auto place = best_place<T>();
  return place(x, n, largest);
}

}  // namespace

index_t place_of_extreme(const float* x, index_t n, bool largest) { return found(x, n, largest); }
index_t place_of_extreme(const double* x, index_t n, bool largest) { return found(x, n, largest); }
index_t place_of_extreme(const int32* x, index_t n, bool largest) { return found(x, n, largest); }
index_t place_of_extreme(const int64* x, index_t n, bool largest) { return found(x, n, largest); }

}  // namespace lazyfuse::host_detail
