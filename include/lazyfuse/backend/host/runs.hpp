// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of a row. The error of a sum grows with what is added one by one: lanes are filled in short runs, which are
// merged pairwise. What else ends with a run: moments get their lanes another shift, the place of an extreme is found.
#pragma once

#include <lazyfuse/backend/host/lanes.hpp>

namespace lazyfuse::host_detail {

/// Elements that a lane adds one by one. Where all are equal their roundings go one way, and a run is wrong by at most
/// a sixth of so many epsilons.
inline constexpr index_t run_elements = 16;
/// Longer for moments alone, which cost more to merge.
inline constexpr index_t run_of_moments = 128;
template <class Set>
inline constexpr index_t longest_run = Set::has_near&& Set::size == 1 ? run_of_moments : run_elements;
/// How many turns of the lanes are evaluated at once, and added up pairwise before their lanes take them: a run then is
/// as many times longer, and ends less often. Four take less time in the first cache, but more from memory.
template <class Set>
inline constexpr int turns_together =
    Set::has_rounding && !Set::has_near && !Set::has_ordered && Set::prologue::cost <= 32 ? 2 : 1;
/// For how many elements an operand that repeats one is written out.
template <class Set>
constexpr index_t repeated_elements(index_t n) {
  constexpr index_t turn = turns_together<Set> * lane_count;
  return n < turn ? lane_count : turn;
}
/// How many elements a lane takes before the cheaper way to add more. It is recentred after these, after four times as
/// many, and so on.
inline constexpr index_t far_elements = 8;
constexpr bool recentres_after(index_t elements) {
  while (elements > far_elements && elements % 4 == 0) elements /= 4;
  return elements == far_elements;
}
constexpr index_t next_recentring(index_t elements) {
  index_t next = far_elements;
  while (next <= elements) next *= 4;
  return next;
}

/// What is left of the runs of one reduction; of most, nothing: their lanes go on.
template <class M, class T>
struct row_runs {
  using lanes_type = lanes<M, T, lane_count>;
  void end_run(lanes_type&, bool, index_t) {}
  T result(lanes_type& last) {
    last.fold();
    return last.at(0);
  }
};
/// Sums: the lanes of a run are merged into a few, those of some runs pairwise, and these as the digits of a binary
/// counter carry.
template <class M, class T>
  requires(rounds<M, T> && !__is_same(M, op::moments))
struct row_runs<M, T> {
  using lanes_type = lanes<M, T, lane_count>;
  static constexpr int width = sizeof(T) < 16 ? 32 / int(sizeof(T)) : 1, together = 8, levels = 16;
  T run[together * width];
  T level[levels][width];
  int runs = 0;
  unsigned groups = 0;

  static void narrow(T* v) {
    fold_from<lane_count, width>([v](int l, int from) { v[l] = compute<M>(v[l], v[from]); });
  }
  void end_run(lanes_type& last, bool = false, index_t = 0) {
    narrow(last.value);
    std::copy_n(last.value, width, run + runs * width);
    last.clear(lane_count);
    if (++runs == together) end_group();
  }
  [[gnu::noinline]] void end_group() {
    for (int apart = 1; apart < together; apart *= 2)
      for (int r = 0; r + apart < runs; r += 2 * apart) merge(run + r * width, run + (r + apart) * width);
    int k = 0;
    for (; groups >> k & 1; ++k) {
      merge(level[k], run);
      std::copy_n(level[k], width, run);
    }
    std::copy_n(run, width, level[k]);
    ++groups;
    runs = 0;
  }
  static void merge(T* to, const T* from) {
    for (int l = 0; l < width; ++l) to[l] = compute<M>(to[l], from[l]);
  }
  T result(lanes_type& last) {
    if (runs == 0 && groups == 0) {
      last.fold();
      return last.at(0);
    }
    end_run(last);
    if (runs > 0) end_group();
    const T* total = nullptr;
    for (int k = 0; k < levels; ++k) {
      if (!(groups >> k & 1)) continue;
      if (total) merge(level[k], total);
      total = level[k];
    }
    T all[width];
    std::copy_n(total, width, all);
    fold_from<width, 1>([&](int l, int from) { all[l] = compute<M>(all[l], all[from]); });
    return all[0];
  }
};
/// Moments: the lanes go on, seen from other shifts.
template <class T>
struct row_runs<op::moments, moment_sums<T>> {
  using lanes_type = lanes<op::moments, moment_sums<T>, lane_count>;
  void end_run(lanes_type& run, bool recentre, index_t) {
    if (recentre) run.recentre(lane_count);
  }
  moment_sums<T> result(lanes_type& last) {
    last.fold();
    return last.at(0);
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

  void end_run(lanes_type&, bool, index_t) {}
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
