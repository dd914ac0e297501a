// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial results side by side: one accumulator per vector lane of every reduction.
#pragma once

#include <lazyfuse/backend/host/rows.hpp>
#include <lazyfuse/op/statistics.hpp>

#include <cuda/std/limits>

#include <algorithm>

namespace lazyfuse::host_detail {

/// Independent partial results, so that the loop over a row has no chain of dependences.
inline constexpr int lane_count = 32;

template <class M, class T, int N>
struct lanes {
  T value[N];
  void clear(index_t n) { std::fill_n(value, n, M::template identity<T>()); }
  LAZYFUSE_HD void combine(index_t l, T v) { value[l] = M{}(value[l], v); }
  /// Merges the upper half of the lanes into the lower one until one is left.
  void fold() {
    for (int half = N / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) value[l] = M{}(value[l], value[l + half]);
  }
  T at(index_t l) const { return value[l]; }
};
/// Smallest and largest: NaN is kept aside, so that what remains is one instruction.
template <class M, real T, int N>
  requires requires(T v) { M::of_numbers(v, v); }
struct lanes<M, T, N> {
  T value[N];
  int nan[N];
  void clear(index_t n) {
    std::fill_n(value, n, M::template identity<T>());
    std::fill_n(nan, n, 0);
  }
  LAZYFUSE_HD void combine(index_t l, T v) {
    value[l] = M::of_numbers(value[l], v);
    nan[l] |= v != v;
  }
  void fold() {
    for (int half = N / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) {
        value[l] = M::of_numbers(value[l], value[l + half]);
        nan[l] |= nan[l + half];
      }
  }
  T at(index_t l) const { return nan[l] ? ::cuda::std::numeric_limits<T>::quiet_NaN() : value[l]; }
};
/// Moments: their members side by side, so that a vector holds one member of several lanes.
template <class T, int N>
struct lanes<op::moments, moment_sums<T>, N> {
  T count[N], shift[N], sum[N], squares[N];
  void clear(index_t n) {
    for (T* member : {count, shift, sum, squares}) std::fill_n(member, n, T(0));
  }
  LAZYFUSE_HD void combine(index_t l, const moment_sums<T>& v) { put(l, op::moments{}(at(l), v)); }
  void fold() {
    for (int half = N / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) combine(l, at(l + half));
  }
  LAZYFUSE_HD moment_sums<T> at(index_t l) const { return {count[l], shift[l], sum[l], squares[l]}; }
  LAZYFUSE_HD void put(index_t l, const moment_sums<T>& m) {
    count[l] = m.count;
    shift[l] = m.shift;
    sum[l] = m.sum;
    squares[l] = m.squares;
  }
};
template <class Set, int N, class Seq = make_indices<Set::size>>
struct lane_pack_of;
template <class Set, int N, int... I>
struct lane_pack_of<Set, N, indices<I...>> {
  using type = pack<lanes<typename Set::template monoid<I>, typename Set::template value_type<I>, N>...>;
};
template <class Set, int N>
using lane_pack = typename lane_pack_of<Set, N>::type;

/// Combines the value of reduction I into lane l.
template <class Set, class Lanes>
struct lane_sink {
  Lanes& to;
  index_t l;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    get<I>(to).combine(l, value);
  }
};

template <class Set, int N, int... I>
void clear_lanes(lane_pack<Set, N>& to, index_t n, indices<I...>) {
  (get<I>(to).clear(n), ...);
}

template <class Lanes, int... I>
void fold_lanes(Lanes& to, indices<I...>) {
  (get<I>(to).fold(), ...);
}

/// Combines the first n lanes with those of the same number.
template <class Lanes, int... I>
void merge_lanes(Lanes& to, const Lanes& from, index_t n, indices<I...>) {
  const auto one = [&](auto& sums, const auto& more) {
    for (index_t l = 0; l < n; ++l) sums.combine(l, more.at(l));
  };
  (one(get<I>(to), get<I>(from)), ...);
}

/// How many elements ahead of the loop memory is asked for: a loop of several reductions keeps too few loads in flight.
inline constexpr index_t prefetch_distance = 2048;
template <class C>
void prefetch(const C& c, index_t i) {
  if constexpr (requires { c.data; })
    for (int b = 0; b < int(lane_count * sizeof(*c.data)); b += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(c.data + i) + b);
}
template <class Cursors, int... I>
void prefetch_all(const Cursors& c, index_t i, indices<I...>) {
  (prefetch(get<I>(c), i), ...);
}

}  // namespace lazyfuse::host_detail
