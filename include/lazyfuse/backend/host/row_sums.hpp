// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row's elements added to vector lanes, in runs.
#pragma once

#include <lazyfuse/backend/host/made_values.hpp>
#include <lazyfuse/backend/host/row_means.hpp>
#include <lazyfuse/backend/host/searched_rows.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

namespace lazyfuse::host_detail {

/// The reductions of Set over a row that comes in parts: add() each, then result(). Element i of a part is added to
/// lane i modulo lane_count.
template <class Set>
class row_sums {
  using set_seq = make_index_sequence<Set::size>;
  using partials = typename row_runs_of<Set>::partials;
  static constexpr int together = turns_together<Set>, in_line = turns_in_line<Set>;
  static constexpr bool places = Set::has_ordered, short_runs = Set::has_rounding || Set::has_near || places;
  static constexpr bool in_runs = Set::has_rounding || Set::has_near || row_runs_of<Set>::has_counts;
  static constexpr bool ends_whole_lanes = is_made<Set> && Set::prologue::cost >= reduce_tuning::whole_cost;
  /// Whether a row in the cache is read once more for the means of what has moments, to which its lanes then add up
  /// distances: that takes less than to correct their shift on the way.
  static constexpr bool finds_means = Set::has_near && Set::prologue::cost <= reduce_tuning::cheap;
  /// The first elements of moments, and the runs after them: four times as long each.
  static constexpr index_t far_elements = reduce_tuning::turns_to_shift * lane_count, first_run = 3;

  partials partials_;  ///< cleared where they are used first: there vectors are wide
  bool begun_ = false;
  typename row_runs_of<Set>::type runs_;
  index_t elements_ = 0;
  index_t added_ = 0;  ///< to each lane of this run
  index_t longest_ = short_runs ? run_elements : most_counted;
  bool near_ = false;
  uint64 fetch_;  ///< as asked_early() has it

  template <int... I>
  void clear(partials& to, index_sequence<I...>) {
    (get<I>(to).clear(lane_count), ...);
    const auto one = [](auto& sums, auto& runs) {
      if constexpr (requires { sums.seen; }) sums.seen = runs.seen;
    };
    (one(get<I>(to), get<I>(runs_)), ...);
  }
  /// First: of those before moments have their shift.
  template <bool First, int... I>
  static void next_turn(partials& to, index_t n, index_sequence<I...>) {
    const auto one = [n](auto& sums) {
      if constexpr (First && requires { sums.first_turn(n); }) sums.first_turn(n);
      else if constexpr (requires { sums.next_turn(n); }) sums.next_turn(n);
    };
    (one(get<I>(to)), ...);
  }
  template <int... I>
  [[gnu::noinline]] void end_runs(partials& to, index_sequence<I...>) {
    (get<I>(runs_).end_run(get<I>(to), elements_), ...);
    added_ = 0;
    if (!Set::has_near || elements_ < far_elements) return;
    longest_ = near_ ? algorithm::min(4 * longest_, run_elements) : first_run;
    near_ = true;
  }
  template <class Place, int... I>
  void locate(partials& to, index_t n, const Place& place, index_sequence<I...>) {
    const auto one = [&]<int K>(auto& sums, auto& runs, index_sequence<K>) {
      if constexpr (requires { runs.locate(sums, n, [](index_t) { return int64{}; }); })
        runs.locate(sums, n, [&](index_t i) { return place(i, index_sequence<K>{}); });
    };
    (one(get<I>(to), get<I>(runs_), index_sequence<I>{}), ...);
  }
  template <int... I>
  typename Set::accumulators results(partials& last, index_sequence<I...>) {
    return {{get<I>(runs_).result(get<I>(last), elements_)}...};
  }
  /// As if nothing had been added; the lanes are cleared elsewhere.
  template <int... I>
  void begin_again(index_sequence<I...>) {
    (get<I>(runs_).begin_again(), ...);
    elements_ = added_ = 0;
    longest_ = short_runs ? run_elements : most_counted;
    near_ = begun_ = false;
  }

 public:
  /// Fetch: elements come from beyond the caches, and are asked for early.
  explicit row_sums(bool fetch) : fetch_(fetch) {}
  row_sums(const row_sums&) = delete;
  row_sums& operator=(const row_sums&) = delete;

  /// Adds parts of n elements each, which are runs of the cursors if they are several. Each: not to each other, but
  /// that is where their results go; known is the first of the values of each.
  template <int Count, class Cursors, class Values = no_values>
  void add(const Cursors& from, index_t n, const Values& known = {}, index_t parts = 1,
           typename Set::accumulators* each = nullptr) {
    in_widest_vectors<reads_plain<Cursors> && adds_plain<Set>>(
        ends_whole_lanes && n >= lane_count ? algorithm::max(n, least_for_widest) : n,
        [](row_sums* sums, const Cursors& cursors, index_t elements, const Values* values, index_t count,
           typename Set::accumulators* results) {
          sums->template add_loop<Count>(cursors, elements, values, count, results);
        },
        this, from, n, &known, parts, each);
  }
  typename Set::accumulators result() {
    if (!begun_) clear(partials_, set_seq{});
    return results(partials_, set_seq{});
  }
  /// The place of element i, of reduction I.
  template <int Count, class Cursors, class Values, int I>
  static int64 place_of(const Cursors& from, const Values& known, index_t i, index_sequence<I>) {
    const index_t turns = i / lane_count * lane_count;
    Cursors cursors = from;
    Values values = known;
    skip(cursors, turns, make_index_sequence<Count>{});
    values.move_on(turns);
    taken_value<Set, I> sink{};
    evaluate<typename Set::prologue>(chunk_context<Cursors, Values>{cursors, values, i - turns}, sink);
    return sink.value.index;
  }

 private:
  /// The last elements of n, at most N of them: of whole vectors, of which some were added before.
  template <int N, int Count, class Cursors, class Values>
  [[gnu::always_inline]] static void add_end(const Cursors& from, index_t n, index_t left, const Values& known,
                                             partials& to) {
    using made = of_made<Set>;
    Cursors cursors = from;
    Values values = known;
    skip(cursors, n - N, make_index_sequence<Count>{});
    values.move_on(n - N);
    typename made::template results<N> last;
    const auto to_last = last.cursors();
    transform_whole<typename Set::prologue, N>(cursors, to_last, 0, values);
    const auto end = made::read(to_last, 0, N - left);
    values.move_on(N - left);
    add_to_partials<typename made::set, false>(end, to, 0, left, no_values{});
    note_all(values, end, left, set_seq{});
  }
  template <class Values, class Made, int... I>
  static void note_all(const Values& values, const Made& made, index_t n, index_sequence<I...>) {
    (note_made<typename Set::template program<I>>(values, get<I>(made).data, n), ...);
  }
  template <class P, class Values, class V>
  static void note_made(const Values& values, const V* made, index_t n) {
    if constexpr (requires { values.template note<P>(index_t{}, *made); })
      for (index_t l = 0; l < n; ++l) values.template note<P>(l, made[l]);
  }
  template <int Count, class Cursors, class Values, int... I>
  [[gnu::always_inline]] void find_means(const Cursors& from, index_t n, const Values& known, partials& to,
                                         index_sequence<I...>) {
    const auto one = [&]<int K>(auto& sums, auto& runs, index_sequence<K>) __attribute__((always_inline)) {
      if constexpr (requires { runs.begin_at(sums, sums.shift); })
        runs.begin_at(sums, mean_of_row<Set, K, Count, decltype(sums.shift)>(from, n, known, fetch_));
    };
    (one(get<I>(to), get<I>(runs_), index_sequence<I>{}), ...);
    near_ = true;
  }
  /// Turns that follow each other.
  template <int Count, class Cursors, class Values, int... K>
  [[gnu::always_inline]] static void add_in_line(const Cursors& from, const Values& known, partials& to,
                                                 index_sequence<K...>) {
    const auto turn = [&](index_t n) {
      Cursors cursors = from;
      Values values = known;
      pass(cursors, n, make_index_sequence<Count>{});
      values.move_on(n);
      add_to_partials<Set, false>(cursors, to, 0, lane_count, values);
    };
    (turn(K * lane_count), ...);
  }
  template <int Count, class Cursors, class Values>
  [[gnu::always_inline]] void add_loop(Cursors from, index_t n, const Values* known, index_t parts,
                                       typename Set::accumulators* each) {
    constexpr int searched = searched_operand<Set, Cursors>();
    partials to;
    if (begun_) to = partials_;
    else clear(to, set_seq{});
    begun_ = true;
    if (fetch_) fetch_ = asked_early(from, parts > 1, make_index_sequence<Count>{});
    for (; parts > 0; --parts) {
      Cursors part = from;
      if (each) whole(part, make_index_sequence<Count>{});
      bool found = false;
      if constexpr (searched >= 0)
        if (get<searched>(part).next != 0) {
          auto& best = get<0>(runs_);
          const auto* x = get<searched>(part).data;
          index_t i;
          places_of_extremes(x, n, 0, 1, best.largest, &i);
          best.add({x[i], place_of<Count>(part, *known, i, index_sequence<0>{})});
          found = true;
        }
      if constexpr (finds_means)
        if (each && n <= reduce_tuning::most_for_means) find_means<Count>(part, n, *known, to, set_seq{});
      if (!found) add_part<Count>(part, n, *known, to);
      lazyfuse::host_detail::move_on(from, 1, make_index_sequence<Count>{});
      if (!each) continue;
      *each++ = results(to, set_seq{});
      ++known;
      begin_again(set_seq{});
      clear(to, set_seq{});
    }
    if (!each) partials_ = to;
  }
  template <int Count, class Cursors, class Values>
  [[gnu::always_inline]] void add_part(const Cursors& from, index_t n, const Values& known, partials& to) {
    Cursors cursors = from;
    Values values = known;
    const auto move_on = [&](index_t elements) {
      skip(cursors, elements, make_index_sequence<Count>{});
      values.move_on(elements);
    };
    index_t left = n, located = 0;
    while (left > 0) {
      if constexpr (in_runs)
        if (added_ == longest_ || (Set::has_near && !near_ && elements_ >= far_elements)) end_runs(to, set_seq{});
      const index_t before = left;
      if constexpr (Set::has_near)
        if (!near_) {
          const index_t some = algorithm::min<index_t>(left, lane_count);
          if (fetch_) prefetch_ahead<Set, lane_count>(fetch_, cursors, 0, make_index_sequence<Count>{});
          add_to_partials<Set, false>(cursors, to, 0, some, values);
          move_on(some);
          next_turn<true>(to, some, set_seq{});
          left -= some;
          ++added_;
        }
      if constexpr (together > 1)
        if (left >= together * lane_count && (!Set::has_near || near_)) {
          const index_t more = algorithm::min(left / (together * lane_count), longest_ - added_);
          for (index_t k = 0; k < more; ++k) {
            add_turns<Set, together, Count>(cursors, to, values, fetch_);
            move_on(together * lane_count);
          }
          added_ += more;
          left -= more * together * lane_count;
        }
      if (before == left && left >= lane_count) {
        index_t more = left / lane_count;
        if constexpr (in_runs || places) more = algorithm::min(more, longest_ - added_);
        if constexpr (in_runs) added_ += more;
        left -= more * lane_count;
        if constexpr (in_line > 1)
          for (; more >= in_line; more -= in_line) {
            if (fetch_) prefetch_ahead<Set, in_line * lane_count>(fetch_, cursors, 0, make_index_sequence<Count>{});
            add_in_line<Count>(cursors, values, to, make_index_sequence<in_line>{});
            move_on(in_line * lane_count);
          }
        for (; more > 0; --more) {
          if (fetch_) prefetch_ahead<Set, lane_count>(fetch_, cursors, 0, make_index_sequence<Count>{});
          add_to_partials<Set, Set::has_near>(cursors, to, 0, lane_count, values);
          move_on(lane_count);
          next_turn<false>(to, lane_count, set_seq{});
        }
      } else if (before == left) {
        bool whole = false;
        if constexpr (ends_whole_lanes) {
          constexpr int half = lane_count / 2;
          whole = n >= lane_count || (n >= half && left <= half);
          if (n >= half && left <= half) add_end<half, Count>(from, n, left, known, to);
          else if (n >= lane_count) add_end<lane_count, Count>(from, n, left, known, to);
        } else if constexpr (last_turn_whole<Set>)
          if (n >= least_for_widest && leaves_many(left)) {
            whole = true;
            move_on(left - lane_count);
            add_last_turn<Set>(cursors, to, lane_count - left, values, set_seq{});
          }
        if (!whole) add_to_partials<Set, Set::has_near>(cursors, to, 0, left, values);
        if constexpr (in_runs) ++added_;
        left = 0;
      }
      elements_ += before - left;
      if constexpr (places)
        if (left == 0 || left >= lane_count) {
          const auto place = [&]<int I>(index_t i, index_sequence<I> one) {
            return place_of<Count>(from, known, located + i, one);
          };
          locate(to, n - left - located, place, set_seq{});
          located = n - left;
        }
    }
  }
};

}  // namespace lazyfuse::host_detail
