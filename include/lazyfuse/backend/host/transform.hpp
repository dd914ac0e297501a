// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform on the host: threads over blocks of rows, whose elements the loops of transform_loops.hpp find next to each
// other.
#pragma once

#include <lazyfuse/backend/host/boxes.hpp>
#include <lazyfuse/backend/host/common_divisors.hpp>
#include <lazyfuse/backend/host/row_copies.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/host/transform_loops.hpp>

namespace lazyfuse::host_detail {

/// Whether values are the same for all elements.
template <class Values>
inline constexpr bool one_for_all = __is_same(Values, no_values) || requires {
  requires Values::one_for_all;
};

template <class Schedule, class Operands, class Sources, class Values, int R, class... T>
struct transform_run {
  using walk_type = row_walk<Operands, Sources, R>;
  static constexpr int chunk = walk_type::chunk;
  /// Whether rows with a repeated operand are taken in runs: a second loop to compile, for where it is likely.
  static constexpr bool by_runs = R >= 2 && walk_type::in_memory_count >= 2;
  using to_pack = output_cursors<T...>;
  using position = typename walk_type::position;
  using tuned = dpp::tuning<dpp::transforms, host>;
  using seq = typename walk_type::seq;
  using target_seq = make_index_sequence<sizeof...(T)>;

  const index_t* extents;
  const Operands& operands;
  const target_pack<R, T...>& targets;
  walk_type walk;
  row_layout operands_lie;
  index_t columns, rows;
  Values values;
  index_t origin = 0;                       ///< the column of the first value
  bool scatters = has_apart(target_seq{});  ///< results, from contiguous memory
  bool prepares = operands_lie || scatters;

  template <int I>
  index_t target_step(int axis) const {
    if constexpr (R > 0) return axis < 0 ? 0 : get<I>(targets).steps[axis];
    else return 1;
  }
  /// Whether a result is not contiguous along the row.
  template <int... I>
  bool has_apart(index_sequence<I...>) const {
    return ((target_step<I>(R - 1) != 1) || ...);
  }
  /// Where row `row`, counted from that of the index, of target I starts.
  template <int I>
  auto* target_at(const index_t* at, int row, index_t first) const {
    auto* p = address(get<I>(targets).data) + row * target_step<I>(R - 2);
    for (int k = 0; k < R - 1; ++k) p += at[k] * target_step<I>(k);
    return p + first * target_step<I>(R - 1);
  }
  using scatter_buffers = pack<made_values<T, chunk>...>;
  template <int... I>
  void seek_targets(to_pack& to, scatter_buffers* buffers, const index_t* at, int row, index_t first, bool by_rows,
                    index_sequence<I...>) const {
    ((get<I>(to) = {target_step<I>(R - 1) == 1 ? target_at<I>(at, row, first) : get<I>(*buffers).data,
                    by_rows ? target_step<I>(R - 2) : run_length}),
     ...);
  }
  template <int... I>
  void scatter_targets(scatter_buffers& buffers, const index_t* at, int row, index_t first, index_t n,
                       index_sequence<I...>) const {
    const auto bytes = [](auto* p) { return reinterpret_cast<std::byte*>(p); };
    ((target_step<I>(R - 1) == 1 ? void()
                                 : scatter_rows(bytes(target_at<I>(at, row, first)), bytes(get<I>(buffers).data),
                                                int(sizeof(T)), 0, target_step<I>(R - 1), 1, n)),
     ...);
  }

  /// `count` rows from that of one odometer position, columns [first, last): in one go where every operand is
  /// contiguous.
  void rows_of(const position& o, int count, index_t first, index_t last) const {
    if (prepares) return prepared_rows_of(o, count, first, last);
    typename walk_type::cursors cursors;
    to_pack to;
    walk.seek_rows(cursors, nullptr, o.offsets, first);
    seek_targets(to, nullptr, o.at, 0, first, true, target_seq{});
    transform_runs<Schedule, 0, walk_type::count>(cursors, to, R >= 2 ? count : 1, last - first,
                                                  values.from(first - origin));
  }
  /// The same of rows with values of each, where every operand and result is contiguous.
  void rows_of_each(const position& o, index_t count, const Values* each) const {
    typename walk_type::cursors cursors;
    to_pack to;
    walk.seek_rows(cursors, nullptr, o.offsets, 0);
    seek_targets(to, nullptr, o.at, 0, 0, true, target_seq{});
    transform_runs<Schedule, 0, walk_type::count>(cursors, to, count, columns, *each, true);
  }
  /// One row of results that the caches will not keep: normal stores up to where a line of the first begins. The caller
  /// ends what is stored past the caches.
  void stream_row(const position& o, index_t first, index_t last) const {
    if (prepares) return prepared_rows_of(o, 1, first, last);
    const index_t begin = algorithm::min(first + elements_to_line(target_at<0>(o.at, 0, first)), last),
                  runs = (last - begin) / run_length, end = begin + runs * run_length;
    typename walk_type::cursors cursors;
    to_pack to;
    walk.seek_rows(cursors, nullptr, o.offsets, begin);
    seek_targets(to, nullptr, o.at, 0, begin, false, target_seq{});
    const bool in_lines = [&]<int... J>(index_sequence<J...>) { return (begins_a_line(get<J>(to).data) && ...); }
    (target_seq{});
    if (!in_lines || runs < tuned::streamed_runs) return rows_of(o, 1, first, last);
    if (first < begin) rows_of(o, 1, first, begin);
    stream_runs<Schedule>(cursors, to, runs, values.from(begin - origin), seq{}, target_seq{});
    if (end < last) rows_of(o, 1, end, last);
  }
  [[gnu::noinline]] void prepared_rows_of(const position& o, int count, index_t first, index_t last) const {
    typename walk_type::packings packed;
    scatter_buffers buffers;
    typename walk_type::cursors cursors;
    to_pack to;
    const bool blocked = operands_lie.blocked, repeats = operands_lie.repeats, packs = operands_lie.packs || scatters;
    const index_t width = blocked ? chunk / block_rows : packs || !by_runs ? chunk : last - first;
    // One place that calls the loop, with a number of rows not known to be one: g++ would make a copy of it for that.
    const bool together = R >= 2 && !repeats && !packs;
    const int step = together ? count : 1;
    // Of rows that are not long, what repeats is written out whole: one loop in place of runs and what they leave.
    const bool in_runs = by_runs && repeats && last - first > least_chunk;
    for (index_t column = first; column < last; column += width) {
      const index_t n = last - column < width ? last - column : width;
      if (blocked) walk.pack_blocks(packed, o.offsets, count, column, n);
      for (int r = 0; r < count; r += step) {
        if (together) walk.seek_rows(cursors, &packed, o.offsets, column);
        else walk.seek(cursors, packed, o.offsets, r, column, n, in_runs ? run_length : n);
        seek_targets(to, &buffers, o.at, r, column, together, target_seq{});
        index_t done = 0;
        if constexpr (by_runs) {
          if (const index_t runs = in_runs ? n / run_length : 0) {
            done = runs * run_length;
            transform_runs<Schedule, run_length, walk_type::count>(cursors, to, runs, run_length,
                                                                   values.from(column - origin));
            move_on(cursors, runs, seq{});
            move_on(to, runs, target_seq{});
          }
        }
        if (done < n)
          transform_runs<Schedule, 0, walk_type::count>(cursors, to, step, n - done,
                                                        values.from(column + done - origin));
        if (scatters) scatter_targets(buffers, o.at, r, column, n, target_seq{});
      }
    }
  }

  // ---- short rows -----------------------------------------------------------------------------------
  /// Several rows are taken at once where they are short, if something is to be copied for them.
  static constexpr bool may_gather = R >= 2 && walk_type::all_in_memory && one_for_all<Values>;

  /// Returns whether it was worth it.
  bool gathered() const {
    strided results[sizeof...(T)];
    [&]<int... I>(index_sequence<I...>) {
      ((results[I] = {reinterpret_cast<std::byte*>(address(get<I>(targets).data)), get<I>(targets).steps.step,
                      int(sizeof(T)), 0, true}),
       ...);
    }
    (target_seq{});
    const short_rows all{walk.table.all, walk.table.count, results, sizeof...(T), extents, R};
    if (!worth_gathering(all, rows, operands_lie.blocked)) return false;
    gather_rows(all, rows, cost(), [this](const gathered_rows& some) {
      typename walk_type::cursors cursors;
      to_pack to;
      walk.set_all(cursors, some.read);
      [&]<int... I>(index_sequence<I...>) { ((get<I>(to) = {reinterpret_cast<T*>(some.written[I].data), 0}), ...); }
      (target_seq{});
      transform_runs<Schedule, 0, walk_type::count>(cursors, to, 1, some.count * columns, values);
    });
    return true;
  }
  double cost() const { return double(columns) * double(rows) * (Schedule::cost + walk_type::cost + 1); }

  /// One row of a task, unless a result of it has gaps.
  static bool dense_row(const Operands& operands, const target_pack<R, T...>& targets, index_t columns,
                        const Values& values) {
    const auto dense = []<class V>(const target<V, R>& t) { return R > 0 && t.steps[R > 0 ? R - 1 : 0] == 1; };
    return [&]<int... I>(index_sequence<I...>) {
      if (!(dense(get<I>(targets)) && ...)) return false;
      typename walk_type::cursors cursors;
      walk_type::seek_dense_row(cursors, operands);
      const to_pack to{{{address(get<I>(targets).data), 0}...}};
      transform_runs<Schedule, 0, walk_type::count>(cursors, to, 1, columns, values);
      return true;
    }
    (target_seq{});
  }
  void run() const {
    if constexpr (may_gather)
      if ((operands_lie.repeats || operands_lie.packs || scatters) && columns <= tuned::gathered_row && gathered())
        return;
    const index_t across = R >= 2 ? extents[R >= 2 ? R - 2 : 0] : 1;
    const bool blocked = operands_lie.blocked;
    // The divisions below cost more than a few small rows.
    if (rows == across && rows * columns <= block_elements && (!blocked || rows <= block_rows)) {
      const position o{&walk.table, extents, 0, R - 1};
      return rows_of(o, int(rows), 0, columns);
    }
    const index_t group = blocked ? block_rows : 1;
    // A task is a range of columns of some groups of rows: about block_elements.
    const index_t column_tasks = (columns + block_elements - 1) / block_elements;
    const index_t groups_across = (across + group - 1) / group, groups = rows / across * groups_across;
    index_t per_task = block_elements / (columns * group);
    per_task = per_task < 1 ? 1 : per_task;
    const index_t row_tasks = (groups + per_task - 1) / per_task;
    constexpr bool may_stream = has_stores_past_caches && Schedule::cost < tuned::streamed_cost;
    const bool streams =
        may_stream && columns >= tuned::streamed_row && !prepares && outgrows_caches(columns * rows * bytes_of<T...>);
    for_tasks(row_tasks * column_tasks, cost(), [&](index_t task) {
      const index_t part = task % column_tasks, begin = task / column_tasks * per_task;
      const index_t end = begin + per_task < groups ? begin + per_task : groups;
      const index_t first = part * block_elements,
                    last = first + block_elements < columns ? first + block_elements : columns;
      position o{&walk.table, extents, 0, R - 1};
      for (index_t g = begin; g < end;) {
        if (blocked || g == begin) o.seek(g / groups_across * across + g % groups_across * group);
        if constexpr (may_stream) {
          if (streams) {
            stream_row(o, first, last);
            o.next();
            ++g;
            continue;
          }
        }
        const index_t left = across - (R >= 2 ? o.at[R >= 2 ? R - 2 : 0] : 0), most = blocked ? group : end - g;
        const index_t count = left < most ? left : most;
        rows_of(o, int(count), first, last);
        o.next(count);
        g += blocked ? 1 : count;
      }
      if (streams) end_of_stores_past_caches();
    });
  }
};

/// The same with values that are known before.
template <class Schedule, class Sources, class Operands, class Values, int R, class... T>
void transform_with(const Values& values, const shape<R>& extents, const Operands& operands,
                    const target_pack<R, T...>& targets) {
  using run_type = transform_run<Schedule, Operands, Sources, Values, R, T...>;
  using walk_type = typename run_type::walk_type;
  const index_t columns = R > 0 ? extents[R > 0 ? R - 1 : 0] : 1, rows = R > 1 ? extents.size() / columns : 1;
  if (R > 0 && rows == 1 && columns <= block_elements && walk_type::is_dense_row(operands))
    if (run_type::dense_row(operands, targets, columns, values)) return;
  const auto table = walk_type::table_of(operands, extents.extent);
  const walk_type walk{operands, table, R - 1, R - 2};
  const run_type run{extents.extent, operands, targets, walk, walk.layout(), columns, rows, values};
  run.run();
}

/// Evaluates the schedule at every position of the extents and stores its outputs.
template <class Schedule, class Sources, class Operands, int R, class... T>
void transform(const shape<R>& extents, const Operands& operands, const target_pack<R, T...>& targets) {
  using divided = common_divisors<Schedule, Sources>;
  if constexpr (R >= 2 && copies_rows<Schedule, Sources, T...>)
    if (copy_rows(extents, operands, get<0>(targets))) return;
  if constexpr (R >= 1 && copies_boxes<Schedule, Sources, T...>)
    if (copy_boxes<Schedule, Sources>::run(extents, operands, get<0>(targets))) return;
  if constexpr (divided::any)
    transform_with<typename divided::schedule_type, Sources>(divided::of(operands), extents, operands, targets);
  else transform_with<Schedule, Sources>(no_values{}, extents, operands, targets);
}

}  // namespace lazyfuse::host_detail
