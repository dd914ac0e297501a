// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans on the host: what is scanned is evaluated in chunks, combined in place, and read by the epilogue. A long row is
// cut into blocks, which threads share; the bits are the same for any number of threads.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/host/scan_runs.hpp>
#include <lazyfuse/backend/host/stage_values.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/program/scans.hpp>

namespace lazyfuse::host_detail {

/// The results of scans, side by side.
template <class Scans, class Sources>
struct scan_values {
  side_by_side<Scans, Sources> elements;
  template <class P>
  LAZYFUSE_HD auto at(index_t i) const {
    return values_of<P>(elements)[i];
  }
  LAZYFUSE_HD scan_values from(index_t n) const { return {elements.after(n)}; }
  LAZYFUSE_HD void move_on(index_t n) { elements = elements.after(n); }
};

template <class Set, class Epilogue, class Sources, class Operands, class Targets>
struct scan_run_of;
template <class Set, class Epilogue, class Sources, class Operands, int R, class... T>
struct scan_run_of<Set, Epilogue, Sources, Operands, target_pack<R, T...>> {
  static_assert(R > 0);
  using scans = typename Set::scans;
  using values_type = scan_values<scans, Sources>;
  using results_run = transform_run<Epilogue, Operands, Sources, values_type, R, T...>;
  static constexpr auto scan_indices = make_index_sequence<Set::size>{};
  using walk_type = typename results_run::walk_type;
  using position = typename walk_type::position;
  static constexpr int chunk = results_run::chunk;
  static constexpr int most_columns = chunk < columns_at_a_time ? chunk : columns_at_a_time;
  using buffers = value_arrays<scans, Sources, chunk>;

  template <int... I>
  static auto totals_of(index_sequence<I...>)
      -> pack<running_total<typename Set::template monoid<I>, typename Set::template value_type<I>>...>;
  using totals = decltype(totals_of(scan_indices));
  template <int... I>
  static auto prologue_targets(index_sequence<I...>) -> target_pack<R, typename Set::template value_type<I>...>;
  using elements_to = decltype(prologue_targets(scan_indices));

  const shape<R>& extents;
  const Operands& operands;
  const target_pack<R, T...>& targets;
  index_t width = extents[R - 1];
  typename walk_type::table_type table = walk_type::table_of(operands, extents.extent);
  row_layout lies = walk().layout();
  /// Whether results go past the caches, which will not keep them: of pieces of so many elements that are written at a
  /// time.
  using transforms = dpp::tuning<dpp::transforms, host>;
  static constexpr bool may_stream = has_stores_past_caches && Epilogue::cost < transforms::streamed_cost;
  bool streams(index_t piece) const {
    return may_stream && piece >= scan_tuning::streamed && outgrows_caches(extents.size() * bytes_of<T...>);
  }

  /// The operands at `line`, counted over all axes but the last.
  position at_line(index_t line) const {
    position o{&table, extents.extent, 0, R - 1};
    o.seek(line);
    return o;
  }
  walk_type walk() const { return {operands, table, R - 1, R - 2}; }
  template <int... I>
  elements_to beside(const values_type& to, index_t first, index_sequence<I...>) const {
    elements_to t;
    const auto one = [&](auto& target, auto* data) {
      target = {data - first, {}};
      target.steps[R - 1] = 1;
    };
    (one(get<I>(t), values_of<type_at_of<I>>(to.elements)), ...);
    return t;
  }
  template <int I, class... S>
  static type_at<I, S...> nth(list<S...>*);
  template <int I>
  using type_at_of = decltype(nth<I>(static_cast<scans*>(nullptr)));

  /// Evaluates what is scanned at columns [first, last) of a line.
  void evaluate_elements(const position& o, index_t first, index_t last, const values_type& to) const {
    const elements_to t = beside(to, first, scan_indices);
    const auto run = [&]<class... V>(const target_pack<R, V...>& written) {
      const transform_run<typename Set::prologue, Operands, Sources, no_values, R, V...> r{
          extents.extent, operands, written, walk(), lies, width, 1, {}};
      r.rows_of(o, 1, first, last);
    };
    run(t);
  }
  void store_results(const position& o, index_t first, index_t last, const values_type& from, bool past_caches) const {
    const results_run r{extents.extent, operands, targets, walk(), lies, width, 1, from, first};
    if constexpr (may_stream) {
      if (past_caches) return r.stream_row(o, first, last);
    }
    r.rows_of(o, 1, first, last);
  }

  // ---- along the inner axis -------------------------------------------------------------------------
  /// Scans columns [first, last) of a line, before which there is `before`; Store: and stores the results. Returns what
  /// these columns have in all.
  template <bool Store>
  typename Set::accumulators scan_block(const position& o, index_t first, index_t last,
                                        const typename Set::accumulators& before) const {
    buffers room(chunk);
    const values_type values{side_by_side<scans, Sources>::in(room)};
    const bool past_caches = Store && streams(last - first);
    totals so_far;
    for (index_t c = first; c < last; c += chunk) {
      const index_t n = algorithm::min<index_t>(chunk, last - c);
      evaluate_elements(o, c, c + n, values);
      scan_chunk<Store>(values, n, before, so_far, scan_indices);
      if constexpr (Store) store_results(o, c, c + n, values, past_caches);
    }
    return ends(so_far, scan_indices);
  }
  template <bool Store, int... I>
  static void scan_chunk(const values_type& v, index_t n, const typename Set::accumulators& before, totals& so_far,
                         index_sequence<I...>) {
    (scan_in_runs<typename Set::template monoid<I>, Set::template is_exclusive<I>, Store>(
         values_of<type_at_of<I>>(v.elements), n, get<I>(before), get<I>(so_far)),
     ...);
  }
  template <int... I>
  static typename Set::accumulators ends(const totals& t, index_sequence<I...>) {
    return {{get<I>(t).total()}...};
  }
  template <int... I>
  static void add(totals& t, const typename Set::accumulators& more, index_sequence<I...>) {
    (get<I>(t).add(get<I>(more)), ...);
  }

  double cost(index_t elements) const {
    return double(elements) * (Set::prologue::cost + Epilogue::cost + 4 * Set::size + results_run::walk_type::cost);
  }

  void along() const {
    const index_t rows = width > 0 ? extents.size() / width : 0;
    const index_t blocks = (width + block_elements - 1) / block_elements;
    if (blocks > 1 && rows < thread_count() && threads_wake()) {
      for (index_t r = 0; r < rows; ++r) by_blocks(at_line(r), blocks);
      return;
    }
    const index_t per_task = 1 + block_elements / (width > 0 ? width : 1);
    for_tasks((rows + per_task - 1) / per_task, cost(rows * width), [&](index_t task) {
      const index_t begin = task * per_task, end = algorithm::min(begin + per_task, rows);
      position o = at_line(begin);
      for (index_t r = begin; r < end; ++r, o.next()) {
        totals so_far;
        for (index_t b = 0; b < blocks; ++b)
          add(so_far, scan_block<true>(o, b * block_elements, end_of(b), ends(so_far, scan_indices)), scan_indices);
      }
      end_of_stores_past_caches();
    });
  }
  index_t end_of(index_t block) const { return algorithm::min((block + 1) * block_elements, width); }
  /// All threads share one row. Each takes the next block, combines it, waits for what is before it, and goes through
  /// it once more while it is in the cache.
  void by_blocks(const position& o, index_t blocks) const {
    blocks_in_order order(blocks);
    totals so_far;
    typename Set::accumulators none;
    Set::clear(none);
    for_tasks(thread_count(), cost(width), [&](index_t) {
      try {
        for (index_t b = order.next(); b < blocks; b = order.next()) {
          const auto own = scan_block<false>(o, b * block_elements, end_of(b), none);
          if (!order.wait_for(b)) return;
          const auto before = ends(so_far, scan_indices);
          add(so_far, own, scan_indices);
          order.done(b);
          (void)scan_block<true>(o, b * block_elements, end_of(b), before);
        }
        end_of_stores_past_caches();
      } catch (...) {  // by a function of the user's: nobody waits for this block
        order.fail();
        throw;
      }
    });
  }

  // ---- along the axis before the inner one -----------------------------------------------------------
  /// A task takes columns side by side down all their lines.
  void across() const {
    const index_t height = extents[R >= 2 ? R - 2 : 0], lines = height * width,
                  outer = lines > 0 ? extents.size() / lines : 0;
    // As few at a time as many threads get some, but whole lines of the cache. Not a share of those there are:
    // functions may have other last bits in shorter loops.
    const index_t share = (width + scan_tuning::pieces - 1) / scan_tuning::pieces,
                  columns = algorithm::clamp<index_t>(share, algorithm::min(most_columns, scan_tuning::least_columns),
                                                      most_columns);
    const index_t pieces = (width + columns - 1) / columns;
    const bool past_caches = streams(columns);
    for_tasks(outer * pieces, cost(outer * lines), [&](index_t task) {
      const index_t first = task % pieces * columns, last = algorithm::min(first + columns, width);
      buffers room(chunk);
      const values_type values{side_by_side<scans, Sources>::in(room)};
      column_totals sums;
      clear(sums, last - first, scan_indices);
      position o = at_line(task / pieces * height);
      for (index_t r = 0; r < height; ++r, o.next()) {
        evaluate_elements(o, first, last, values);
        if (r % scan_tuning::run == 0) end_run(sums, last - first, scan_indices);
        add_line(sums, values, last - first, scan_indices);
        store_results(o, first, last, values, past_caches);
      }
      end_of_stores_past_caches();
    });
  }
  using column_totals = typename each_of<totals_of_columns, Set, most_columns>::type;
  template <int... I>
  static void clear(column_totals& sums, index_t n, index_sequence<I...>) {
    (get<I>(sums).clear(n), ...);
  }
  template <int... I>
  static void end_run(column_totals& sums, index_t n, index_sequence<I...>) {
    (get<I>(sums).end_run(n), ...);
  }
  template <int... I>
  static void add_line(column_totals& sums, const values_type& line, index_t n, index_sequence<I...>) {
    (get<I>(sums).template scan_line<Set::template is_exclusive<I>>(values_of<type_at_of<I>>(line.elements), n), ...);
  }
};

/// Scans the axis R - 1 of the extents, or (Beside) R - 2.
template <class Set, class Epilogue, class Sources, bool Beside, class Operands, int R, class... T>
void scan(const shape<R>& extents, const Operands& operands, const target_pack<R, T...>& targets) {
  const scan_run_of<Set, Epilogue, Sources, Operands, target_pack<R, T...>> run{extents, operands, targets};
  if constexpr (Beside) run.across();
  else run.along();
}

}  // namespace lazyfuse::host_detail

namespace lazyfuse {

template <class Set, class Epilogue, bool Beside>
struct kernel<dpp::scan<Set, Epilogue, Beside>, host> {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(dpp::plan_of<Plan, dpp::scan<Set, Epilogue, Beside>>,
                  "lazyfuse: the plan lacks what its pattern asks for");
    return Beside ? "columns" : "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    host_detail::scan<Set, Epilogue, typename Plan::sources, Beside>(p.s, p.bound.operands, p.to);
  }
};

}  // namespace lazyfuse
