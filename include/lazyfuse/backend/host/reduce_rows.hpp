// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along the reduced axis: the elements of a row in lanes, blocks of long ones merged pairwise.
#pragma once

#include <lazyfuse/backend/host/made_rows.hpp>
#include <lazyfuse/backend/host/reduce_run.hpp>
#include <lazyfuse/backend/host/row_sums.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/short_row.hpp>
#include <lazyfuse/backend/host/threads.hpp>

namespace lazyfuse::host_detail {

template <class Run>
struct reduced_rows {
  using Set = typename Run::set;
  using walk_type = typename Run::walk_type;
  using position = typename Run::position;
  using accumulators = typename Run::accumulators;
  static constexpr int K = Run::kept_axes, R = Run::axes, chunk = Run::chunk;

  const Run& in;

  /// Whether nothing changes them any more.
  static bool decided(row_sums<Set>& sums) { return Set::absorbing({sums.result()}); }
  static constexpr bool makes = makes_values<Set, walk_type>;
  /// The same of values that are made for several rows at once.
  accumulators made_block(const position& o, index_t r0, index_t r1, index_t c0, index_t c1) const {
    constexpr int axis = K + 1 < R ? R - 2 : -1;
    made_rows<Set, walk_type> rows(in.walk_along(R - 1, axis));
    row_sums<typename of_made<Set>::set> sums(false);
    const index_t together = rows.together(c1 - c0);
    position inner = in.position_in(K, R - 1, r0);
    for (index_t r = r0; r < r1;) {
      index_t some = 1;
      if constexpr (axis >= 0)
        some = algorithm::min(algorithm::min(in.extents[axis] - inner.at[axis], together - rows.held), r1 - r);
      const bool enough = rows.hold(some, together, o.offsets, inner.offsets);
      inner.next(some);
      r += some;
      if (!enough && r < r1) continue;
      for (index_t c = c0; c < c1; c += rows.most) {
        const index_t n = algorithm::min(c1 - c, rows.most);
        sums.template add<Set::size>(rows.make(c, n), rows.held * n);
      }
      rows.drop();
    }
    return sums.result();
  }
  /// Results [begin, end), each of one row, of which several are made at once.
  void made_results_of(index_t begin, index_t end) const {
    using set = typename of_made<Set>::set;
    constexpr int axis = K > 0 ? K - 1 : 0;
    made_rows<Set, walk_type> rows(in.walk_along(R - 1, axis));
    const index_t n = in.extents[R - 1], together = rows.together(n);
    position o = in.position_in(0, K, begin), done = o;
    for (index_t k = begin; k < end;) {
      const index_t some = algorithm::min(algorithm::min(in.extents[axis] - o.at[axis], together - rows.held), end - k);
      const bool enough = rows.hold(some, together, o.offsets);
      o.next(some);
      k += some;
      if (!enough && k < end) continue;
      const auto cursors = rows.make(0, n);
      accumulators found[reduce_tuning::most_made_rows];
      if (is_short<set>(n)) reduce_few<set, Set::size>(cursors, rows.held, n, found);
      else
        for (index_t r = 0; r < rows.held; ++r) {
          row_sums<set> sums(false);
          sums.template add<Set::size>(rows.of_row(r, n), n);
          found[r] = sums.result();
        }
      for (index_t r = 0; r < rows.held; ++r, done.next()) in.finish(done, found[r], 0, -1);
      rows.drop();
    }
  }
  /// Results [begin, end), each of one row, which are runs of the operands: many by one call.
  void results_of_runs(position o, index_t begin, index_t end) const {
    constexpr index_t together = reduce_tuning::rows_together;
    constexpr int axis = K > 0 ? K - 1 : 0;
    accumulators found[together];
    typename walk_type::cursors cursors;
    for (index_t k = begin; k < end;) {
      const index_t some = algorithm::min(algorithm::min(in.extents[axis] - o.at[axis], together), end - k);
      row_sums<Set> sums(in.fetches);
      in.walk_along(R - 1, axis).seek_rows(cursors, nullptr, o.offsets, 0);
      sums.template add<walk_type::count>(cursors, in.extents[R - 1], no_values{}, some, found);
      for (index_t r = 0; r < some; ++r, o.next()) in.finish(o, found[r], 0, -1);
      k += some;
    }
  }
  /// One block: reduced rows [r0, r1), columns [c0, c1), at the kept position o.
  accumulators block(const position& o, index_t r0, index_t r1, index_t c0, index_t c1) const {
    const walk_type walk = in.walk_along(R - 1);
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    row_sums<Set> sums(in.fetches);
    position inner = in.position_in(K, R - 1, r0);
    index_t offsets[walk_type::count + 1] = {};
    constexpr int axis = R >= 2 ? R - 2 : 0;
    const bool together =
        K + 1 < R && !Set::has_ordered && !in.lies.packs && !in.lies.repeats && !in.walk_along(axis).layout().repeats;
    const index_t most = in.lies.packs ? chunk : c1 - c0;  // what repeats is written out for fewer elements
    for (index_t r = r0; r < r1;) {
      if constexpr (Set::absorbs)
        if (r > r0 && decided(sums)) break;
      in.add_offsets(offsets, o.offsets, inner.offsets);
      if (together) {
        const index_t n = algorithm::min(in.extents[axis] - inner.at[axis], r1 - r);
        in.walk_along(R - 1, axis).seek_rows(cursors, nullptr, offsets, c0);
        sums.template add<walk_type::count>(cursors, c1 - c0, no_values{}, n);
        inner.next(n);
        r += n;
        continue;
      }
      ++r;
      inner.next();
      for (index_t c = c0; c < c1; c += most) {
        if constexpr (Set::absorbs)
          if (c > c0 && decided(sums)) break;
        const index_t n = algorithm::min(c1 - c, most);
        walk.seek(cursors, packed, offsets, 0, c, n, repeated_elements<Set>(n), bool(in.lies));
        sums.template add<walk_type::count>(cursors, n);
      }
    }
    return sums.result();
  }

  void run() const {
    const index_t kept = in.size(0, K), width = in.extents[R - 1], height = in.size(K, R - 1);
    const double cost = Run::cost(kept * width * height);
    const index_t column_blocks = (width + block_elements - 1) / block_elements;
    const index_t rows_per_block = width >= block_elements || width == 0 ? 1 : block_elements / width;
    const index_t blocks = (height + rows_per_block - 1) / rows_per_block * column_blocks;
    const auto add_block = [&](const position& o, index_t b) {
      const index_t r = b / column_blocks * rows_per_block, c = b % column_blocks * block_elements;
      const index_t r1 = algorithm::min(r + rows_per_block, height), c1 = algorithm::min(c + block_elements, width);
      if constexpr (makes)
        if (Run::makes_rows_of(width)) return made_block(o, r, r1, c, c1);
      return block(o, r, r1, c, c1);
    };
    if (blocks <= 1) {
      const index_t per_task = width * height > 0 ? 1 + block_elements / (width * height) : block_elements;
      for_tasks((kept + per_task - 1) / per_task, cost, [&](index_t task) {
        const index_t begin = task * per_task, end = begin + per_task < kept ? begin + per_task : kept;
        if constexpr (makes && K > 0 && K == R - 1)
          if (blocks == 1 && Run::makes_rows_of(width)) return made_results_of(begin, end);
        position o = in.position_in(0, K, begin);
        if constexpr (K > 0 && K == R - 1 && !Set::absorbs)
          if (blocks == 1 && !in.lies) return results_of_runs(o, begin, end);
        for (index_t k = begin; k < end; ++k, o.next()) {
          accumulators total;
          if (blocks == 1) total = add_block(o, 0);
          else Set::clear(total);
          in.finish(o, total, 0, -1);
        }
      });
      return;
    }
    const scratch<accumulators> partial(kept * blocks);
    if constexpr (Set::absorbs)
      if (kept == 1) {  // the first block may decide, and then no thread is woken
        const position o = in.position_in(0, K);
        partial[0] = add_block(o, 0);
        if (Set::absorbing({partial[0]})) return in.finish(o, partial[0], 0, -1);
      }
    task_flags done(Set::absorbs ? kept : 0);
    const index_t begun = Set::absorbs && kept == 1;
    for_tasks(kept * blocks - begun, cost, [&](index_t number) {
      const index_t task = begun + number;
      if constexpr (Set::absorbs)  // an earlier block decided: this one adds nothing
        if (done.raised(task / blocks)) return Set::clear(partial[task]);
      const position o = in.position_in(0, K, task / blocks);
      partial[task] = add_block(o, task % blocks);
      if constexpr (Set::absorbs)
        if (Set::absorbing({partial[task]})) done.raise(task / blocks);
    });
    position o = in.position_in(0, K);
    for (index_t k = 0; k < kept; ++k, o.next())
      in.finish(o, merge_pairwise<Set>(k * blocks, blocks, [&](index_t b) { return partial[b]; }), 0, -1);
  }
};

}  // namespace lazyfuse::host_detail
