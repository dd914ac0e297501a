// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform on the host: threads over blocks of rows, a vectorised loop over contiguous chunks.
#pragma once

#include <lazyfuse/backend/host/operand_walk.hpp>
#include <lazyfuse/backend/host/past_caches.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

namespace lazyfuse::host_detail {

/// Where the inner loop writes: contiguous memory, and where the next run starts.
template <class T>
struct output_cursor {
  T* data;
  index_t next;
  LAZYFUSE_HD void move_on(index_t runs) { data += runs * next; }
};
template <class... T>
struct output_cursors : pack<output_cursor<T>...> {};

template <class... T>
struct chunk_sink {
  static constexpr bool stores = true;
  const output_cursors<T...>& to;
  index_t i;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    get<I>(to).data[i] = value;
  }
};

/// The loop everything else exists for: runs of n elements, or of N.
template <class Schedule, int N, int Count, class Cursors, class... T, class Values = no_values>
void transform_runs(const Cursors& from, const output_cursors<T...>& targets, index_t runs, index_t n,
                    const Values& known = {}) {
  const auto loop = [](Cursors cursors, output_cursors<T...> to, index_t left, index_t length, Values values) {
    for (; left > 0; --left) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (index_t i = 0; i < (N > 0 ? N : length); ++i) {
        chunk_sink<T...> sink{to, i};
        evaluate<Schedule>(chunk_context<Cursors, Values>{cursors, values, i}, sink);
      }
      move_on(cursors, 1, make_index_sequence<Count>{});
      move_on(to, 1, make_index_sequence<sizeof...(T)>{});
      if constexpr (N > 0) values.move_on(N);
    }
  };
  in_widest_vectors(loop, from, targets, runs, n, known);
}

template <class T, int Chunk>
struct scatter_buffer {
  alignas(64) T data[Chunk];
};

template <class Cursor>
void move_by_runs(Cursor& c) {
  if constexpr (requires { c.step; }) c.next = run_length * c.step;
  else if constexpr (requires { c.next; }) c.next = run_length;
}
/// The loop of transform_runs() for runs of one row, with results that are stored past the caches; they must be ended.
template <class Schedule, class Cursors, class... T, class Values, int... I, int... J>
void stream_runs(const Cursors& from, const output_cursors<T...>& targets, index_t runs, const Values& known,
                 index_sequence<I...> operands, index_sequence<J...> results) {
  const auto loop = [](Cursors cursors, output_cursors<T...> to, index_t left, Values values,
                       index_sequence<I...> all_operands, index_sequence<J...> all_results) {
    (move_by_runs(get<I>(cursors)), ...);
    pack<scatter_buffer<T, run_length>...> made;
    output_cursors<T...> to_made;
    ((get<J>(to_made) = {get<J>(made).data, 0}), ...);
    for (; left > 0; --left) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (index_t i = 0; i < run_length; ++i) {
        chunk_sink<T...> sink{to_made, i};
        evaluate<Schedule>(chunk_context<Cursors, Values>{cursors, values, i}, sink);
      }
      (store_past_caches<run_length* int(sizeof(T))>(get<J>(to).data, get<J>(made).data), ...);
      move_on(cursors, 1, all_operands);
      move_on(to, 1, all_results);
      values.move_on(run_length);
    }
  };
  in_widest_vectors(loop, from, targets, runs, known, operands, results);
}

template <class Schedule, class Operands, class Sources, class Values, int R, class... T>
struct transform_run {
  using walk_type = row_walk<Operands, Sources, R>;
  static constexpr int chunk = walk_type::chunk;
  /// Whether rows with a repeated operand are taken in runs: a second loop to compile, for where it is likely.
  static constexpr bool by_runs = R >= 2 && walk_type::in_memory_count >= 2;
  using to_pack = output_cursors<T...>;
  using seq = typename walk_type::seq;
  using target_seq = make_index_sequence<sizeof...(T)>;

  const index_t* extents;
  const Operands& operands;
  const target_pack<R, T...>& targets;
  walk_type walk;
  index_t columns, rows;
  Values values;
  index_t origin = 0;  ///< the column of the first value
  bool blocked = R >= 2 && walk.blocked();
  bool repeats = R > 0 && walk.repeats(seq{});
  bool packs = walk.packs(seq{}) || stages(target_seq{});

  template <int I>
  index_t target_step(int axis) const {
    if constexpr (R > 0) return axis < 0 ? 0 : get<I>(targets).steps[axis];
    else return 1;
  }
  /// Whether a result is not contiguous along the row: buffers in contiguous memory and scattered.
  template <int... I>
  bool stages(index_sequence<I...>) const {
    return ((target_step<I>(R - 1) != 1) || ...);
  }
  /// Where row `row`, counted from that of the index, of target I starts.
  template <int I>
  auto* target_at(const index_t* at, int row, index_t first) const {
    auto* p = address(get<I>(targets).data) + row * target_step<I>(R - 2);
    for (int k = 0; k < R - 1; ++k) p += at[k] * target_step<I>(k);
    return p + first * target_step<I>(R - 1);
  }
  using scatter_buffers = pack<scatter_buffer<T, chunk>...>;
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
    ((target_step<I>(R - 1) == 1
          ? void()
          : scatter_row(target_at<I>(at, row, first), target_step<I>(R - 1), get<I>(buffers).data, n)),
     ...);
  }

  /// `count` rows from that of one odometer position, columns [first, last): in one go where every operand is
  /// contiguous.
  template <class Odometer>
  void rows_of(const Odometer& o, int count, index_t first, index_t last) const {
    if (blocked || repeats || packs) return prepared_rows_of(o, count, first, last);
    typename walk_type::cursors cursors;
    to_pack to;
    walk.seek_rows(cursors, nullptr, o.offsets, first, seq{});
    seek_targets(to, nullptr, o.at, 0, first, true, target_seq{});
    transform_runs<Schedule, 0, walk_type::count>(cursors, to, R >= 2 ? count : 1, last - first,
                                                  values.from(first - origin));
  }
  /// One row of results that the caches will not keep: normal stores up to where a line of the first begins. The caller
  /// ends what is stored past the caches.
  template <class Odometer>
  void stream_row(const Odometer& o, index_t first, index_t last) const {
    if (blocked || repeats || packs) return prepared_rows_of(o, 1, first, last);
    const index_t begin = algorithm::min(first + elements_to_line(target_at<0>(o.at, 0, first)), last),
                  runs = (last - begin) / run_length, end = begin + runs * run_length;
    typename walk_type::cursors cursors;
    to_pack to;
    walk.seek_rows(cursors, nullptr, o.offsets, begin, seq{});
    seek_targets(to, nullptr, o.at, 0, begin, false, target_seq{});
    const bool in_lines = [&]<int... J>(index_sequence<J...>) { return (begins_a_line(get<J>(to).data) && ...); }
    (target_seq{});
    if (!in_lines || runs < dpp::tuning<dpp::transforms, host>::streamed_runs) return rows_of(o, 1, first, last);
    if (first < begin) rows_of(o, 1, first, begin);
    stream_runs<Schedule>(cursors, to, runs, values.from(begin - origin), seq{}, target_seq{});
    if (end < last) rows_of(o, 1, end, last);
  }
  template <class Odometer>
  [[gnu::noinline]] void prepared_rows_of(const Odometer& o, int count, index_t first, index_t last) const {
    typename walk_type::packings packed;
    scatter_buffers buffers;
    typename walk_type::cursors cursors;
    to_pack to;
    const index_t width = blocked ? chunk / block_rows : packs || !by_runs ? chunk : last - first;
    // One place that calls the loop, with a number of rows not known to be one: g++ would make a copy of it for that.
    const bool together = R >= 2 && !repeats && !packs;
    const int step = together ? count : 1;
    // Of rows that are not long, what repeats is written out whole: one loop in place of runs and what they leave.
    const bool in_runs = by_runs && repeats && last - first > least_chunk;
    for (index_t column = first; column < last; column += width) {
      const index_t n = last - column < width ? last - column : width;
      if (blocked) walk.pack_blocks(packed, o.offsets, count, column, n, seq{});
      for (int r = 0; r < count; r += step) {
        if (together) walk.seek_rows(cursors, &packed, o.offsets, column, seq{});
        else walk.seek(cursors, packed, o.offsets, r, column, n, in_runs ? run_length : n, seq{});
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
        if (packs) scatter_targets(buffers, o.at, r, column, n, target_seq{});
      }
    }
  }

  void run() const {
    if (rows < 2 && columns <= block_elements) {  // the divisions below cost more than a small row
      const odometer<Operands, Sources, R> o{operands, extents, 0, R - 1};
      return rows_of(o, int(rows), 0, columns);
    }
    const index_t across = R >= 2 ? extents[R >= 2 ? R - 2 : 0] : 1;
    const index_t group = blocked ? block_rows : 1;
    // A task is a range of columns of some groups of rows: about block_elements.
    const index_t column_tasks = (columns + block_elements - 1) / block_elements;
    const index_t groups_across = (across + group - 1) / group, groups = rows / across * groups_across;
    index_t per_task = block_elements / (columns * group);
    per_task = per_task < 1 ? 1 : per_task;
    const index_t row_tasks = (groups + per_task - 1) / per_task;
    const double cost = double(columns) * double(rows) * (Schedule::cost + walk_type::cost + 1);
    using tuned = dpp::tuning<dpp::transforms, host>;
    constexpr bool may_stream = has_stores_past_caches && Schedule::cost < tuned::streamed_cost;
    const bool streams = may_stream && columns >= tuned::streamed_row && !(blocked || repeats || packs) &&
                         outgrows_caches(columns * rows * bytes_of<T...>);
    for_tasks(row_tasks * column_tasks, cost, [&](index_t task) {
      const index_t part = task % column_tasks, begin = task / column_tasks * per_task;
      const index_t end = begin + per_task < groups ? begin + per_task : groups;
      const index_t first = part * block_elements,
                    last = first + block_elements < columns ? first + block_elements : columns;
      odometer<Operands, Sources, R> o{operands, extents, 0, R - 1};
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

/// Evaluates the schedule at every position of the extents and stores its outputs.
template <class Schedule, class Sources, class Operands, int R, class... T>
void transform(const shape<R>& extents, const Operands& operands, const target_pack<R, T...>& targets) {
  using run_type = transform_run<Schedule, Operands, Sources, no_values, R, T...>;
  const index_t columns = R > 0 ? extents[R > 0 ? R - 1 : 0] : 1;
  const run_type run{
      extents.extent, operands, targets, {operands, R - 1, R - 2}, columns, R > 1 ? extents.size() / columns : 1, {}};
  run.run();
}

}  // namespace lazyfuse::host_detail
