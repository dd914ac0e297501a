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

/// Calls merge(lane, another) for the upper half of the lanes into the lower one, until one is left.
template <int N, class F>
inline void fold_halves(const F& merge) {
  if constexpr (N > 1) {
    for (int l = 0; l < N / 2; ++l) merge(l, l + N / 2);
    fold_halves<N / 2>(merge);
  }
}

template <class M, class T, int N>
struct lanes {
  T value[N];
  void clear(index_t n) { std::fill_n(value, n, M::template identity<T>()); }
  LAZYFUSE_HD void combine(index_t l, T v) { value[l] = compute<M>(value[l], v); }
  void fold() {
    fold_halves<N>([this](int l, int from) { value[l] = compute<M>(value[l], value[from]); });
  }
  T at(index_t l) const { return value[l]; }
};
/// Smallest and largest: NaN is kept aside, so that what remains is one instruction.
template <class M, real_number T, int N>
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
    fold_halves<N>([this](int l, int from) {
      value[l] = M::of_numbers(value[l], value[from]);
      nan[l] |= nan[from];
    });
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
  LAZYFUSE_HD void add_near(index_t l, const moment_sums<T>& v) { put(l, op::moments::near(at(l), v)); }
  void recentre(index_t n) {
    for (index_t l = 0; l < n; ++l) put(l, op::moments::recentred(at(l)));
  }
  /// Seen from the mean of all, lanes are summed without a division for each pair of them.
  void fold() {
    T all[2][N];
    for (int l = 0; l < N; ++l) {
      all[0][l] = count[l];
      all[1][l] = (shift[l] - shift[0]) * count[l] + sum[l];
    }
    add_up(all[0]);
    add_up(all[1]);
    const T n = all[0][0], mean = shift[0] + all[1][0] / (n > 0 ? n : T(1));
    for (int l = 0; l < N; ++l) {
      const moment_sums<T> m = op::moments::shifted(at(l), mean);
      all[0][l] = m.sum;
      all[1][l] = m.squares;
    }
    add_up(all[0]);
    add_up(all[1]);
    put(0, {n, mean, all[0][0], all[1][0]});
  }
  static void add_up(T* x) {
    fold_halves<N>([x](int l, int from) { x[l] += x[from]; });
  }
  LAZYFUSE_HD moment_sums<T> at(index_t l) const { return {count[l], shift[l], sum[l], squares[l]}; }
  LAZYFUSE_HD void put(index_t l, const moment_sums<T>& m) {
    count[l] = m.count;
    shift[l] = m.shift;
    sum[l] = m.sum;
    squares[l] = m.squares;
  }
};
template <class Set, int N, class Seq = make_index_sequence<Set::size>>
struct lane_pack_of;
template <class Set, int N, int... I>
struct lane_pack_of<Set, N, index_sequence<I...>> {
  using type = pack<lanes<typename Set::template monoid<I>, typename Set::template value_type<I>, N>...>;
};
template <class Set, int N>
using lane_pack = typename lane_pack_of<Set, N>::type;

/// How many elements a lane takes before the cheaper way to add more. It is recentred after these, after four times as
/// many, and so on.
inline constexpr index_t far_elements = 8;
constexpr bool recentres_after(index_t elements) {
  while (elements > far_elements && elements % 4 == 0) elements /= 4;
  return elements == far_elements;
}
template <class Lanes, int... I>
void recentre(Lanes& to, index_t n, index_sequence<I...>) {
  const auto one = [n](auto& lanes) {
    if constexpr (requires { lanes.recentre(n); }) lanes.recentre(n);
  };
  (one(get<I>(to)), ...);
}

/// Combines the value of reduction I into lane l, and notes it where that is asked for. Near: the lane has several
/// already.
template <class Roots, class Lanes, class Values, bool Near>
struct lane_sink;
template <class... P, class Lanes, class Values, bool Near>
struct lane_sink<list<P...>, Lanes, Values, Near> {
  Lanes& to;
  const Values& values;
  index_t l;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    auto& lane = get<I>(to);
    if constexpr (Near && requires { lane.add_near(l, value); }) lane.add_near(l, value);
    else lane.combine(l, value);
    if constexpr (requires { values.template note<type_at<I, P...>>(l, value); })
      values.template note<type_at<I, P...>>(l, value);
  }
};

template <class Set, int N, int... I>
void clear_lanes(lane_pack<Set, N>& to, index_t n, index_sequence<I...>) {
  (get<I>(to).clear(n), ...);
}

template <class Lanes, int... I>
void fold_lanes(Lanes& to, index_sequence<I...>) {
  (get<I>(to).fold(), ...);
}

/// Combines the first n lanes with those of the same number.
template <class Lanes, int... I>
void merge_lanes(Lanes& to, const Lanes& from, index_t n, index_sequence<I...>) {
  const auto one = [&](auto& sums, const auto& more) {
    for (index_t l = 0; l < n; ++l) sums.combine(l, more.at(l));
  };
  (one(get<I>(to), get<I>(from)), ...);
}

/// How many elements ahead of the loop memory is asked for: a loop of several reductions keeps too few loads in flight.
inline constexpr index_t prefetch_distance = 2048;
/// Columns after which the same of the next row are asked for: it lies where the processor does not look by itself.
inline constexpr index_t strip_columns = 128;

template <class T>
void prefetch(const T* from, index_t n) {
  for (index_t b = 0; b < n * index_t{sizeof(T)}; b += 64) __builtin_prefetch(reinterpret_cast<const char*>(from) + b);
}
template <class Cursors, int... I>
void prefetch_ahead(const Cursors& c, index_sequence<I...>) {
  const auto one = [](const auto& operand) {
    if constexpr (requires { operand.data; }) prefetch(operand.data + prefetch_distance, lane_count);
  };
  (one(get<I>(c)), ...);
}
/// Asks for n elements at i of the next run, where that is elsewhere.
template <class Cursors, int... I>
void prefetch_next(const Cursors& c, index_t i, index_t n, index_sequence<I...>) {
  const auto one = [&](const auto& operand) {
    if constexpr (requires { operand.data; })
      if (operand.next != 0) prefetch(operand.data + i + operand.next, n);
  };
  (one(get<I>(c)), ...);
}

}  // namespace lazyfuse::host_detail
