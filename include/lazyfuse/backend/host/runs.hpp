// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs. The error of a sum grows with what is added one by one: lanes are filled in short runs, and the sums of these
// are added up with what rounding loses kept beside them. What else ends with a run: moments get their lanes another
// shift, the place of an extreme is found.
#pragma once

#include <lazyfuse/backend/host/partial_sums.hpp>
#include <lazyfuse/backend/host/tuning.hpp>

#include <bit>

namespace lazyfuse::host_detail {

using reduce_tuning = dpp::tuning<dpp::reductions, host>;
inline constexpr index_t run_elements = reduce_tuning::run_elements;
/// How many elements a column takes before the cheaper way to add more. It is recentred after these, after four times
/// as many, and whenever they have doubled since: squares of distances from a shift that lags behind are larger than
/// those that count.
inline constexpr index_t far_elements = reduce_tuning::far_elements;
constexpr index_t next_recentring(index_t elements) {
  if (elements < far_elements) return far_elements;
  index_t next = 4 * far_elements;
  while (next <= elements) next *= 2;
  return next;
}

/// What N lanes had in the runs that ended. Of most reductions nothing: their lanes go on.
template <class M, class T, int N>
struct run_totals {
  void clear(index_t) {}
};
/// Adds to n totals what lanes had in a run, and leaves to these what rounding lost: the next run begins with it. Of
/// what a function of the user's makes a sum, nobody knows what it lost.
template <class M, class T>
void end_run(T* __restrict__ total, T* __restrict__ run, index_t n) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (index_t l = 0; l < n; ++l) {
    const T both = compute<M>(total[l], run[l]);
    if constexpr (rounding_monoid<M, T>) run[l] = M::carried(total[l], run[l], both);
    else run[l] = M::template identity<T>();
    total[l] = both;
  }
}
template <class M, class T, int N>
  requires(rounds<M, T> && !near_monoid<M, T>)
struct run_totals<M, T, N> {
  using partials = partial_sums<M, T, N>;
  alignas(64) T value[N];
  void clear(index_t n) { algorithm::fill_n(value, n, M::template identity<T>()); }
  void end_run(partials& run, index_t n, bool) { host_detail::end_run<M>(value, run.value, n); }
  void give(partials& to, index_t n) { algorithm::copy_n(value, n, to.value); }
};
/// Moments of columns: the first run finds a shift, those after it have that of the total.
template <in_distances M, class T, int N>
struct run_totals<M, moment_sums<T>, N> {
  using partials = partial_sums<M, moment_sums<T>, N>;
  partials total;
  void clear(index_t n) { total.clear(n); }
  void end_run(partials& run, index_t n, bool recentre) {
    if (total.count == 0) algorithm::copy_n(run.shift, n, total.shift);
    total.count += run.count;
    run.count = T(0);
    host_detail::end_run<typename M::of_distances>(total.sum, run.sum, n);
    host_detail::end_run<typename M::of_distances>(total.squares, run.squares, n);
    if (!recentre) return;
    total.recentre(n);
    algorithm::copy_n(total.shift, n, run.shift);
  }
  void give(partials& to, index_t) { to = total; }
};

/// What the lanes of a row had in the runs that ended, merged into a few. Its functions are the same for all programs.
template <class M, class T>
struct row_totals {
  static constexpr int width = sizeof(T) < 16 ? int(std::bit_floor(32 / sizeof(T))) : 1;  // halves of the lanes
  alignas(64) T total[width];
  bool begun = false;
  void begin_again() { begun = false; }
  /// Adds the lanes of a run, and clears them but for what rounding lost.
  [[gnu::noinline]] void add(T* run) {
    T lanes[lane_count];  // registers: what is folded in the run's memory waits for each store
    algorithm::copy_n(run, lane_count, lanes);
    fold_values<M, lane_count, width>(lanes);
    if (!begun) algorithm::fill_n(total, width, M::template identity<T>());
    begun = true;
    end_run<M>(total, lanes, width);
    algorithm::copy_n(lanes, width, run);
    fill_each(run + width, M::template identity<T>(), make_index_sequence<lane_count - width>{});
  }
  /// All that was added, and the last run.
  [[gnu::noinline]] T result(T* last) {
    if (!begun) return folded(last);
    add(last);
    return sum();
  }
  /// All that was added so far.
  T sum() { return folded<width>(total); }
  void start(T value) {
    algorithm::fill_n(total, width, M::template identity<T>());
    total[0] = value;
  }
  template <int N = lane_count>
  static T folded(T* values) {
    fold_values<M, N>(values);
    return values[0];
  }
};

/// The runs of one reduction along a row: of most there is nothing to end.
template <class M, class T>
struct row_runs {
  using partials = partial_sums<M, T, lane_count>;
  void begin_again() {}
  void end_run(partials&, index_t) {}
  T result(partials& last, index_t) {
    last.fold();
    return last.at(0);
  }
};
template <class M, class T>
  requires(rounds<M, T> && !near_monoid<M, T>)
struct row_runs<M, T> {
  using partials = partial_sums<M, T, lane_count>;
  row_totals<M, T> totals;
  void begin_again() { totals.begin_again(); }
  void end_run(partials& run, index_t) { totals.add(run.value); }
  T result(partials& last, index_t) { return totals.result(last.value); }
};
/// Whether a reduction counts where a condition holds.
template <class Reduction, class Sources>
inline constexpr bool is_count = false;
template <class M, class Cast, class P, class Sources>
  requires(M::counts&& integer<typename Cast::converts_to>)
inline constexpr bool is_count<reduction<M, apply<Cast, P>>, Sources> = boolean<program_value_t<P, Sources>>;
/// Counts of lanes, in bytes: of wide integers a vector has few.
inline constexpr index_t most_counted = 255;
template <class T>
struct count_partials {
  alignas(64) small_count value[lane_count];
  void clear(index_t n) {
    for (index_t l = 0; l < n; ++l) value[l] = small_count{};
  }
  LAZYFUSE_HD void combine(index_t l, T one) { value[l] = value[l] + small_count(one); }
};
template <class T>
struct count_runs {
  using partials = count_partials<T>;
  index_t total = 0;
  void begin_again() { total = 0; }
  [[gnu::noinline]] void end_run(partials& run, index_t) {
    for (const small_count n : run.value) total += index_t(n);
    run.clear(lane_count);
  }
  T result(partials& last, index_t elements) {
    end_run(last, elements);
    return static_cast<T>(total);
  }
};
/// The largest or smallest elements of lanes, as those of max and min, and all that were seen since they were cleared:
/// which of these is in its place first is asked only where it is needed.
template <class M, class T>
struct place_partials : partial_sums<typename M::extreme, T, lane_count> {
  using extremes = partial_sums<typename M::extreme, T, lane_count>;
  static constexpr index_t most_seen = (run_elements + 1) * lane_count;
  T* seen;  ///< where the next turn's elements go
  LAZYFUSE_HD void combine(index_t l, const indexed<T>& v) {
    extremes::combine(l, v.value);
    seen[l] = v.value;
  }
  void next_turn(index_t) { seen += lane_count; }
};
template <class M, class T>
  requires ordered_monoid<M, indexed<T>>
struct row_runs<M, indexed<T>> {
  using partials = place_partials<M, T>;
  indexed<T> best = M::template identity<indexed<T>>();
  T seen[partials::most_seen];

  static constexpr bool largest = M::extreme::is_largest;
  void begin_again() { best = M::template identity<indexed<T>>(); }
  void end_run(partials&, index_t) {}
  void add(const indexed<T>& v) { best = best.index == M::nowhere ? v : M{}(best, v); }
  /// n elements are seen since the last time; place(i) is that of the i-th of them.
  template <class F>
  void locate(partials& run, index_t n, const F& place) {
    run.fold();
    const T value = run.at(0);
    const bool none = best.index == M::nowhere, beyond = none || M::beyond(value, best.value);
    // Of equal ones the first: where axes are taken in another order, it may come later.
    if (beyond || (!M::beyond(best.value, value) && place(0) < best.index)) {
      const indexed<T> found{value, place(first(value, n))};
      best = beyond ? found : M{}(best, found);
    }
    run.clear(lane_count);
    run.seen = seen;
  }
  indexed<T> result(partials&, index_t) const { return best; }

 private:
  /// The number of the first that is equal to value, or NaN as that.
  index_t first(T value, index_t n) const {
    const auto same = [&](T x) {
      if constexpr (floating_point<T>) return x == value || (x != x && value != value);
      else return x == value;
    };
    for (index_t i = 0; i < n; i += lane_count) {
      const index_t end = algorithm::min<index_t>(i + lane_count, n);
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
