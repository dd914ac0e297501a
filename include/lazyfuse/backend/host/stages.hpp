// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows on the host: a row, or a block of columns, passes through all stages while it is in the cache. A row that many
// threads share is cut into blocks, as in reduce.hpp; every pass takes them in the reverse of the order before.
#pragma once

#include <lazyfuse/backend/host/reduce.hpp>
#include <lazyfuse/backend/host/transform.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::host_detail {

/// The results of reductions over one row.
template <class Values>
struct row_values {
  Values known;
  template <class P>
  LAZYFUSE_HD auto at(index_t) const {
    return shared_of<P>(known);
  }
  LAZYFUSE_HD const row_values& from(index_t) const { return *this; }
  LAZYFUSE_HD void move_on(index_t) {}
};

/// The results of reductions over columns, side by side.
template <class P, class T>
struct column_value {
  T* data;
};
template <class P, class T>
LAZYFUSE_HD T* column_of(const column_value<P, T>& c) {
  return c.data;
}
template <class Values>
struct column_values;
template <class... P, class Sources>
struct column_values<stages_detail::values<list<P...>, Sources>> : column_value<P, program_value_t<P, Sources>>... {
  template <class Q>
  LAZYFUSE_HD auto at(index_t i) const {
    return column_of<Q>(*this)[i];
  }
  LAZYFUSE_HD column_values from(index_t n) const { return {{column_of<P>(*this) + n}...}; }
  LAZYFUSE_HD void move_on(index_t n) { *this = from(n); }
};
template <class Values, int Width>
struct column_room;
template <class... P, class Sources, int Width>
struct column_room<stages_detail::values<list<P...>, Sources>, Width> {
  template <class Q>
  struct room {
    alignas(64) program_value_t<Q, Sources> data[Width];
  };
  struct : room<P>... {
  } rooms;
  column_values<stages_detail::values<list<P...>, Sources>> values() {
    return {{static_cast<room<P>&>(rooms).data}...};
  }
};
template <class Set, class Reductions = typename Set::reductions>
struct keep_columns;
template <class Set, class... R>
struct keep_columns<Set, list<R...>> {
  template <class Lanes, class Values>
  static void run(const Lanes& from, const Values& to, index_t n) {
    const auto one = [&](const auto& lanes, auto* data) {
      for (index_t i = 0; i < n; ++i) data[i] = lanes.at(i);
    };
    (one(get<Set::template index_of<R>>(from), column_of<R>(to)), ...);
  }
};

/// The axes are [outer kept axes | axes of the row | the axis of the inner loop]; the inner loop runs along the row, or
/// (columns) along a kept axis.
template <class Staged, class Sources, bool Columns, class Operands, int R, class... T>
struct row_run {
  using values_type = typename Staged::values;
  using walk_type = row_walk<Operands, Sources, R>;
  using seq = typename walk_type::seq;
  using position = odometer<Operands, Sources, R>;
  static constexpr index_t block_elements = 32768, column_block = 256;
  /// Columns that are taken together: few enough for the caches to hold a block of them over all stages.
  static constexpr int most_columns = walk_type::chunk < columns_at_a_time ? walk_type::chunk : columns_at_a_time;

  const index_t* extents;
  const Operands& operands;
  const target_pack<R, T...>& targets;
  bool one_result;
  index_t outer, height, width;  ///< kept positions without the inner axis, positions of the row likewise, inner axis

  double cost(index_t elements) const { return double(elements) * (Staged::cost + 1); }

  // ---- along the row --------------------------------------------------------------------------------
  /// Reduces rows [r0, r1), columns [c0, c1) of the row that starts at position `start`.
  template <class Set, class Values>
  typename Set::accumulators block(index_t start, index_t r0, index_t r1, index_t c0, index_t c1,
                                   const Values& values) const {
    constexpr auto set_seq = make_indices<Set::size>{};
    const walk_type walk{operands, R - 1, -1};
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    lane_pack<Set, lane_count> sums;
    clear_lanes<Set, lane_count>(sums, lane_count, set_seq);
    position o{operands, extents, 0, R - 1};
    o.seek(start + r0);
    for (index_t r = r0; r < r1; ++r, o.next())
      for (index_t c = c0; c < c1; c += walk_type::chunk) {
        const index_t n = c1 - c < walk_type::chunk ? c1 - c : walk_type::chunk;
        walk.aim(cursors, packed, o.offsets, 0, c, n, lane_count, seq{});
        accumulate_row<walk_type::count, Set>(cursors, sums, n, values);
      }
    fold_lanes(sums, set_seq);
    return lane<Set>(sums, 0, set_seq);
  }

  /// How a row is cut into blocks, whoever runs them.
  struct cut {
    index_t columns, rows_each, count;  ///< blocks along the inner axis, rows of each, blocks
  };
  cut cuts() const {
    const index_t columns = (width + block_elements - 1) / block_elements;
    const index_t rows_each = width >= block_elements || width == 0 ? 1 : block_elements / width;
    return {columns, rows_each, (height + rows_each - 1) / rows_each * columns};
  }
  /// Calls f(r0, r1, c0, c1) for block b.
  template <class F>
  decltype(auto) in_block(const cut& c, index_t b, const F& f) const {
    const index_t r = b / c.columns * c.rows_each, first = b % c.columns * block_elements;
    return f(r, r + c.rows_each < height ? r + c.rows_each : height, first,
             first + block_elements < width ? first + block_elements : width);
  }

  /// Stage S and those after it, then the results. Together: all threads work on this row.
  template <int S>
  void stages_from(index_t start, row_values<values_type>& values, bool together) const {
    const cut c = cuts();
    const auto backwards = [&](index_t b) { return S % 2 == 0 ? b : c.count - 1 - b; };
    if constexpr (S < Staged::count) {
      using set = typename Staged::template set<S>;
      using accumulators = typename set::accumulators;
      const auto one = [&](index_t b) {
        return in_block(c, b, [&](auto... at) { return block<set>(start, at..., values); });
      };
      accumulators total;
      if (c.count == 1) total = one(0);
      else {
        const std::unique_ptr<accumulators[]> partial(new accumulators[c.count]);
        const auto task = [&](index_t b) { partial[backwards(b)] = one(backwards(b)); };
        if (together) for_tasks(c.count, cost(height * width), task);
        else
          for (index_t b = 0; b < c.count; ++b) task(b);
        total = merge_pairwise<set>(0, c.count, [&](index_t b) { return partial[b]; });
      }
      keep<set>(values.known, total);
      stages_from<S + 1>(start, values, together);
    } else {
      const auto store = [&](index_t b) {
        in_block(c, backwards(b),
                 [&](index_t r0, index_t r1, index_t c0, index_t c1) { results(start, r0, r1, c0, c1, values); });
      };
      if (one_result) results(start, 0, 1, 0, 1, values);
      else if (together) for_tasks(c.count, cost(height * width), store);
      else
        for (index_t b = 0; b < c.count; ++b) store(b);
    }
  }

  void rows() const {
    const index_t length = height * width;
    row_values<values_type> values;
    if (outer < few_rows && length > block_elements) {
      for (index_t k = 0; k < outer; ++k) stages_from<0>(k * height, values, true);
      return;
    }
    const index_t per_task = 1 + block_elements / (length > 0 ? length : 1);
    for_tasks((outer + per_task - 1) / per_task, cost(outer * length), [&](index_t task) {
      row_values<values_type> mine;
      const index_t end = (task + 1) * per_task < outer ? (task + 1) * per_task : outer;
      for (index_t k = task * per_task; k < end; ++k) stages_from<0>(k * height, mine, false);
    });
  }

  // ---- along a kept axis ----------------------------------------------------------------------------
  template <int S, class Values>
  void column_stages_from(index_t start, index_t first, index_t n, const Values& values) const {
    if constexpr (S < Staged::count) {
      using set = typename Staged::template set<S>;
      constexpr auto set_seq = make_indices<set::size>{};
      const walk_type walk{operands, R - 1, -1};
      typename walk_type::packings packed;
      typename walk_type::cursors cursors;
      lane_pack<set, most_columns> sums, block;
      clear_lanes<set, most_columns>(sums, n, set_seq);
      position o{operands, extents, 0, R - 1};
      o.seek(start);
      // The error of a sum grows with what is added one by one: blocks of rows are summed for themselves.
      for (index_t r = 0; r < height;) {
        const index_t end = height - r < column_block ? height : r + column_block;
        const bool more = r > 0;
        lane_pack<set, most_columns>& to = more ? block : sums;
        if (more) clear_lanes<set, most_columns>(block, n, set_seq);
        for (; r < end; ++r, o.next()) {
          walk.aim(cursors, packed, o.offsets, 0, first, n, n, seq{});
          accumulate_columns<set>(cursors, to, n, values);
        }
        if (more) merge_lanes(sums, block, n, set_seq);
      }
      keep_columns<set>::run(sums, values, n);
      column_stages_from<S + 1>(start, first, n, values);
    } else {
      results(start, 0, one_result ? 1 : height, first, first + n, values);
    }
  }
  void columns() const {
    const index_t pieces = 8 / outer + 1;
    index_t across = (width + pieces - 1) / pieces;
    across = across < 64 ? 64 : across > most_columns ? most_columns : across;
    const index_t tasks = (width + across - 1) / across;
    for_tasks(outer * tasks, cost(outer * height * width), [&](index_t task) {
      column_room<values_type, most_columns> room;
      const index_t first = task % tasks * across, n = width - first < across ? width - first : across;
      column_stages_from<0>(task / tasks * height, first, n, room.values());
    });
  }

  /// Stores the results of rows [r0, r1), columns [c0, c1).
  template <class Values>
  void results(index_t start, index_t r0, index_t r1, index_t c0, index_t c1, const Values& values) const {
    using run_type = transform_run<typename Staged::output, Operands, Sources, Values, R, T...>;
    const run_type run{extents, operands, targets, {operands, R - 1, -1}, c1 - c0, r1 - r0, values, c0};
    position o{operands, extents, 0, R - 1};
    o.seek(start + r0);
    for (index_t r = r0; r < r1; ++r, o.next()) run.rows_of(o, 1, c0, c1);
  }
};

/// Evaluates the stages and stores the results. The axes are [Outer kept axes | axes of the row | inner axis], see
/// row_run.
template <class Staged, class Sources, int Outer, bool Columns, class Operands, int R, class... T>
void rows(const shape<R>& extents, const Operands& operands, const target_pack<R, T...>& targets, bool one_result) {
  index_t outer = 1, height = 1;
  for (int k = 0; k < R - 1; ++k) (k < Outer ? outer : height) *= extents[k];
  const row_run<Staged, Sources, Columns, Operands, R, T...> run{extents.extent, operands, targets,       one_result,
                                                                 outer,          height,   extents[R - 1]};
  if constexpr (Columns) run.columns();
  else run.rows();
}

}  // namespace lazyfuse::host_detail
