// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial results side by side: one accumulator per vector lane of every reduction.
#pragma once

#include <lazyfuse/backend/host/operand_walk.hpp>
#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/core/floating.hpp>
#include <lazyfuse/op/reduction.hpp>

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // "GCC unroll", which it hands to g++ all the same
#endif

namespace lazyfuse::host_detail {

/// Whose squares are no products of complex numbers.
template <class T>
inline constexpr bool is_plain<moment_sums<T>> = is_plain<T>;
template <class Set, int... I>
constexpr bool adds_plain_of(index_sequence<I...>) {
  return (is_plain<typename Set::template value_type<I>> && ...);
}
/// Whether the values of all reductions are plain.
template <class Set>
inline constexpr bool adds_plain = adds_plain_of<Set>(make_index_sequence<Set::size>{});

/// Independent partial results, so that the loop over a row has no chain of dependences.
inline constexpr int lane_count = 32;

/// What the vectors of loops hold on most processors (in_wide_vectors).
#if defined(__x86_64__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// Calls f for N lanes.
template <int N, class F>
inline void for_lanes(const F& f) {
  if constexpr (N >= 8) {
#if !defined(__clang__)
#pragma GCC unroll 1  // unrolled, it becomes no vectors
#endif
    for (int l = 0; l < N; ++l) f(l);
  } else
    for (int l = 0; l < N; ++l) f(l);
}
/// Calls merge(lane, another) for the upper half of N lanes into the lower one, until one is left.
template <int N, class F>
inline void fold_halves(const F& merge) {
  if constexpr (N > 1) {
    for_lanes<N / 2>([&](int l) { merge(l, l + N / 2); });
    fold_halves<N / 2>(merge);
  }
}
/// Without a loop, which becomes "rep stos" and takes longer than all that follows.
template <class T, int... I>
inline void fill_each(T* to, const T& value, index_sequence<I...>) {
  ((to[I] = value), ...);
}
template <int N, class T>
inline void fill_lanes(T* to, index_t n, const T& value) {  // of a row all lanes, of columns the first n
  if constexpr (N <= lane_count) fill_each(to, value, make_index_sequence<N>{});
  else algorithm::fill_n(to, n, value);
}
/// Combines N values in the same order, until `Left` are left.
template <class M, int N, int Left = 1, class T>
inline void fold_values(T* value) {
  if constexpr (N > Left) {
    for (int l = 0; l < N / 2; ++l) value[l] = compute<M>(value[l], value[l + N / 2]);
    fold_values<M, N / 2, Left>(value);
  }
}

template <class M, class T, int N>
struct partial_sums {
  alignas(64) T value[N];
  void clear(index_t n) { fill_lanes<N>(value, n, M::template identity<T>()); }
  LAZYFUSE_HD void combine(index_t l, T v) { value[l] = compute<M>(value[l], v); }
  void fold() { fold_values<M, N>(value); }
  T at(index_t l) const { return value[l]; }
  LAZYFUSE_HD static T apart(index_t, const T& v) { return v; }
  LAZYFUSE_HD static T joined(const T& a, const T& b) { return compute<M>(a, b); }
  LAZYFUSE_HD void join(index_t l, const T& v) { combine(l, v); }
};
/// A byte that is none of a character, which may be part of everything else in memory: vectors are made of these.
enum class small_count : unsigned char {};
LAZYFUSE_HD constexpr small_count operator|(small_count a, small_count b) {
  return small_count(unsigned(a) | unsigned(b));
}
LAZYFUSE_HD constexpr small_count operator+(small_count a, small_count b) {
  return small_count(unsigned(a) + unsigned(b));
}
/// Whether one of bool was met that decides.
template <class M, boolean T, int N>
  requires(requires(T v) { M::absorbing(v); })
struct partial_sums<M, T, N> {
  static constexpr bool undecided = M::template identity<bool>();
  alignas(64) small_count decided[N];
  void clear(index_t n) { fill_lanes<N>(decided, n, small_count{}); }
  LAZYFUSE_HD void combine(index_t l, T v) { decided[l] = decided[l] | small_count(M::absorbing(v)); }
  void fold() {
    fold_halves<N>([this](int l, int from) { decided[l] = decided[l] | decided[from]; });
  }
  T at(index_t l) const { return undecided != (decided[l] != small_count{}); }
};
/// Whether an element's being NaN is a vector of integers as wide as it, which the extreme of numbers then takes up.
#if defined(__x86_64__) && !defined(__SSE4_1__)
template <class T>
inline constexpr bool nan_is_mask = !floating_point<T> || __is_same(T, float);
#else
template <class T>
inline constexpr bool nan_is_mask = !floating_point<T> || __is_same(T, float) || __is_same(T, double);
#endif
/// Smallest and largest. Of numbers that is one instruction, which keeps a lane that is NaN; two more select a NaN that
/// comes: g++ keeps the lanes of columns in memory where its bits are or'ed in, and those of rows where all bits are
/// set.
template <class M, real_number T, int N>
  requires(nan_is_mask<T>&& requires(T v) { M::of_numbers(v, v); })
struct partial_sums<M, T, N> {
  alignas(64) T value[N];
  void clear(index_t n) { fill_lanes<N>(value, n, M::template identity<T>()); }
  LAZYFUSE_HD void combine(index_t l, T v) {
    const T most = M::of_numbers(value[l], v);
    if constexpr (floating_point<T>) value[l] = is_nan(v) ? v : most;
    else value[l] = most;
  }
  void fold() {
    int nan = 0;
    if constexpr (floating_point<T>)
      for_lanes<N / 2>([&](int l) { nan |= __builtin_isunordered(value[l], value[l + N / 2]); });
    fold_halves<N>([this](int l, int from) { value[l] = M::of_numbers(value[l], value[from]); });
    if constexpr (floating_point<T>)
      if (nan != 0) value[0] = math::not_a_number<T>();
  }
  T at(index_t l) const {
    if constexpr (floating_point<T>) return value[l] == value[l] ? value[l] : math::not_a_number<T>();
    else return value[l];
  }

 private:
  /// The smallest and the largest ask it in different ways: of the same question about one element, for both, g++ makes
  /// conditions of conditions, which take twice the time.
  LAZYFUSE_HD static bool is_nan(T v) {
    if constexpr (__is_same(T, float) && !M::is_largest) return (__builtin_bit_cast(int, v) & 0x7fffffff) > 0x7f800000;
    else return v != v;
  }
};
/// The same of others: whether NaN was seen is kept aside. Of doubles as that NaN, or zero.
template <class M, real_number T, int N>
  requires(!nan_is_mask<T> && requires(T v) { M::of_numbers(v, v); })
struct partial_sums<M, T, N> {
  using flag = std::conditional_t<__is_same(T, double), T, int>;
  alignas(64) T value[N];
  alignas(64) flag nan[N];
  void clear(index_t n) {
    fill_lanes<N>(value, n, M::template identity<T>());
    fill_lanes<N>(nan, n, flag(0));
  }
  LAZYFUSE_HD void combine(index_t l, T v) {
    value[l] = M::of_numbers(value[l], v);
    if constexpr (__is_same(T, double)) nan[l] = v == v ? nan[l] : v;
    else nan[l] |= v != v;
  }
  void fold() {
    fold_halves<N>([this](int l, int from) {
      value[l] = M::of_numbers(value[l], value[from]);
      if constexpr (__is_same(T, double)) nan[l] += nan[from];
      else nan[l] |= nan[from];
    });
  }
  T at(index_t l) const { return nan[l] != 0 ? math::not_a_number<T>() : value[l]; }
};
/// Sums of distances from a shift, and of their squares: side by side, so that a vector holds one of several lanes.
template <class T, int N>
struct distance_sums {
  alignas(64) T sum[N];
  alignas(64) T squares[N];
  void clear(index_t n) {
    for (T* member : {sum, squares}) fill_lanes<N>(member, n, T(0));
  }
  /// Several elements near a lane are first added up among themselves, as numbers are.
  LAZYFUSE_HD static moment_sums<T> of(T distance) { return {T(1), T(0), distance, distance * distance}; }
  LAZYFUSE_HD static moment_sums<T> joined(const moment_sums<T>& a, const moment_sums<T>& b) {
    return {T(0), T(0), a.sum + b.sum, a.squares + b.squares};
  }
  LAZYFUSE_HD void join(index_t l, const moment_sums<T>& v) {
    sum[l] += v.sum;
    squares[l] += v.squares;
  }
};
/// A monoid of moments whose sums of distances are monoids by themselves.
template <class M>
concept in_distances = requires {
  typename M::of_distances;
  requires M::takes_several;
};
/// Moments of columns, which have as many elements each, and a shift each.
template <in_distances M, class T, int N>
struct partial_sums<M, moment_sums<T>, N> : distance_sums<T, N> {
  using distance_sums<T, N>::sum, distance_sums<T, N>::squares;
  alignas(64) T shift[N];
  T count;
  void clear(index_t n) {
    count = T(0);
    fill_lanes<N>(shift, n, T(0));
    distance_sums<T, N>::clear(n);
  }
  /// So many elements were added to each lane.
  void added(index_t elements) { count += T(elements); }
  LAZYFUSE_HD void combine(index_t l, const moment_sums<T>& v) { put(l, M{}(at(l), v)); }
  LAZYFUSE_HD void add_near(index_t l, const moment_sums<T>& v) { this->join(l, apart(l, v)); }
  LAZYFUSE_HD moment_sums<T> apart(index_t l, const moment_sums<T>& v) const { return this->of(v.shift - shift[l]); }
  void recentre(index_t n) {
    for (index_t l = 0; l < n; ++l) put(l, M::recentred(at(l)));
  }
  void merge(const partial_sums& more, index_t n) {
    for (index_t l = 0; l < n; ++l) put(l, M{}(at(l), more.at(l)));
    count += more.count;
  }
  LAZYFUSE_HD moment_sums<T> at(index_t l) const { return {count, shift[l], sum[l], squares[l]}; }
  LAZYFUSE_HD void put(index_t l, const moment_sums<T>& m) {
    shift[l] = m.shift;
    sum[l] = m.sum;
    squares[l] = m.squares;
  }
};
/// Places of extremes: elements and places apart.
template <class M, class T, int N>
  requires ordered_monoid<M, indexed<T>>
struct partial_sums<M, indexed<T>, N> {
  T value[N];
  int64 index[N];
  void clear(index_t n) {
    const indexed<T> none = M::template identity<indexed<T>>();
    fill_lanes<N>(value, n, none.value);
    fill_lanes<N>(index, n, none.index);
  }
  LAZYFUSE_HD void combine(index_t l, const indexed<T>& v) { put(l, M{}(at(l), v)); }
  /// The same for a place after those before it.
  LAZYFUSE_HD void append(index_t l, const indexed<T>& v) { put(l, M::append(at(l), v)); }
  void fold() {
    fold_halves<N>([this](int l, int from) { combine(l, at(from)); });
  }
  LAZYFUSE_HD indexed<T> at(index_t l) const { return {value[l], index[l]}; }
  LAZYFUSE_HD void put(index_t l, const indexed<T>& v) {
    value[l] = v.value;
    index[l] = v.index;
  }
};
/// One for each reduction or scan of Set, over N lanes.
template <template <class, class, int> class One, class Set, int N, class Seq = make_index_sequence<Set::size>>
struct each_of;
template <template <class, class, int> class One, class Set, int N, int... I>
struct each_of<One, Set, N, index_sequence<I...>> {
  using type = pack<One<typename Set::template monoid<I>, typename Set::template value_type<I>, N>...>;
};
template <class Set, int N>
using partial_pack = typename each_of<partial_sums, Set, N>::type;

/// Combines the value of reduction I into lane l, and notes it where that is asked for. Near: the lane has several
/// already. InOrder: elements come in the order of their places.
template <class Roots, class Partials, class Values, bool Near, bool InOrder>
struct lane_sink;
template <class... P, class Partials, class Values, bool Near, bool InOrder>
struct lane_sink<list<P...>, Partials, Values, Near, InOrder> {
  static constexpr bool stores = false;
  Partials& to;
  const Values& values;
  index_t l;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    auto& lane = get<I>(to);
    if constexpr (Near && requires { lane.add_near(l, value); }) lane.add_near(l, value);
    else if constexpr (InOrder && requires { lane.append(l, value); }) lane.append(l, value);
    else lane.combine(l, value);
    if constexpr (requires { values.template note<type_at<I, P...>>(l, value); })
      values.template note<type_at<I, P...>>(l, value);
  }
};

/// Adds to each of the lanes [first, last) the element of its number.
template <class Set, bool Near, bool InOrder = false, class Cursors, class Partials, class Values>
LAZYFUSE_HD void add_to_partials(const Cursors& cursors, Partials& to, index_t first, index_t last,
                                 const Values& values) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (index_t l = first; l < last; ++l) {
    lane_sink<typename Set::prologue::roots, Partials, Values, Near, InOrder> sink{to, values, l};
    evaluate<typename Set::prologue>(chunk_context<Cursors, Values>{cursors, values, l}, sink);
  }
}

}  // namespace lazyfuse::host_detail

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
