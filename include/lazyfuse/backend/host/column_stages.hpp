// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows along other axes than the inner one: their columns lie side by side, and go through all stages together. Short
// ones do so while they are in the cache of a thread; else each pass goes through memory as it lies there.
#pragma once

#include <lazyfuse/backend/host/column_sums.hpp>
#include <lazyfuse/backend/host/stage_values.hpp>

#include <new>
#include <optional>

namespace lazyfuse::host_detail {

template <class Staged, class Sources, class Operands, int R, class... T>
struct column_stages : stage_run<Staged, Sources, Operands, R, T...> {
  using base = stage_run<Staged, Sources, Operands, R, T...>;
  using base::height;
  using base::outer;
  using base::width;
  using typename base::position;
  using typename base::seq;
  using typename base::walk_type;
  using reductions = typename Staged::reductions;
  using values_type = column_values<reductions, list<>, Sources>;
  /// What pass S computes once per column.
  template <int S>
  using made = typename Staged::template uniform<S>;
  using repeated = typename Staged::repeated;
  using tuned = dpp::tuning<dpp::row_stages, host>;
  /// Columns that a loop takes together.
  static constexpr int most_columns = [] {
    const int fit = tuned::column_bytes / bytes_of_values<Sources>(reductions{}) / 64 * 64;
    return algorithm::clamp(fit, 64, walk_type::chunk < columns_at_a_time ? walk_type::chunk : columns_at_a_time);
  }();

  template <class Set>
  using sums_type = column_sums<Set, most_columns>;

  /// Reduces rows [r0, r1) of n columns, of the rows that start at position `start`.
  template <class Set, class Values>
  void column_block(index_t start, index_t r0, index_t r1, index_t first, index_t n, Values values,
                    sums_type<Set>& sums) const {
    const walk_type walk = this->walk();
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    position next = this->at_line(start + r0);
    index_t offsets[walk_type::count + 1] = {};
    constexpr bool one_by_one = requires { values.elements; };  // each has its own of what is remembered
    const bool together = !one_by_one && R >= 2 && walk.untyped_walk().side_by_side(this->lies, R - 2, height, n);
    for (index_t r = r0; r < r1;) {
      if (R >= 2 && !this->lies) {
        const index_t left = extents_left(next, r1 - r);
        walk_type{this->operands, this->table, R - 1, R - 2}.seek_rows(cursors, nullptr, next.offsets, first);
        for (index_t k = 0; k < left;) {
          const index_t added = sums.template add<walk_type::count>(cursors, together ? left - k : 1, values);
          move_on(cursors, added, seq{});
          values.next_row(n);
          k += added;
        }
        next.next(left);
        r += left;
        continue;
      }
      algorithm::copy_n(next.offsets, this->table.count, offsets);
      next.next();
      walk.seek_columns(cursors, packed, offsets, next.offsets, first, n);
      sums.template add<walk_type::count>(cursors, 1, values);
      values.next_row(n);
      ++r;
    }
  }
  /// How many of some lines lie as the next one does.
  index_t extents_left(const position& at, index_t lines) const {
    constexpr int axis = R < 2 ? 0 : R - 2;
    return algorithm::min(this->extents[axis] - at.at[axis], lines);
  }

  /// The values of n columns with those of P..., which are computed from them and from constants, and go to `made`.
  template <class... P>
  column_values<reductions, list<P...>, Sources> with_made(const values_type& values,
                                                           const side_by_side<list<P...>, Sources>& made,
                                                           [[maybe_unused]] index_t n) const {
    if constexpr (sizeof...(P) > 0) {
      typename walk_type::cursors cursors;
      this->walk().seek_rows(cursors, nullptr, this->at_line(0).offsets, 0);
      const output_cursors<program_value_t<P, Sources>...> to{{{values_of<P>(made), 0}...}};
      transform_runs<schedule<list<P...>>, 0, walk_type::count>(cursors, to, 1, n, values);
    }
    return {values.columns, made};
  }
  /// The results of stage S for n columns.
  template <class Set, class Values>
  void reduce_columns(index_t start, index_t first, index_t n, const Values& values) const {
    sums_type<Set> sums(n);
    column_block<Set>(start, 0, height, first, n, values, sums);
    keep_columns<Set>::run(sums.result(), values, n);
  }
  /// Stage S and those after it for n columns, then the results. elements: where what is remembered of them goes, if
  /// there is room.
  template <int S, class... Elements>
  void column_stages_from(index_t start, index_t first, index_t n, const values_type& values,
                          const Elements&... elements) const {
    value_arrays<made<S>, Sources, most_columns> room(n);
    const auto of_columns = with_made(values, side_by_side<made<S>, Sources>::in(room), n);
    const auto known = [&] {
      if constexpr (sizeof...(Elements) == 0) return of_columns;
      else return remembered_columns<S, reductions, made<S>, repeated, Sources>{of_columns, elements..., n};
    }();
    if constexpr (S < Staged::count) {
      reduce_columns<typename Staged::template set<S>>(start, first, n, known);
      column_stages_from<S + 1>(start, first, n, values, elements...);
    } else {
      this->results(this->at_line(start), this->one_result ? 1 : height, first, first + n, known);
    }
  }

  /// A pass over all columns goes through memory as it lies there: tasks are some rows of some columns.
  struct column_cut {
    index_t blocks, chunks, each;  ///< of rows, of columns, and how many columns a chunk has
  };
  column_cut cut_columns(index_t each) const {
    const index_t chunks = (width + each - 1) / each;
    const index_t enough = 1 + tuned::tasks_of_pass / algorithm::max<index_t>(outer * chunks, 1),
                  most = (height + tuned::least_lines - 1) / tuned::least_lines;
    return {algorithm::clamp<index_t>(most, 1, enough), chunks, each};
  }
  /// Calls f(task, kept position, r0, r1, first column, columns) in all tasks; each pass begins where the one before
  /// stopped.
  template <int Pass, class F>
  void for_column_tasks(const column_cut& c, const F& f) const {
    const index_t tasks = outer * c.blocks * c.chunks;
    for_tasks(tasks, this->cost(outer * height * width), [&](index_t task) {
      const index_t t = Pass % 2 == 0 ? task : tasks - 1 - task;
      const index_t chunk = t % c.chunks, block = t / c.chunks % c.blocks, first = chunk * c.each;
      f(t, t / c.chunks / c.blocks, height * block / c.blocks, height * (block + 1) / c.blocks, first,
        algorithm::min(width - first, c.each));
    });
  }
  /// The values of all columns with what pass S makes of them.
  template <int S>
  auto values_in_pass(const values_type& values, value_arrays<made<S>, Sources>& room) const {
    const auto to = side_by_side<made<S>, Sources>::in(room);
    const index_t n = outer * width, each = columns_at_a_time;
    if constexpr (made<S>::size > 0)
      for_tasks((n + each - 1) / each, this->cost(n), [&](index_t task) {
        const index_t first = task * each;
        with_made(values.from(first), to.after(first), algorithm::min(n - first, each));
      });
    return column_values<reductions, made<S>, Sources>{values.columns, to};
  }
  /// Stage S and those after it for all columns, then the results.
  template <int S>
  void column_passes_from(const values_type& values) const {
    value_arrays<made<S>, Sources> room(outer * width);
    const auto known = values_in_pass<S>(values, room);
    if constexpr (S < Staged::count) {
      using set = typename Staged::template set<S>;
      using partials = partial_pack<set, most_columns>;
      const column_cut c = cut_columns(most_columns);
      const scratch<partials> partial(outer * c.blocks * c.chunks);
      for_column_tasks<S>(c, [&](index_t task, index_t k, index_t r0, index_t r1, index_t first, index_t n) {
        sums_type<set> sums(n);
        column_block<set>(k * height, r0, r1, first, n, known.from(k * width + first), sums);
        partial[task] = sums.result();
      });
      for_tasks(outer * c.chunks, this->cost(outer * c.blocks * width), [&](index_t task) {
        const index_t k = task / c.chunks, chunk = task % c.chunks, first = chunk * c.each;
        const index_t n = algorithm::min(width - first, c.each);
        const auto sums = [&](index_t block) -> partials& {
          return partial[(k * c.blocks + block) * c.chunks + chunk];
        };
        for (index_t apart = 1; apart < c.blocks; apart *= 2)
          for (index_t b = 0; b + apart < c.blocks; b += 2 * apart)
            merge_partials(sums(b), sums(b + apart), n, make_index_sequence<set::size>{});
        keep_columns<set>::run(sums(0), values.from(k * width + first), n);
      });
      column_passes_from<S + 1>(values);
    } else {
      const column_cut c = cut_columns(8 * most_columns);
      for_column_tasks<S>(c, [&](index_t, index_t k, index_t r0, index_t r1, index_t first, index_t n) {
        const index_t lines = !this->one_result ? r1 - r0 : r0 == 0 ? 1 : 0;
        this->results(this->at_line(k * height + r0), lines, first, first + n, known.from(k * width + first));
      });
    }
  }

  void run() const {
    const index_t together = columns_together(height * bytes_of_position(Sources{}), width);
    if (together == 0) {
      value_arrays<reductions, Sources> room(outer * width);
      return column_passes_from<0>({side_by_side<reductions, Sources>::in(room), {}});
    }
    const index_t pieces = tuned::tasks_of_stages / outer + 1, across = (width + pieces - 1) / pieces;
    const index_t each =
        algorithm::min(algorithm::min(algorithm::max(across, tuned::columns_of_task), together), index_t{most_columns});
    const bool remembers = height * each * bytes_of_values<Sources>(repeated{}) <= tuned::most_remembered;
    const index_t tasks = (width + each - 1) / each;
    for_tasks(outer * tasks, this->cost(outer * height * width), [&](index_t task) {
      value_arrays<reductions, Sources, most_columns> room(each);
      const values_type values{side_by_side<reductions, Sources>::in(room), {}};
      const index_t k = task / tasks, first = task % tasks * each, n = algorithm::min(width - first, each);
      if constexpr (repeated::size > 0)
        if (remembers) {
          std::optional<value_arrays<repeated, Sources>> elements;
          try {
            elements.emplace(height * n);
          } catch (const std::bad_alloc&) {  // then nothing is remembered: it would only be faster
          }
          if (elements)
            return column_stages_from<0>(k * height, first, n, values, side_by_side<repeated, Sources>::in(*elements));
        }
      column_stages_from<0>(k * height, first, n, values);
    });
  }
};

}  // namespace lazyfuse::host_detail
