// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of many short rows: each in a few lanes, all in one loop; or copied next to each other first.
#pragma once

#include <lazyfuse/backend/host/made_rows.hpp>
#include <lazyfuse/backend/host/reduce_run.hpp>
#include <lazyfuse/backend/host/row_sums.hpp>
#include <lazyfuse/backend/host/short_row.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

namespace lazyfuse::host_detail {

template <class Run>
struct reduced_short_rows {
  using Set = typename Run::set;
  using walk_type = typename Run::walk_type;
  using position = typename Run::position;
  using accumulators = typename Run::accumulators;
  using seq = typename Run::seq;
  using set_seq = typename Run::set_seq;
  using tuned = typename Run::tuned;
  static constexpr int K = Run::kept_axes, R = Run::axes, last = Run::last;

  const Run& in;

  /// Whether several rows are copied next to each other at a time where they do not lie so.
  static constexpr bool may_gather = K > 0 && K == R - 1 && walk_type::all_in_memory && !Set::has_ordered;

  bool gathers() const {
    return may_gather && (in.lies.packs || in.lies.repeats) &&
           in.extents[R - 1] <= dpp::tuning<dpp::transforms, host>::gathered_row &&
           worth_gathering(operands(), in.size(0, K), false);
  }
  short_rows operands() const { return {in.table.all, in.table.count, nullptr, 0, in.extents, R}; }
  /// Few: in few lanes each.
  void run_gathered(bool few) const {
    const auto run = [this, few](const gathered_rows& some) {
      const index_t across = in.extents[last];
      typename walk_type::cursors cursors;
      in.walk_along(R - 1).set_all(cursors, some.read);
      for (index_t r = some.first, end = some.first + some.count; r < end;) {
        const index_t c = r % across, n = algorithm::min(end - r, across - c);
        const position kept = in.position_in(0, last, r / across);
        if (few) reduce_short_rows(kept, cursors, c, c + n);
        for (index_t k = 0; k < n; ++k) {
          if (!few) {
            row_sums<Set> sums(in.fetches);
            sums.template add<walk_type::count>(cursors, in.extents[R - 1]);
            in.finish(kept, sums.result(), c + k, last);
          }
          move_on(cursors, 1, seq{});
        }
        r += n;
      }
    };
    gather_rows(operands(), in.size(0, K), Run::cost(in.size(0, R)), run);
  }

  static constexpr bool may_be_short = K > 0 && K == R - 1 && !Set::has_near && Set::prologue::cost <= tuned::cheap;

  /// Whether rows are short, and read where they lie, or copied.
  bool pays() const {
    const index_t length = in.extents[R - 1];
    return is_short<Set>(length) && length * bytes_of_position(typename Run::sources{}) >= 8 * few_lanes<Set> &&
           (!Set::has_ordered || in.ordered(seq{})) && (gathers() || (!in.lies.packs && !in.lies.repeats));
  }
  void run() const {
    const index_t across = in.extents[last], length = in.extents[R - 1], outer = in.size(0, last);
    const index_t each = block_elements / length, chunks = (across + each - 1) / each;
    if constexpr (may_gather)
      if (gathers()) return run_gathered(true);
    for_tasks(outer * chunks, Run::cost(outer * across * length), [&](index_t task) {
      const index_t line = task / chunks, begin = task % chunks * each, end = algorithm::min(begin + each, across);
      const position kept = in.position_in(0, last, line), first = in.position_in(0, K, line * across + begin);
      typename walk_type::cursors cursors;
      in.walk_along(R - 1, last).seek_rows(cursors, nullptr, first.offsets, 0);
      reduce_short_rows(kept, cursors, begin, end);
    });
  }
  /// Rows [begin, end) of one kept line.
  void reduce_short_rows(const position& kept, const typename walk_type::cursors& cursors, index_t begin,
                         index_t end) const {
    if constexpr (may_be_short)
      in_wide_vectors([](const auto* own, const auto&... arguments) { own->short_rows_of(arguments...); }, this, kept,
                      cursors, begin, end);
  }
  void short_rows_of(const position& kept, typename walk_type::cursors cursors, index_t begin, index_t end) const {
    for (index_t c = begin; c < end; ++c) {
      partial_pack<Set, few_lanes<Set>> sums;
      short_row<Set>(cursors, in.extents[R - 1], sums, set_seq{});
      in.finish(kept, lane<Set>(sums, 0, set_seq{}), c, last);
      move_on(cursors, 1, seq{});
    }
  }
};

}  // namespace lazyfuse::host_detail
