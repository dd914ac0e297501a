// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along the kept axis: columns side by side, to which rows are added.
#pragma once

#include <lazyfuse/backend/host/column_sums.hpp>
#include <lazyfuse/backend/host/made_rows.hpp>
#include <lazyfuse/backend/host/reduce_run.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>

namespace lazyfuse::host_detail {

template <class Run>
struct reduced_columns {
  using Set = typename Run::set;
  using walk_type = typename Run::walk_type;
  using position = typename Run::position;
  using accumulators = typename Run::accumulators;
  using seq = typename Run::seq;
  using set_seq = typename Run::set_seq;
  using tuned = typename Run::tuned;
  static constexpr int K = Run::kept_axes, R = Run::axes, last = Run::last, chunk = Run::chunk;

  const Run& in;

  /// Whether rows are so short, and so many side by side, that lanes are better filled across than along them.
  bool across_rows() const {
    const index_t length = in.size(K, R);
    return K > 0 && in.extents[last] >= tuned::across_extent && length > 0 && length <= tuned::across_length;
  }

  static constexpr index_t most_rows = tuned::most_rows,
                           most_columns = sizeof(partial_pack<Set, chunk>) <= tuned::most_lane_bytes
                                              ? chunk
                                              : algorithm::min<index_t>(chunk, tuned::cut_columns);
  static constexpr bool makes = makes_values<Set, walk_type>;
  template <class S>
  using sums_of = column_sums<S, int(most_columns)>;
  using columns_type = sums_of<Set>;
  using made_columns_type = sums_of<typename std::conditional_t<makes, of_made<Set>, Run>::set>;

  /// The same of values that are made for several rows at once.
  void add_made_rows(const position& o, index_t r0, index_t r1, index_t first, index_t n,
                     made_columns_type& sums) const {
    made_rows<Set, walk_type> rows(in.walk_along(last, R - 1));
    const index_t together = rows.together(n);
    position inner = in.position_in(K, R, r0);
    for (index_t r = r0; r < r1;) {
      const index_t some =
          algorithm::min(algorithm::min(in.extents[R - 1] - inner.at[R - 1], together - rows.held), r1 - r);
      const bool enough = rows.hold(some, together, o.offsets, inner.offsets);
      inner.next(some);
      r += some;
      if (!enough && r < r1) continue;
      auto cursors = rows.make(first, n);
      for (index_t left = rows.held; left > 0;) {
        const index_t added = sums.template add<Set::size>(cursors, left);
        lazyfuse::host_detail::move_on(cursors, added, set_seq{});
        left -= added;
      }
      rows.drop();
    }
  }
  /// Adds rows [r0, r1) of the columns from `first` on, as many as `sums` has.
  void add_rows(const position& o, index_t r0, index_t r1, index_t first, index_t n, columns_type& sums) const {
    const walk_type walk = in.walk_along(last, R - 1);
    const row_layout lies = walk.layout();
    const bool in_order = in.ordered(seq{}), blocked = lies.blocked,
               together = walk.untyped_walk().side_by_side(lies, R - 1, in.size(K, R), n);
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    position inner = in.position_in(K, R, r0);
    index_t offsets[walk_type::count + 1] = {}, next[walk_type::count + 1] = {};
    const auto move_on = [&](index_t rows) {
      inner.next(rows);
      in.add_offsets(next, o.offsets, inner.offsets);
    };
    in.add_offsets(next, o.offsets, inner.offsets);
    for (index_t r = r0; r < r1;) {
      algorithm::copy_n(next, in.table.count, offsets);
      const index_t left = algorithm::min(in.extents[R - 1] - inner.at[R - 1], r1 - r),
                    group = blocked ? algorithm::min<index_t>(left, block_rows)
                            : lies  ? 1
                                    : left;
      move_on(group);
      r += group;
      if (!lies) {
        walk.seek_rows(cursors, nullptr, offsets, first);
        for (index_t g = 0; g < group;) {
          const index_t added =
              sums.template add<walk_type::count>(cursors, together ? group - g : 1, no_values{}, in_order);
          lazyfuse::host_detail::move_on(cursors, added, seq{});
          g += added;
        }
        continue;
      }
      if (blocked) walk.pack_blocks(packed, offsets, int(group), first, n);
      for (index_t g = 0; g < group; ++g) {
        if (blocked) walk.seek(cursors, packed, offsets, int(g), first, n, n);
        else walk.seek_columns(cursors, packed, offsets, next, first, n);
        sums.template add<walk_type::count>(cursors, 1, no_values{}, in_order);
      }
    }
  }

  void run() const {
    if constexpr (makes)
      if (in.extents[last] <= tuned::longest_made_row) return run_in<made_columns_type>();
    run_in<columns_type>();
  }

 private:
  template <class Columns>
  void run_in() const {
    constexpr bool made = !std::is_same_v<Columns, columns_type>;
    const index_t outer = in.size(0, last), across = in.extents[last], height = in.size(K, R);
    const index_t block_columns = in.walk_along(last, R - 1).layout().blocked ? chunk / block_rows : most_columns;
    const index_t chunks = (across + most_columns - 1) / most_columns;
    const index_t rows_per_block = height < most_rows ? (height > 0 ? height : 1) : most_rows;
    const index_t blocks = height > 0 ? (height + rows_per_block - 1) / rows_per_block : 1;
    const double cost = Run::cost(outer * across * height);
    const scratch<accumulators> partial(blocks > 1 ? outer * across * blocks : 0);

    for_tasks(outer * chunks * blocks, cost, [&](index_t task) {
      const index_t b = task % blocks, begin = task / blocks % chunks * most_columns,
                    end = algorithm::min(begin + most_columns, across), line = task / blocks / chunks;
      const position o = in.position_in(0, last, line);
      for (index_t c = begin; c < end; c += block_columns) {
        const index_t n = algorithm::min(end - c, block_columns);
        Columns sums(n);
        const index_t r0 = b * rows_per_block, r1 = algorithm::min(r0 + rows_per_block, height);
        if constexpr (made) add_made_rows(o, r0, r1, c, n, sums);
        else add_rows(o, r0, r1, c, n, sums);
        const auto& found = sums.result();
        for (index_t i = 0; i < n; ++i)
          if (blocks == 1) in.finish(o, lane<Set>(found, i, set_seq{}), c + i, last);
          else partial[(line * across + c + i) * blocks + b] = lane<Set>(found, i, set_seq{});
      }
    });
    if (blocks == 1) return;
    for_tasks(outer, double(outer) * double(across) * double(blocks), [&](index_t task) {
      const position o = in.position_in(0, last, task);
      for (index_t i = 0; i < across; ++i)
        in.finish(o, merge_pairwise<Set>((task * across + i) * blocks, blocks, [&](index_t b) { return partial[b]; }),
                  i, last);
    });
  }
};

}  // namespace lazyfuse::host_detail
