// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of the extremes of rows that lie in memory as they are: those of many rows are found by one call.
#pragma once

#include <lazyfuse/backend/host/reduce_run.hpp>
#include <lazyfuse/backend/host/row_sums.hpp>
#include <lazyfuse/backend/host/threads.hpp>

namespace lazyfuse::host_detail {

template <class Run>
struct reduced_places {
  using Set = typename Run::set;
  using walk_type = typename Run::walk_type;
  using position = typename Run::position;
  using cursors = typename walk_type::cursors;
  using seq = typename Run::seq;
  static constexpr int K = Run::kept_axes, R = Run::axes, last = Run::last;
  static constexpr bool in_rows = K > 0 && K == R - 1;
  static constexpr int searched = in_rows ? searched_operand<Set, cursors>() : -1;
  static constexpr bool possible = searched >= 0;
  /// Of shorter rows one element after the other is compared.
  static constexpr index_t shortest = 8;
  static constexpr int at_a_time = 64;

  const Run& in;

  bool pays() const {
    const index_t length = in.extents[R - 1];
    return length >= shortest && length <= block_elements && !in.lies && in.ordered(seq{});
  }
  void run() const {
    const index_t across = in.extents[last], length = in.extents[R - 1], outer = in.size(0, last);
    const index_t each = block_elements / length, chunks = (across + each - 1) / each;
    for_tasks(outer * chunks, Run::cost(outer * across * length), [&](index_t task) {
      const index_t line = task / chunks, begin = task % chunks * each, end = algorithm::min(begin + each, across);
      const position kept = in.position_in(0, last, line), first = in.position_in(0, K, line * across + begin);
      cursors from;
      in.walk_along(R - 1, last).seek_rows(from, nullptr, first.offsets, 0);
      for (index_t c = begin; c < end; c += at_a_time)
        rows_of(kept, from, c, algorithm::min<index_t>(end - c, at_a_time), length);
    });
  }
  void rows_of(const position& kept, cursors& from, index_t c, index_t rows, index_t length) const {
    using accumulators = typename Run::accumulators;
    auto& row = get<searched>(from);
    index_t places[at_a_time];
    places_of_extremes(row.data, length, row.next, rows, Set::template monoid<0>::extreme::is_largest, places);
    for (index_t k = 0; k < rows; ++k) {
      const index_t i = places[k];
      const int64 place = row_sums<Set>::template place_of<walk_type::count>(from, no_values{}, i, index_sequence<0>{});
      in.finish(kept, accumulators{{{row.data[i], place}}}, c + k, last);
      move_on(from, 1, seq{});
    }
  }
};

}  // namespace lazyfuse::host_detail
