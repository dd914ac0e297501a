// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns side by side, each a lane, to which rows are added one after the other: in short runs that are merged
// pairwise, as along rows.
#pragma once

#include <lazyfuse/backend/host/row_sums.hpp>

namespace lazyfuse::host_detail {

/// Adds one row to n columns. Near: each has several already.
template <int Count, class Set, bool Near, class Cursors, class Lanes, class Values>
[[gnu::noinline]] void accumulate_columns(const Cursors cursors, Lanes& to, index_t n, const Values values) {
  for (index_t i = 0; i < n; i += strip_columns) {
    const index_t end = std::min(i + strip_columns, n);
    prefetch_next(cursors, i, end - i, make_index_sequence<Count>{});
    add_to_lanes<Set, Near>(cursors, to, i, end, values);
  }
}

/// The reductions of Set over n of at most N columns: add() each row, then result(). Up to 2^Levels runs are merged
/// pairwise, more of them one after the other.
template <class Set, int N, int Levels>
class column_sums {
  using set_seq = make_index_sequence<Set::size>;
  using lanes_type = lane_pack<Set, N>;
  static constexpr index_t longest = longest_run<Set>;
  static constexpr bool in_runs = Set::has_rounding && !Set::has_near;
  static constexpr int levels = in_runs ? Levels : 0;

  lanes_type storage_[levels + 1];
  lanes_type* level_[levels + 1];
  lanes_type* run_ = storage_ + levels;
  index_t n_;
  unsigned runs_ = 0;  ///< bit k: level k has 2^k of them
  index_t added_ = 0, each_ = 0;

  template <int... I>
  static void clear(lanes_type& to, index_t n, index_sequence<I...>) {
    (get<I>(to).clear(n), ...);
  }
  /// Combines lanes with those of the same number.
  template <int... I>
  static void merge(lanes_type& to, const lanes_type& from, index_t n, index_sequence<I...>) {
    const auto one = [&](auto& sums, const auto& more) {
      for (index_t l = 0; l < n; ++l) sums.combine(l, more.at(l));
    };
    (one(get<I>(to), get<I>(from)), ...);
  }
  template <int... I>
  void recentre_run(index_sequence<I...>) {
    const auto one = [&](auto& run) {
      if constexpr (requires { run.recentre(n_); }) run.recentre(n_);
    };
    (one(get<I>(*run_)), ...);
  }
  void end_run() {
    int k = 0;
    if constexpr (levels > 1)
      for (; k < levels - 1 && (runs_ >> k & 1); ++k) {
        merge(*level_[k], *run_, n_, set_seq{});
        std::swap(level_[k], run_);
        runs_ -= 1u << k;
      }
    if (runs_ >> k & 1) merge(*level_[k], *run_, n_, set_seq{});
    else std::swap(level_[k], run_);
    runs_ |= 1u << k;
    clear(*run_, n_, set_seq{});
    added_ = 0;
  }

 public:
  explicit column_sums(index_t n) : n_(n) {
    for (int k = 0; k <= levels; ++k) level_[k] = storage_ + k;
    clear(*run_, n, set_seq{});
  }
  column_sums(const column_sums&) = delete;
  column_sums& operator=(const column_sums&) = delete;

  /// Ordered: the row's places are after those before it.
  template <int Count, class Cursors, class Values = no_values>
  void add(const Cursors& cursors, const Values& values = {}, bool ordered = false) {
    if constexpr (in_runs) {
      if (added_ == longest) end_run();
      ++added_;
    }
    if constexpr (Set::has_near) {
      if (recentres_after(each_++)) recentre_run(set_seq{});
    }
    if constexpr (Set::has_near) {
      if (each_ > far_elements) return accumulate_columns<Count, Set, true>(cursors, *run_, n_, values);
    } else if constexpr (Set::has_ordered) {
      if (ordered) return accumulate_columns<Count, Set, true>(cursors, *run_, n_, values);
    }
    accumulate_columns<Count, Set, false>(cursors, *run_, n_, values);
  }
  const lanes_type& result() {
    if constexpr (in_runs)
      for (int k = 0; k < levels; ++k)
        if (runs_ >> k & 1) {
          merge(*level_[k], *run_, n_, set_seq{});
          std::swap(level_[k], run_);
        }
    return *run_;
  }
};

/// Combines the first n lanes with those of the same number.
template <class Lanes, int... I>
void merge_lanes(Lanes& to, const Lanes& from, index_t n, index_sequence<I...>) {
  const auto one = [&](auto& sums, const auto& more) {
    for (index_t l = 0; l < n; ++l) sums.combine(l, more.at(l));
  };
  (one(get<I>(to), get<I>(from)), ...);
}

}  // namespace lazyfuse::host_detail
