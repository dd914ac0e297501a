// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform on the host: threads over blocks of rows, a vectorised loop over contiguous chunks.
#pragma once

#include <lazyfuse/backend/host/rows.hpp>
#include <lazyfuse/backend/host/threads.hpp>

namespace lazyfuse::host_detail {

template <class... T>
struct pointers : pack<T*...> {};

/// Where the inner loop writes: contiguous memory, one pointer per output.
template <class... T>
struct chunk_sink {
  const pointers<T...>& to;
  index_t i;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    get<I>(to)[i] = value;
  }
};

/// The loop everything else exists for. Inlined, g++ makes copies of it that are not vectorised.
template <class Schedule, class Cursors, class... T>
[[gnu::noinline]] void transform_chunk(const Cursors cursors, const pointers<T...> to, index_t n) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (index_t i = 0; i < n; ++i) {
    chunk_sink<T...> sink{to, i};
    evaluate<Schedule>(chunk_context<Cursors>{cursors, i}, sink);
  }
}

template <class T, int Chunk>
struct staging {
  alignas(64) T data[Chunk];
};

template <class Schedule, class Operands, class Sources, int R, class... T>
struct transform_run {
  using walk_type = row_walk<Operands, Sources, R>;
  static constexpr int chunk = walk_type::chunk;
  using to_pack = pointers<T...>;
  using seq = typename walk_type::seq;
  using target_seq = make_indices<sizeof...(T)>;

  const index_t* extents;
  const Operands& operands;
  const target_pack<R, T...>& targets;
  walk_type walk;
  index_t columns, rows;

  /// Where row `row` (offset by block row) of target I starts.
  template <int I>
  auto* target_at(const index_t* at, int row, index_t first) const {
    const auto& t = get<I>(targets);
    auto* p = t.data;
    for (int k = 0; k < R - 1; ++k) p += at[k] * t.steps[k];
    if constexpr (R > 1) p += (row > 0 ? row : 0) * t.steps[R - 2];
    if constexpr (R > 0) p += first * t.steps[R - 1];
    return p;
  }
  template <int I>
  index_t target_step() const {
    if constexpr (R > 0) return get<I>(targets).steps[R - 1];
    else return 1;
  }
  template <int... I>
  void aim_targets(to_pack& to, pack<staging<T, chunk>...>& staged, const index_t* at, int row, index_t first,
                   indices<I...>) const {
    ((get<I>(to) = target_step<I>() == 1 ? target_at<I>(at, row, first) : get<I>(staged).data), ...);
  }
  template <int... I>
  void scatter_targets(pack<staging<T, chunk>...>& staged, const index_t* at, int row, index_t first, index_t n,
                       indices<I...>) const {
    ((target_step<I>() == 1 ? void()
                            : scatter_row(target_at<I>(at, row, first), target_step<I>(), get<I>(staged).data, n)),
     ...);
  }

  /// Rows [row, row + count) of one odometer position, columns [first, last).
  template <class Odometer>
  void rows_of(const Odometer& o, int count, bool blocked, index_t first, index_t last) const {
    typename walk_type::packings packed;
    pack<staging<T, chunk>...> staged;
    typename walk_type::cursors cursors;
    to_pack to;
    const index_t width = blocked ? chunk / block_rows : chunk > 1024 && walk.repeats(seq{}) ? 1024 : chunk;
    for (index_t column = first; column < last; column += width) {
      const index_t n = last - column < width ? last - column : width;
      if (blocked) walk.pack_blocks(packed, o.offsets, count, column, n, seq{});
      for (int r = 0; r < count; ++r) {
        walk.aim(cursors, packed, o.offsets, blocked ? r : -1, column, n, blocked || column == first, seq{});
        aim_targets(to, staged, o.at, r, column, target_seq{});
        transform_chunk<Schedule>(cursors, to, n);
        scatter_targets(staged, o.at, r, column, n, target_seq{});
      }
    }
  }

  void run() const {
    constexpr index_t task_elements = 32768;
    if (rows == 1 && columns <= task_elements) {  // the divisions below cost more than a small row
      const odometer<Operands, Sources, R> o{operands, extents, 0, R - 1};
      return rows_of(o, 1, false, 0, columns);
    }
    const bool blocked = R >= 2 && walk.blocked();
    const index_t across = R >= 2 ? extents[R >= 2 ? R - 2 : 0] : 1;
    const index_t group = blocked ? block_rows : 1;
    // A task is a range of columns of some groups of rows: about 32 K elements.
    const index_t column_tasks = (columns + task_elements - 1) / task_elements;
    const index_t groups_across = (across + group - 1) / group, groups = rows / across * groups_across;
    index_t per_task = task_elements / (columns * group);
    per_task = per_task < 1 ? 1 : per_task;
    const index_t row_tasks = (groups + per_task - 1) / per_task;
    const double cost = double(columns) * double(rows) * (Schedule::cost + 1);
    for_tasks(row_tasks * column_tasks, cost, [&](index_t task) {
      const index_t part = task % column_tasks, begin = task / column_tasks * per_task;
      const index_t end = begin + per_task < groups ? begin + per_task : groups;
      const index_t first = part * task_elements,
                    last = first + task_elements < columns ? first + task_elements : columns;
      odometer<Operands, Sources, R> o{operands, extents, 0, R - 1};
      for (index_t g = begin; g < end; ++g) {
        const index_t outer = g / groups_across, inside = g % groups_across * group;
        if (group > 1 || g == begin) o.seek(outer * across + inside);
        const int count = int(across - inside < group ? across - inside : group);
        rows_of(o, count, blocked, first, last);
        if (group == 1) o.next();
      }
    });
  }
};

/// Evaluates the schedule at every position of the extents and stores its outputs.
template <class Schedule, class Sources, class Operands, int R, class... T>
void transform(const shape<R>& extents, const Operands& operands, const target_pack<R, T...>& targets) {
  using run_type = transform_run<Schedule, Operands, Sources, R, T...>;
  const index_t columns = R > 0 ? extents[R > 0 ? R - 1 : 0] : 1;
  const run_type run{extents.extent,           operands, targets,
                     {operands, R - 1, R - 2}, columns,  R > 1 ? extents.size() / columns : 1};
  run.run();
}

}  // namespace lazyfuse::host_detail
