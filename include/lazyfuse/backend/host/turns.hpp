// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several elements at a time for each lane, added up pairwise before the lane takes them.
#pragma once

#include <lazyfuse/backend/host/runs.hpp>

namespace lazyfuse::host_detail {

/// How many turns of the lanes are evaluated at once, and added up pairwise before their lanes take them: a run then is
/// as many times longer, and ends less often.
template <class Set>
inline constexpr int turns_together =
    Set::has_rounding && !Set::has_ordered && Set::prologue::cost <= 64 ? reduce_tuning::turns_together : 1;
/// How many turns of the lanes follow each other before operands move on, of programs that are evaluated one turn at a
/// time: each operand has a step of its own, which there are too many of for the registers.
template <class Set>
inline constexpr int turns_in_line = turns_together<Set> == 1 && !Set::has_near && !Set::has_ordered &&
                                             Set::sources::size >= reduce_tuning::many_operands
                                         ? reduce_tuning::turns_in_line
                                         : 1;
/// For how many elements an operand that repeats one is written out.
template <class Set>
constexpr index_t repeated_elements(index_t n) {
  constexpr index_t turn = algorithm::max(turns_together<Set>, turns_in_line<Set>) * lane_count;
  return n < turn ? lane_count : turn;
}

/// Takes the value of reduction I of an element.
template <class Set, int I>
struct taken_value {
  static constexpr bool stores = false;
  typename Set::template value_type<I> value;
  template <int K, class V>
  LAZYFUSE_HD void put(const V& v) {
    if constexpr (K == I) value = v;
  }
};
/// Combines the values of reductions into lane l, but those that are to be added up with others first, which it keeps.
template <class Set, class Partials, class Values>
struct together_sink : lane_sink<typename Set::prologue::roots, Partials, Values, false, false> {
  typename Set::accumulators& gathered;
  index_t i;  ///< the element
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    if constexpr (rounds<typename Set::template monoid<I>, V>)
      get<I>(gathered) = get<I>(this->to).apart(this->l, value);
    else get<I>(this->to).combine(this->l, value);
    using program = typename Set::template program<I>;
    if constexpr (requires { this->values.template note<program>(i, value); })
      this->values.template note<program>(i, value);
  }
};
/// Calls f(index_sequence<K>) for each of the reductions that are added up first.
template <class Set, class F, int... I>
inline void for_rounding(const F& f, index_sequence<I...>) {
  const auto one = [&]<int K>(index_sequence<K> k) {
    if constexpr (rounds<typename Set::template monoid<K>, typename Set::template value_type<K>>) f(k);
  };
  (one(index_sequence<I>{}), ...);
}
/// Asks for n elements from `from` on. Inlined always: g++ drops calls of functions that do nothing but this.
template <class Operand>
[[gnu::always_inline]] inline void prefetch(const Operand& operand, index_t from, index_t n) {
  if constexpr (requires { operand.data; })
    for (index_t b = 0; b < n * index_t{sizeof(*operand.data)}; b += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(operand.data + from) + b);
}
template <class Set, int N, class Cursors, int... I>
[[gnu::always_inline]] inline void prefetch_ahead(uint64 which, const Cursors& c, index_t i, index_sequence<I...>) {
  constexpr index_t ahead = Set::size > 1 ? reduce_tuning::prefetch_of_several : reduce_tuning::prefetch_distance;
  ((which >> (I % 64) & 1 ? prefetch(get<I>(c), i + ahead, N) : void()), ...);
}
/// Where an operand's elements lie; null if nowhere, or in the same place for several rows.
template <class Operand>
const void* place_of_rows(const Operand& operand, bool several) {
  if constexpr (requires { operand.data; }) return several && operand.next == 0 ? nullptr : operand.data;
  else return nullptr;
}
/// Of which operands elements are asked for early, a bit for each: of two that are one array, of one.
template <class Cursors, int... I>
uint64 asked_early(const Cursors& c, bool several_rows, index_sequence<I...>) {
  const void* const places[] = {place_of_rows(get<I>(c), several_rows)..., nullptr};
  uint64 which = 0;
  for (int k = 0; k < algorithm::min(int(sizeof...(I)), 64); ++k) {
    bool first = places[k] != nullptr;
    for (int j = 0; j < k; ++j) first = first && places[j] != places[k];
    which |= uint64(first) << k;
  }
  return which;
}

/// The elements of N contexts from first(0) on, for lane l, added up pairwise.
template <class Set, int N, class First, class Partials, class Values>
inline typename Set::accumulators added_up(const First& context, int first, Partials& to, const Values& values,
                                           index_t l) {
  typename Set::accumulators gathered{};
  if constexpr (N == 1) {
    const auto element = context(first);
    together_sink<Set, Partials, Values> sink{{to, values, l}, gathered, element.i};
    evaluate<typename Set::prologue>(element, sink);
  } else {
    gathered = added_up<Set, N / 2>(context, first, to, values, l);
    const auto more = added_up<Set, N / 2>(context, first + N / 2, to, values, l);
    for_rounding<Set>(
        [&]<int K>(index_sequence<K>) { get<K>(gathered) = get<K>(to).joined(get<K>(gathered), get<K>(more)); },
        make_index_sequence<Set::size>{});
  }
  return gathered;
}
/// Adds these elements to lane l.
template <class Set, int N, class First, class Partials, class Values>
inline void add_up(const First& context, Partials& to, const Values& values, index_t l) {
  const auto sums = added_up<Set, N>(context, 0, to, values, l);
  for_rounding<Set>([&]<int K>(index_sequence<K>) { get<K>(to).join(l, get<K>(sums)); },
                    make_index_sequence<Set::size>{});
}
/// How many lanes take elements side by side in memory, before those that are added to these: those of a cache line, so
/// that memory is read line by line.
template <class Set>
inline constexpr int lanes_abreast = [] {
  using T = typename Set::template value_type<0>;
  constexpr int members = near_monoid<typename Set::template monoid<0>, T> ? 4 : 1;
  int n = lane_count;
  while (n > 1 && n * int(sizeof(T)) > 64 * members) n /= 2;
  return n;
}();
template <class Set, int Turns, int Operands, class Cursors, class Partials, class Values>
[[gnu::always_inline]] inline void add_abreast(index_t first, const Cursors& cursors, Partials& to,
                                               const Values& values, uint64 fetch) {
  constexpr int abreast = lanes_abreast<Set>;
  if constexpr (Set::size > 1)
    if (fetch) prefetch_ahead<Set, abreast * Turns>(fetch, cursors, first * Turns, make_index_sequence<Operands>{});
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (index_t l = 0; l < abreast; ++l) {
    const auto element = [&](int k) {
      return chunk_context<Cursors, Values>{cursors, values, first * Turns + k * abreast + l};
    };
    add_up<Set, Turns>(element, to, values, first + l);
  }
}
/// Adds the elements of several turns to the lanes. Fetch: and asks for later ones.
template <class Set, int Turns, int Operands, class Cursors, class Partials, class Values>
[[gnu::always_inline]] inline void add_turns(const Cursors& cursors, Partials& to, const Values& values,
                                             [[maybe_unused]] uint64 fetch) {
  [&]<int... B>(index_sequence<B...>) {
    (add_abreast<Set, Turns, Operands>(B * lanes_abreast<Set>, cursors, to, values, fetch), ...);
  }
  (make_index_sequence<lane_count / lanes_abreast<Set>>{});
}

template <class Set, int... I>
constexpr bool adds_numbers(index_sequence<I...>) {
  return (real_number<typename Set::template value_type<I>> && ...);
}
/// Whether what is left of a row may be computed as a whole turn, with elements before it: of programs that take long,
/// those that fill no vector take longer, one after the other.
template <class Set>
inline constexpr bool last_turn_whole =
    !Set::has_near && !Set::has_ordered &&
    Set::prologue::cost > reduce_tuning::cheap_in_tiles&& adds_numbers<Set>(make_index_sequence<Set::size>{});
/// Whether the widest vectors, and those of half their size, leave so many.
inline bool leaves_many(index_t left) { return bytes_of_vectors == 64 && left % 8 >= 4; }
/// The values of a turn, and as many that change nothing: from its element i on they are those of fewer elements.
template <class M, class T, int>
struct turn_values {
  alignas(64) T value[2 * lane_count];
  void clear() { algorithm::fill_n(value + lane_count, lane_count, M::template identity<T>()); }
};
/// Puts them there, and notes what is to be remembered of them.
template <class Roots, class Turn, class Values>
struct turn_sink;
template <class... P, class Turn, class Values>
struct turn_sink<list<P...>, Turn, Values> {
  static constexpr bool stores = false;
  Turn& to;
  const Values& values;
  index_t l;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    get<I>(to).value[l] = value;
    if constexpr (requires { values.template note<type_at<I, P...>>(l, value); })
      values.template note<type_at<I, P...>>(l, value);
  }
};
/// Adds the elements of a turn from `first` on to as many lanes.
template <class Set, class Cursors, class Partials, class Values, int... I>
[[gnu::always_inline]] inline void add_last_turn(const Cursors& cursors, Partials& to, index_t first,
                                                 const Values& values, index_sequence<I...>) {
  using turn_type = typename each_of<turn_values, Set, lane_count>::type;
  turn_type turn;
  (get<I>(turn).clear(), ...);
  for (index_t l = 0; l < lane_count; ++l) {
    turn_sink<typename Set::prologue::roots, turn_type, Values> sink{turn, values, l};
    evaluate<typename Set::prologue>(chunk_context<Cursors, Values>{cursors, values, l}, sink);
  }
  const auto one = [first](auto& lanes, const auto& last) __attribute__((always_inline)) {
    for (index_t l = 0; l < lane_count; ++l) lanes.combine(l, last.value[first + l]);
  };
  (one(get<I>(to), get<I>(turn)), ...);
}

}  // namespace lazyfuse::host_detail
