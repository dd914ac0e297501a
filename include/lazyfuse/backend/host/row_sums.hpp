// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row's elements added to vector lanes, in runs.
#pragma once

#include <lazyfuse/backend/host/runs.hpp>

namespace lazyfuse::host_detail {

template <class Set, class Seq = make_index_sequence<Set::size>>
struct row_runs_of;
template <class Set, int... I>
struct row_runs_of<Set, index_sequence<I...>> {
  template <int K>
  using one = row_runs<typename Set::template monoid<K>, typename Set::template value_type<K>>;
  using type = pack<one<I>...>;
  using lanes = pack<typename one<I>::lanes_type...>;
};

/// Takes the place from the value of reduction I.
template <int I>
struct place_sink {
  int64 index;
  template <int K, class V>
  LAZYFUSE_HD void put(const V& value) {
    if constexpr (K == I) index = value.index;
  }
};

/// The reductions of Set over a row that comes in parts: add() each, then result(). Element i of a part is added to
/// lane i modulo lane_count.
template <class Set>
class row_sums {
  using set_seq = make_index_sequence<Set::size>;
  using lanes_type = typename row_runs_of<Set>::lanes;
  static constexpr index_t longest = longest_run<Set>;
  static constexpr int together = turns_together<Set>;
  static constexpr bool in_runs = Set::has_rounding || Set::has_near, places = Set::has_ordered;

  lanes_type lanes_;
  typename row_runs_of<Set>::type runs_;
  index_t added_ = 0;  ///< to each lane of this run
  index_t each_ = 0;   ///< to each lane; to some of them one less for every part that ends within a turn

  template <int... I>
  void clear(index_sequence<I...>) {
    (get<I>(lanes_).clear(lane_count), ...);
    const auto one = [](auto& lanes, auto& runs) {
      if constexpr (requires { lanes.seen; }) lanes.seen = runs.seen;
    };
    (one(get<I>(lanes_), get<I>(runs_)), ...);
  }
  template <int... I>
  static void next_turn(lanes_type& to, index_sequence<I...>) {
    const auto one = [](auto& lanes) {
      if constexpr (requires { lanes.next_turn(); }) lanes.next_turn();
    };
    (one(get<I>(to)), ...);
  }
  template <int... I>
  [[gnu::noinline]] void end_runs(lanes_type& to, bool recentre, index_sequence<I...>) {
    (get<I>(runs_).end_run(get<I>(to), recentre), ...);
    added_ = 0;
  }
  template <class Place, int... I>
  void settle(lanes_type& to, index_t n, const Place& place, index_sequence<I...>) {
    const auto one = [&]<int K>(auto& lanes, auto& runs, index_sequence<K>) {
      if constexpr (requires { runs.seen; })
        runs.settle(lanes, n, [&](index_t i) { return place(i, index_sequence<K>{}); });
    };
    (one(get<I>(to), get<I>(runs_), index_sequence<I>{}), ...);
  }
  template <int... I>
  typename Set::accumulators results(index_sequence<I...>) {
    return {{get<I>(runs_).result(get<I>(lanes_))}...};
  }

 public:
  row_sums() { clear(set_seq{}); }
  row_sums(const row_sums&) = delete;
  row_sums& operator=(const row_sums&) = delete;

  template <int Count, class Cursors, class Values = no_values>
  [[gnu::noinline]] void add(const Cursors& from, index_t n, const Values& known = {}) {
    Cursors cursors = from;
    Values values = known;
    lanes_type to = lanes_;
    using cursor_seq = make_index_sequence<Count>;
    const auto turns = [&]<bool Near>(index_t count, ::cuda::std::bool_constant<Near>) {
      for (; count > 0; --count) {
        prefetch_ahead<lane_count>(cursors, 0, cursor_seq{});
        add_to_lanes<Set, Near>(cursors, to, 0, lane_count, values);
        skip(cursors, lane_count, cursor_seq{});
        values.move_on(lane_count);
        next_turn(to, set_seq{});
      }
    };
    const auto begin_run = [&] {
      if constexpr (in_runs) {
        const bool recentre = Set::has_near && added_ > 0 && recentres_after(each_);
        if (added_ == longest || recentre) end_runs(to, recentre, set_seq{});
      }
    };
    index_t left = n / lane_count;
    index_t settled = 0;
    const auto settle_until = [&](index_t end) {
      if constexpr (places) {
        const auto place = [&]<int I>(index_t i, index_sequence<I>) {
          const index_t at = (settled + i) / lane_count;
          Cursors there = from;
          Values known_there = known;
          skip(there, at * lane_count, cursor_seq{});
          known_there.move_on(at * lane_count);
          place_sink<I> sink{};
          evaluate<typename Set::prologue>(
              chunk_context<Cursors, Values>{there, known_there, settled + i - at * lane_count}, sink);
          return sink.index;
        };
        settle(to, end - settled, place, set_seq{});
        settled = end;
      }
    };
    const index_t rest = n % lane_count;
    const auto near = [&] { return Set::has_near && each_ >= far_elements; };
    while (left > 0) {
      begin_run();
      index_t more = left;
      if constexpr (Set::has_near) more = std::min(more, next_recentring(each_) - each_);
      if constexpr (together > 1)
        if (more >= together && (!Set::has_near || near())) {
          more = std::min(more / together, longest - added_);
          added_ += more;
          for (index_t k = 0; k < more; ++k) {
            add_turns<Set, together, Count>(cursors, to, values);
            skip(cursors, together * lane_count, cursor_seq{});
            values.move_on(together * lane_count);
          }
          each_ += more * together;
          left -= more * together;
          continue;
        }
      if constexpr (in_runs || places) more = std::min(more, longest - added_);
      if (near()) turns(more, ::cuda::std::bool_constant<Set::has_near>{});
      else turns(more, ::cuda::std::false_type{});
      left -= more;
      if constexpr (places)
        if (left > 0 || rest == 0) settle_until(n - rest - left * lane_count);
      if constexpr (in_runs) added_ += more;
      each_ += more;
    }
    if (rest > 0) {
      begin_run();
      if (near()) add_to_lanes<Set, Set::has_near>(cursors, to, 0, rest, values);
      else add_to_lanes<Set, false>(cursors, to, 0, rest, values);
      settle_until(n);
      if constexpr (in_runs) ++added_;
      ++each_;
    }
    lanes_ = to;
  }
  typename Set::accumulators result() { return results(set_seq{}); }
};

}  // namespace lazyfuse::host_detail
