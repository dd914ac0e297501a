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
  static constexpr index_t most_remembered = dpp::tuning<dpp::row_stages, host>::most_remembered;

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
      if constexpr (S > 0 && S + 1 == Staged::count && !Together)
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

  void run() const {
    const index_t length = height * width;
    if (outer < few_rows && length > block_elements) {
      values_type values{};
      for (index_t k = 0; k < outer; ++k) stages_from<0, true>({k * height, this->at_line(k * height)}, values);
      return;
    }
    const index_t per_task = 1 + block_elements / (length > 0 ? length : 1);
    for_tasks((outer + per_task - 1) / per_task, this->cost(outer * length), [&](index_t task) {
      const index_t begin = task * per_task, end = algorithm::min(begin + per_task, outer);
      if constexpr (repeated::size > 0) {
        if (length * bytes_of_values<Sources>(repeated{}) <= most_remembered) {
          std::optional<value_arrays<repeated, Sources>> room;
          try {
            room.emplace(length);
          } catch (const std::bad_alloc&) {  // then nothing is remembered: it would only be faster
          }
          if (room) {
            remembered_values<0, typename Staged::values, repeated, Sources> values{
                {}, side_by_side<repeated, Sources>::in(*room)};
            return rows(begin, end, values);
          }
        }
      }
      values_type values{};
      rows(begin, end, values);
    });
  }
  template <class Values>
  void rows(index_t begin, index_t end, Values& values) const {
    row in{begin * height, this->at_line(begin * height)};
    for (index_t k = begin; k < end; ++k) {
      stages_from<0, false>(in, values);
      in.line += height;
      if (height == 1) in.at.next();
      else in.at.seek(in.line);
    }
  }
};

}  // namespace lazyfuse::host_detail
