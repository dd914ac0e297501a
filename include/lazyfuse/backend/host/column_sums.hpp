// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns side by side, each a lane, to which rows are added one after the other, in short runs as along rows.
#pragma once

#include <lazyfuse/backend/host/row_sums.hpp>

namespace lazyfuse::host_detail {

/// Whether a row of n elements does not end where the next one begins: the processor does not fetch that early.
template <class Operand>
bool has_gap(const Operand& operand, index_t n) {
  if constexpr (requires { operand.data; }) return operand.next != 0 && operand.next != n;
  else return false;
}
template <class Operand>
[[gnu::always_inline]] inline void prefetch_next(const Operand& operand, index_t i, index_t n) {
  if constexpr (requires { operand.data; }) prefetch(operand, i + operand.next, n);
}
/// Adds one row to n columns, and asks for the next one meanwhile, where the processor would not.
template <class Set, bool Near, bool InOrder, class Cursors, class Partials, class Values, int... I>
void accumulate_row(const Cursors& row, Partials& to, index_t n, const Values& values, index_sequence<I...>) {
  const bool gaps = (has_gap(get<I>(row), n) || ...);
  const index_t strip = gaps ? dpp::tuning<dpp::reductions, host>::strip_columns : n;
  for (index_t i = 0; i < n; i += strip) {
    const index_t end = algorithm::min(i + strip, n);
    if (gaps) (prefetch_next(get<I>(row), i, end - i), ...);
    add_to_partials<Set, Near, InOrder>(row, to, i, end, values);
  }
}
/// Adds some rows to n columns, added up pairwise where they are several; then they are runs of the cursors. Near: each
/// has several already. InOrder: its places are after those.
template <int Count, class Set, bool Near, bool InOrder, int Rows, class Cursors, class Partials, class Values>
void accumulate_columns(const Cursors& first, Partials& sums, index_t columns, const Values& known) {
  const auto loop = [](const Cursors& cursors, Partials* to, index_t n, const Values values) {
    if constexpr (Rows == 1) {
      accumulate_row<Set, Near, InOrder>(cursors, *to, n, values, make_index_sequence<Count>{});
    } else {
      Cursors rows[Rows];
      for (int r = 0; r < Rows; ++r) {
        rows[r] = cursors;
        move_on(rows[r], r, make_index_sequence<Count>{});
      }
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (index_t l = 0; l < n; ++l)
        add_up<Set, Rows>([&](int r) { return chunk_context<Cursors, Values>{rows[r], values, l}; }, *to, values, l);
    }
  };
  in_widest_vectors<reads_plain<Cursors> && adds_plain<Set>>(columns, loop, first, &sums, columns, known);
}

/// The reductions of Set over n of at most N columns: add() each row, then result().
template <class Set, int N>
class column_sums {
  using set_seq = make_index_sequence<Set::size>;
  using partials = partial_pack<Set, N>;
  using totals = typename each_of<run_totals, Set, N>::type;
  static constexpr bool in_runs = Set::has_rounding || Set::has_near;

  partials run_;
  totals totals_;
  index_t n_;
  index_t added_ = 0;            ///< to each column in this run
  index_t each_ = 0;             ///< rows
  index_t next_ = far_elements;  ///< after how many the columns are recentred
  bool begun_ = false, fresh_ = false;

  template <int... I>
  static void clear(auto& to, index_t n, index_sequence<I...>) {
    (get<I>(to).clear(n), ...);
  }
  template <int... I>
  static void end_runs_of(totals& to, partials& from, index_t n, bool recentre, index_sequence<I...>) {
    const auto one = [&](auto& ended, auto& run) {
      if constexpr (requires { ended.end_run(run, n, recentre); }) ended.end_run(run, n, recentre);
    };
    (one(get<I>(to), get<I>(from)), ...);
  }
  void end_runs(bool recentre) {
    if (!begun_) clear(totals_, n_, set_seq{});
    begun_ = true;
    end_runs_of(totals_, run_, n_, recentre, set_seq{});
    added_ = 0;
    if (recentre) next_ = next_recentring(each_);
  }
  template <int... I>
  index_t count(index_t rows, index_sequence<I...>) {
    const auto one = [rows](auto& sums) {
      if constexpr (requires { sums.added(rows); }) sums.added(rows);
    };
    (one(get<I>(run_)), ...);
    each_ += rows;
    return rows;
  }
  template <int... I>
  void give(index_sequence<I...>) {
    const auto one = [&](auto& ended, auto& run) {
      if constexpr (requires { ended.give(run, n_); }) ended.give(run, n_);
    };
    (one(get<I>(totals_), get<I>(run_)), ...);
  }

 public:
  explicit column_sums(index_t n) : n_(n) { clear(run_, n, set_seq{}); }
  /// Of N columns, to which rows are added in turns: cleared in registers.
  column_sums() : n_(N), fresh_(true) {}
  column_sums(const column_sums&) = delete;
  column_sums& operator=(const column_sums&) = delete;

  /// Adds one row, or several of the `rows` that are runs of the cursors. Returns how many. Ordered: their places are
  /// after those before them.
  template <int Count, class Cursors, class Values = no_values>
  index_t add(const Cursors& cursors, [[maybe_unused]] index_t rows, const Values& values = {},
              [[maybe_unused]] bool ordered = false) {
    constexpr bool cheap = Set::prologue::cost < dpp::tuning<dpp::reductions, host>::cheap_columns;
    constexpr int together = cheap ? turns_together<Set> : 1;
    const bool near = Set::has_near && each_ >= far_elements, in_order = Set::has_ordered && ordered;
    if constexpr (in_runs) {
      const bool recentre = Set::has_near && each_ >= next_;
      if (added_ == run_elements || recentre) end_runs(recentre);
      ++added_;
    }
    if constexpr (together > 1)
      if (rows >= together && (near || !Set::has_near)) {
        accumulate_columns<Count, Set, Set::has_near, false, together>(cursors, run_, n_, values);
        return count(together, set_seq{});
      }
    constexpr bool may_be_near = Set::has_near, may_be_in_order = Set::has_ordered;
    if (near && in_order) accumulate_columns<Count, Set, may_be_near, may_be_in_order, 1>(cursors, run_, n_, values);
    else if (near) accumulate_columns<Count, Set, may_be_near, false, 1>(cursors, run_, n_, values);
    else if (in_order) accumulate_columns<Count, Set, false, may_be_in_order, 1>(cursors, run_, n_, values);
    else accumulate_columns<Count, Set, false, false, 1>(cursors, run_, n_, values);
    return count(1, set_seq{});
  }
  /// How many rows of N columns are added up before the sums take them. What is the same in all rows is there as often.
  static constexpr index_t together = turns_together<Set>;
  /// Adds rows that are runs of the cursors to N columns, in a function for wide vectors.
  template <int Count, class Cursors>
  [[gnu::always_inline]] void add_rows(Cursors from, index_t rows) {
    add_in_turns(
        rows, [&]<int Each>(partials & run) __attribute__((always_inline)) {
          const no_values none{};
#if !defined(__clang__)
#pragma GCC ivdep
#endif
          for (index_t l = 0; l < N; ++l)
            add_up<Set, Each>([&](int k) { return chunk_context<Cursors>{from, none, k * N + l}; }, run, none, l);
          skip(from, Each * N, make_index_sequence<Count>{});
        });
  }
  /// Calls add<Each>(sums) to add Each more of the rows. The sums are a copy, which the compiler keeps
  /// in registers; left to itself g++ makes a function of it, for any processor.
  template <class Add>
  [[gnu::always_inline]] void add_in_turns(index_t rows, const Add& add) {
    static_assert(!Set::has_near && !Set::has_ordered);
    partials run;
    if (fresh_) clear(run, N, set_seq{});
    else run = run_;
    fresh_ = false;
    const auto turns_of = [&]<int Each>(index_t turns) __attribute__((always_inline)) {
      rows -= turns * Each;
      added_ += turns;
      for (; turns > 0; --turns) add.template operator()<Each>(run);
    };
    for (;;) {
      const index_t room = in_runs ? run_elements - added_ : rows;
      if (together > 1 && rows >= together)
        turns_of.template operator()<int(together)>(algorithm::min(rows / together, room));
      else turns_of.template operator()<1>(algorithm::min(rows, room));
      if (rows == 0) break;
      if (in_runs && added_ == run_elements) {
        if (!begun_) clear(totals_, N, set_seq{});
        begun_ = true;
        end_runs_of(totals_, run, N, false, set_seq{});
        added_ = 0;
      }
    }
    run_ = run;
  }
  const partials& result() {
    if (begun_) {
      end_runs(false);
      give(set_seq{});
    }
    return run_;
  }
};

/// Combines the first n lanes with those of the same number.
template <class Partials, int... I>
void merge_partials(Partials& to, const Partials& from, index_t n, index_sequence<I...>) {
  const auto one = [&](auto& sums, const auto& more) {
    if constexpr (requires { sums.merge(more, n); }) sums.merge(more, n);
    else
      for (index_t l = 0; l < n; ++l) sums.combine(l, more.at(l));
  };
  (one(get<I>(to), get<I>(from)), ...);
}

/// Columns of a tile whose sums have so many bytes each: they fill about a quarter of the registers.
constexpr int width_of_tile(int bytes) {
  const int most = reduce_tuning::tile_bytes / bytes;
  return most >= 32 ? 32 : most >= 16 ? 16 : 8;
}
/// Of several sums that take several rows at once each does, from memory.
template <class Set>
inline constexpr int bytes_of_column = turns_together<Set> > 1 ? int(sizeof(typename Set::template value_type<0>))
                                                               : int(sizeof(typename Set::accumulators));

}  // namespace lazyfuse::host_detail
