// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns side by side, each a lane, to which rows are added one after the other, in short runs as along rows.
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

template <class Set, int N, class Seq = make_index_sequence<Set::size>>
struct column_totals_of;
template <class Set, int N, int... I>
struct column_totals_of<Set, N, index_sequence<I...>> {
  using type = pack<run_totals<typename Set::template monoid<I>, typename Set::template value_type<I>, N>...>;
};

/// The reductions of Set over n of at most N columns: add() each row, then result().
template <class Set, int N>
class column_sums {
  using set_seq = make_index_sequence<Set::size>;
  using lanes_type = lane_pack<Set, N>;
  static constexpr bool in_runs = Set::has_rounding || Set::has_near;

  lanes_type run_;
  typename column_totals_of<Set, N>::type totals_;
  index_t n_, added_ = 0, each_ = 0;
  bool begun_ = false;

  template <int... I>
  static void clear(auto& to, index_t n, index_sequence<I...>) {
    (get<I>(to).clear(n), ...);
  }
  template <int... I>
  void end_runs(bool recentre, index_sequence<I...>) {
    if (!begun_) clear(totals_, n_, set_seq{});
    begun_ = true;
    const auto one = [&](auto& totals, auto& run) {
      if constexpr (requires { totals.end_run(run, n_, recentre); }) totals.end_run(run, n_, recentre);
    };
    (one(get<I>(totals_), get<I>(run_)), ...);
    added_ = 0;
  }
  template <int... I>
  void give(index_sequence<I...>) {
    const auto one = [&](auto& totals, auto& run) {
      if constexpr (requires { totals.give(run, n_); }) totals.give(run, n_);
    };
    (one(get<I>(totals_), get<I>(run_)), ...);
  }

 public:
  explicit column_sums(index_t n) : n_(n) { clear(run_, n, set_seq{}); }
  column_sums(const column_sums&) = delete;
  column_sums& operator=(const column_sums&) = delete;

  /// Ordered: the row's places are after those before it.
  template <int Count, class Cursors, class Values = no_values>
  void add(const Cursors& cursors, const Values& values = {}, [[maybe_unused]] bool ordered = false) {
    if constexpr (in_runs) {
      const bool recentre = Set::has_near && recentres_after(each_);
      if (added_ == run_elements || recentre) end_runs(recentre, set_seq{});
      ++added_;
    }
    ++each_;
    if (Set::has_near ? each_ > far_elements : Set::has_ordered && ordered)
      accumulate_columns<Count, Set, Set::has_near || Set::has_ordered>(cursors, run_, n_, values);
    else accumulate_columns<Count, Set, false>(cursors, run_, n_, values);
  }
  const lanes_type& result() {
    if (begun_) {
      end_runs(false, set_seq{});
      give(set_seq{});
    }
    return run_;
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
