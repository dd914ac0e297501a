// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows along the inner axis: a thread takes a row through all stages while it is in its cache. A row that many threads
// share is cut into blocks, as in reduce_rows.hpp; every pass takes them in the reverse of the order before.
#pragma once

#include <lazyfuse/backend/host/reduced_values.hpp>
#include <lazyfuse/backend/host/row_sums.hpp>
#include <lazyfuse/backend/host/stage_values.hpp>

#include <optional>
#include <type_traits>

namespace lazyfuse::host_detail {

template <class Staged, class Sources, class Operands, int R, class... T>
struct row_stages : stage_run<Staged, Sources, Operands, R, T...> {
  using base = stage_run<Staged, Sources, Operands, R, T...>;
  using base::height;
  using base::outer;
  using base::width;
  using typename base::position;
  using typename base::seq;
  using typename base::walk_type;
  using values_type = row_values<typename Staged::values>;
  using repeated = typename Staged::repeated;
  using tuned = dpp::tuning<dpp::row_stages, host>;
  static constexpr index_t most_remembered = tuned::most_remembered, most_together = tuned::rows_together,
                           bytes_of_remembered = bytes_of_values<Sources>(repeated{});

  /// Whether the row's results are asked for before stage S, which has these reductions.
  template <class Set, int S>
  static constexpr bool asks_before = S + 1 == Staged::count && (S > 0 || Set::has_near);

  /// A row and where it starts.
  struct row {
    index_t line;
    position at;
  };
  /// Lines [r0, r1), columns [c0, c1) of a row.
  struct block {
    index_t r0, r1, c0, c1;
  };
  index_t block_columns = (width + block_elements - 1) / block_elements;
  index_t block_lines = width >= block_elements || width == 0 ? 1 : block_elements / width;
  index_t blocks = (height + block_lines - 1) / block_lines * block_columns;

  block block_of(index_t b) const {
    if (blocks == 1) return {0, height, 0, width};
    const index_t r0 = b / block_columns * block_lines, c0 = b % block_columns * block_elements;
    return {r0, algorithm::min(r0 + block_lines, height), c0, algorithm::min(c0 + block_elements, width)};
  }
  /// Where block b starts; in `room`, unless that is where the row does.
  const position& first_line(const row& in, const block& b, std::optional<position>& room) const {
    if (b.r0 == 0) return in.at;
    return room.emplace(this->at_line(in.line + b.r0));
  }

  /// Fetch: the row's elements come from beyond the caches.
  template <class Set, class Values>
  typename Set::accumulators reduced(const row& in, const block& b, const Values& values, bool fetch) const {
    const walk_type walk = this->walk();
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    row_sums<Set> sums(fetch);
    index_t r = b.r0;
    const auto add_line = [&](const position& o) {
      for (index_t c = b.c0; c < b.c1; c += walk_type::chunk) {
        const index_t n = algorithm::min<index_t>(b.c1 - c, walk_type::chunk);
        walk.seek(cursors, packed, o.offsets, 0, c, n, repeated_elements<Set>(n), bool(this->lies));
        sums.template add<walk_type::count>(cursors, n, values.from(r * width + c));
      }
      ++r;
    };
    std::optional<position> room;
    this->for_lines(first_line(in, b, room), b.r1 - b.r0, add_line);
    return sums.result();
  }

  /// Stage S and those after it, then the results. Together: all threads work on this row.
  template <int S, bool Together, class Values>
  void stages_from(const row& in, Values& values) const {
    const auto backwards = [&](index_t b) { return S % 2 == 0 ? b : blocks - 1 - b; };
    const auto for_blocks = [&](const auto& task) {
      if constexpr (Together) for_tasks(blocks, this->cost(height * width), task);
      else
        for (index_t b = 0; b < blocks; ++b) task(b);
    };
    const auto known = values.template in_pass<S>(pass_values_of<Staged, S, Sources>(values.results, this->operands));
    if constexpr (S < Staged::count) {
      using set = typename Staged::template set<S>;
      using accumulators = typename set::accumulators;
      if constexpr (asks_before<set, S> && !Together)
        if (!this->one_result) this->ask_for_results(in.at);
      accumulators total;
      const auto one = [&](index_t b) { return reduced<set>(in, block_of(b), known, S == 0 || Together); };
      if (blocks == 1) total = one(0);
      else {
        // Results of rows before this one are stored already, so want of memory must not end here.
        const scratch<accumulators> partial(blocks, std::nothrow);
        if (partial) for_blocks([&](index_t b) { partial[backwards(b)] = one(backwards(b)); });
        total = merge_pairwise<set>(0, blocks, [&](index_t b) { return partial ? partial[b] : one(b); });
      }
      keep<set>(values.results, total);
      stages_from<S + 1, Together>(in, values);
    } else if (this->one_result) {
      this->results(in.at, 1, 0, 1, known);
    } else {
      const auto store = [&]<bool Stream>(std::bool_constant<Stream>) {
        for_blocks([&](index_t task) {
          const block b = block_of(backwards(task));
          std::optional<position> room;
          this->template results<Stream>(first_line(in, b, room), b.r1 - b.r0, b.c0, b.c1,
                                         known.from(b.r0 * width + b.c0));
        });
      };
      if constexpr (Together) {
        if (outgrows_caches(height * width * bytes_of<T...>)) return store(std::true_type{});
      }
      store(std::false_type{});
    }
  }

  /// Whether rows that follow each other along an axis are runs of the operands: these go through a stage by one call.
  bool in_runs() const {
    const auto dense = []<class V>(const target<V, R>& t) { return t.steps[R - 1] == 1; };
    const bool all_dense = [&]<int... I>(index_sequence<I...>) { return (dense(get<I>(this->targets)) && ...); }
    (make_index_sequence<sizeof...(T)>{});
    return R >= 2 && height == 1 && blocks == 1 && !this->lies && (this->one_result || all_dense);
  }
  /// Stage S of so many such rows and those after it, then the results.
  template <int S, class Values>
  void stages_of_runs(const position& first, Values* values, index_t rows) const {
    const auto known_of = [&](index_t k) {
      return values[k].template in_pass<S>(pass_values_of<Staged, S, Sources>(values[k].results, this->operands));
    };
    bare_t<decltype(known_of(0))> known[most_together];
    for (index_t k = 0; k < rows; ++k) known[k] = known_of(k);
    const walk_type walk{this->operands, this->table, R - 1, R >= 2 ? R - 2 : -1};
    if constexpr (S < Staged::count) {
      using set = typename Staged::template set<S>;
      if constexpr (asks_before<set, S>)
        if (!this->one_result) this->ask_for_results(first, rows);
      typename set::accumulators found[most_together];
      typename walk_type::cursors cursors;
      walk.seek_rows(cursors, nullptr, first.offsets, 0);
      row_sums<set> sums(S == 0);
      sums.template add<walk_type::count>(cursors, width, *known, rows, found);
      for (index_t k = 0; k < rows; ++k) keep<set>(values[k].results, found[k]);
      stages_of_runs<S + 1>(first, values, rows);
    } else if (this->one_result) {
      position at = first;
      for (index_t k = 0; k < rows; ++k, at.next()) this->results(at, 1, 0, 1, known[k]);
    } else {
      using run_type = transform_run<typename Staged::output, Operands, Sources, bare_t<decltype(*known)>, R, T...>;
      run_type{this->extents, this->operands, this->targets, walk, this->lies, width, rows, *known}.rows_of_each(
          first, rows, known);
    }
  }

  void run() const {
    const index_t length = height * width;
    if (outer < few_rows && length > block_elements) {
      values_type values{};
      for (index_t k = 0; k < outer; ++k) stages_from<0, true>({k * height, this->at_line(k * height)}, values);
      return;
    }
    const index_t per_task = 1 + block_elements / (length > 0 ? length : 1);
    const index_t bytes = algorithm::max<index_t>(
                      length * (bytes_of_position(Sources{}) + bytes_of_remembered + bytes_of<T...>), 1),
                  together = in_runs() ? algorithm::clamp<index_t>(tuned::bytes_together / bytes, 1, most_together) : 0;
    for_tasks((outer + per_task - 1) / per_task, this->cost(outer * length), [&](index_t task) {
      const index_t begin = task * per_task, end = algorithm::min(begin + per_task, outer);
      if constexpr (repeated::size > 0) {
        if (length * bytes_of_remembered <= most_remembered) {
          std::optional<value_arrays<repeated, Sources>> room;
          try {
            room.emplace(length * algorithm::max<index_t>(together, 1));
          } catch (const std::bad_alloc&) {  // then nothing is remembered: it would only be faster
          }
          if (room) {
            remembered_values<0, typename Staged::values, repeated, Sources> values[most_together];
            for (index_t k = 0; k < most_together; ++k)
              values[k] = {{}, side_by_side<repeated, Sources>::in(*room).after(k < together ? k * length : 0)};
            return rows(begin, end, values, together);
          }
        }
      }
      values_type values[most_together] = {};
      rows(begin, end, values, together);
    });
  }
  /// Together: so many at once as runs; none where they are no runs.
  template <class Values>
  void rows(index_t begin, index_t end, Values* values, index_t together) const {
    row in{begin * height, this->at_line(begin * height)};
    if constexpr (R >= 2)
      if (together > 0) {
        for (index_t k = begin, some; k < end; k += some, in.at.next(some)) {
          some = algorithm::min(algorithm::min(together, end - k), this->extents[R - 2] - in.at.at[R - 2]);
          stages_of_runs<0>(in.at, values, some);
        }
        return;
      }
    for (index_t k = begin; k < end; ++k) {
      stages_from<0, false>(in, *values);
      in.line += height;
      if (height == 1) in.at.next();
      else in.at.seek(in.line);
    }
  }
};

}  // namespace lazyfuse::host_detail
