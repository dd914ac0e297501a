// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs. The error of a sum grows with what is added one by one: lanes are filled in short runs, and the sums of these
// are added up with what rounding loses kept beside them. What else ends with a run: moments get their lanes another
// shift, the place of an extreme is found.
#pragma once

#include <lazyfuse/backend/host/lanes.hpp>

namespace lazyfuse::host_detail {

/// Elements that a lane adds one by one. Where all are equal their roundings go one way, and a run is wrong by at most
/// a sixth of so many epsilons.
inline constexpr index_t run_elements = 16;
/// Fewer along rows of moments, whose squares grow while their shift lags behind.
template <class Set>
inline constexpr index_t longest_run = Set::has_near ? 12 : run_elements;
/// How many turns of the lanes are evaluated at once, and added up pairwise before their lanes take them: a run then is
/// as many times longer, and ends less often.
template <class Set>
inline constexpr int turns_together = Set::has_rounding && !Set::has_ordered && Set::prologue::cost <= 32 ? 4 : 1;
/// For how many elements an operand that repeats one is written out.
template <class Set>
constexpr index_t repeated_elements(index_t n) {
  constexpr index_t turn = turns_together<Set> * lane_count;
  return n < turn ? lane_count : turn;
}
/// How many elements a lane takes before the cheaper way to add more. It is recentred after these, after four times as
/// many, and whenever they have doubled since: squares of distances from a shift that lags behind are larger than those
/// that count.
inline constexpr index_t far_elements = 8;
constexpr index_t next_recentring(index_t elements) {
  if (elements < far_elements) return far_elements;
  index_t next = 4 * far_elements;
  while (next <= elements) next *= 2;
  return next;
}
constexpr bool recentres_after(index_t elements) { return elements > 0 && next_recentring(elements - 1) == elements; }

/// What N lanes had in the runs that ended, with what rounding lost when these were added up. Of most reductions
/// nothing: their lanes go on.
template <class M, class T, int N>
struct run_totals {
  static constexpr bool go_on = true;
  void clear(index_t) {}
};
/// Sums of numbers; of what a function of the user's makes one, nobody knows what it lost.
template <class M, class T, int N>
  requires(rounds<M, T> && !near_monoid<M, T>)
struct run_totals<M, T, N> {
  static constexpr bool go_on = false, keeps_rests = rounding_monoid<M, T>;
  T value[N], rest[keeps_rests ? N : 1];
  void clear(index_t n) {
    std::fill_n(value, n, M::template identity<T>());
    if constexpr (keeps_rests) std::fill_n(rest, n, T{});
  }
  void add(const T* run, index_t n) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index_t l = 0; l < n; ++l) {
      const T both = compute<M>(value[l], run[l]);
      if constexpr (keeps_rests) rest[l] = rest[l] + M::lost(value[l], run[l], both);
      value[l] = both;
    }
  }
  template <class Lanes>
  void end_run(Lanes& run, index_t n, bool) {
    add(run.value, n);
    run.clear(n);
  }
  template <class Lanes>
  void give(Lanes& to, index_t n) {
    restore(n);
    std::copy_n(value, n, to.value);
  }
  void restore(index_t n) {
    if constexpr (keeps_rests)
      for (index_t l = 0; l < n; ++l) value[l] = M::restored(value[l], rest[l]);
  }
};
/// Moments: the first run finds a shift, those after it have that of the total.
template <class T, int N>
struct run_totals<op::moments, moment_sums<T>, N> {
  static constexpr bool go_on = false;
  lanes<op::moments, moment_sums<T>, N> total;
  T lost_sum[N], lost_squares[N];
  bool begun = false;
  void clear(index_t n) {
    total.clear(n);
    std::fill_n(lost_sum, n, T(0));
    std::fill_n(lost_squares, n, T(0));
  }
  template <class Lanes>
  void end_run(Lanes& run, index_t n, bool recentre) {
    for (index_t l = 0; l < n; ++l) {
      total.count[l] += run.count[l];
      run.count[l] = T(0);
    }
    if (!begun) std::copy_n(run.shift, n, total.shift);
    begun = true;
    add(total.sum, lost_sum, run.sum, n);
    add(total.squares, lost_squares, run.squares, n);
    if (!recentre) return;
    restore(n);
    total.recentre(n);
    std::copy_n(total.shift, n, run.shift);
  }
  template <class Lanes>
  void give(Lanes& to, index_t n) {
    restore(n);
    for (index_t l = 0; l < n; ++l) to.put(l, total.at(l));
  }

 private:
  /// Adds, and clears what is added.
  static void add(T* __restrict__ to, T* __restrict__ rest, T* __restrict__ more, index_t n) {
    for (index_t l = 0; l < n; ++l) {
      const T both = to[l] + more[l];
      rest[l] += op::sum::lost(to[l], more[l], both);
      to[l] = both;
      more[l] = T(0);
    }
  }
  void restore(index_t n) {
    for (index_t l = 0; l < n; ++l) {
      total.sum[l] = op::sum::restored(total.sum[l], lost_sum[l]);
      total.squares[l] = op::sum::restored(total.squares[l], lost_squares[l]);
      lost_sum[l] = lost_squares[l] = T(0);
    }
  }
};

/// The runs of one reduction along a row.
template <class M, class T>
struct row_runs {
  using lanes_type = lanes<M, T, lane_count>;
  using totals_type = run_totals<M, T, lane_count>;
  totals_type totals;
  bool begun = false;
  void end_run(lanes_type& run, bool recentre) {
    if constexpr (!totals_type::go_on) {
      if (!begun && recentre) return run.recentre(lane_count);  // it found a shift, and goes on
      if (!begun) totals.clear(lane_count);
      begun = true;
      totals.end_run(run, lane_count, recentre);
    }
  }
  T result(lanes_type& last) {
    if constexpr (!totals_type::go_on)
      if (begun) {
        totals.end_run(last, lane_count, false);
        totals.give(last, lane_count);
      }
    last.fold();
    return last.at(0);
  }
};
/// Sums: the lanes of a run are first merged into a few.
template <class M, class T>
  requires(rounds<M, T> && !near_monoid<M, T>)
struct row_runs<M, T> {
  using lanes_type = lanes<M, T, lane_count>;
  static constexpr int width = sizeof(T) < 16 ? 32 / int(sizeof(T)) : 1;
  run_totals<M, T, width> totals;
  bool begun = false;
  void end_run(lanes_type& run, bool = false) {
    add(run);
    run.clear(lane_count);
  }
  T result(lanes_type& last) {
    if (!begun) {
      last.fold();
      return last.at(0);
    }
    add(last);
    totals.restore(width);
    fold_halves<width>([&](int l, int from) { totals.value[l] = compute<M>(totals.value[l], totals.value[from]); });
    return totals.value[0];
  }

 private:
  void add(lanes_type& run) {
    fold_from<lane_count, width>([&](int l, int from) { run.value[l] = compute<M>(run.value[l], run.value[from]); });
    if (begun) return totals.add(run.value, width);
    begun = true;
    totals.clear(width);
    std::copy_n(run.value, width, totals.value);
  }
};
/// The largest or smallest elements of lanes, as those of max and min, and all that were seen since they were cleared:
/// which of these is in its place first is asked only where it is needed.
template <class M, class T>
struct place_lanes {
  static constexpr index_t most_seen = 17 * lane_count;
  using flag = ::cuda::std::conditional_t<sizeof(T) == 8, int64, int>;
  T value[lane_count];
  flag nan[lane_count];
  T* seen;  ///< where the next turn's elements go
  void clear(index_t n) {
    std::fill_n(value, n, M::extreme::template identity<T>());
    std::fill_n(nan, n, 0);
  }
  LAZYFUSE_HD void combine(index_t l, const placed<T>& v) {
    value[l] = M::extreme::of_numbers(value[l], v.value);
    if constexpr (floating_point<T>) nan[l] |= flag{v.value != v.value};
    seen[l] = v.value;
  }
  void next_turn() { seen += lane_count; }
};
template <class M, class T>
  requires ordered_monoid<M, placed<T>>
struct row_runs<M, placed<T>> {
  using lanes_type = place_lanes<M, T>;
  placed<T> best = M::template identity<placed<T>>();
  T seen[lanes_type::most_seen];

  void end_run(lanes_type&, bool) {}
  /// n elements are seen since the last time; place(i) is that of the i-th of them.
  template <class F>
  void settle(lanes_type& run, index_t n, const F& place) {
    fold_halves<lane_count>([&](int l, int from) {
      run.value[l] = M::extreme::of_numbers(run.value[l], run.value[from]);
      run.nan[l] |= run.nan[from];
    });
    const T value = run.nan[0] ? nan_of() : run.value[0];
    const bool none = best.index == M::nowhere, beyond = none || M::beyond(value, best.value);
    // Of equal ones the first: where axes are taken in another order, it may come later.
    if (beyond || (!M::beyond(best.value, value) && place(0) < best.index)) {
      const placed<T> found{value, place(first(value, n))};
      best = beyond ? found : M{}(best, found);
    }
    run.clear(lane_count);
    run.seen = seen;
  }
  placed<T> result(lanes_type&) const { return best; }

 private:
  static T nan_of() {
    if constexpr (floating_point<T>) return T(__builtin_nanf(""));
    else return T{};
  }
  /// The number of the first that is equal to value, or NaN as that.
  index_t first(T value, index_t n) const {
    const auto same = [&](T x) {
      if constexpr (floating_point<T>) return x == value || (x != x && value != value);
      else return x == value;
    };
    for (index_t i = 0; i < n; i += lane_count) {
      const index_t end = std::min<index_t>(i + lane_count, n);
      int some = 0;
      for (index_t l = i; l < end; ++l) some |= same(seen[l]);
      if (some) {
        while (!same(seen[i])) ++i;
        return i;
      }
    }
    return 0;
  }
};

}  // namespace lazyfuse::host_detail
