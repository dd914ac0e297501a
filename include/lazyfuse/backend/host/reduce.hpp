// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce on the host. The reduced range is cut into blocks whose size does not depend on the number of threads; a block
// is added up in vector lanes, in short runs that keep what rounding lost, and lanes and blocks are merged pairwise:
// the same bits on every run. Three walks: along the reduced axis (rows, and short ones), or along the kept one
// (columns).
#pragma once

#include <lazyfuse/backend/host/column_sums.hpp>
#include <lazyfuse/backend/host/reduced_values.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/host/tiles.hpp>
#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/core/algorithm.hpp>

namespace lazyfuse::host_detail {

template <class Set, class Epilogue, class Sources, class Operands, int K, int R, class... T>
struct reduce_run {
  using walk_type = row_walk<Operands, Sources, R>;
  using kept_odometer = odometer<Operands, Sources, R>;
  using accumulators = typename Set::accumulators;
  static constexpr int chunk = walk_type::chunk;
  using set_seq = make_index_sequence<Set::size>;
  using seq = typename walk_type::seq;
  using tuned = dpp::tuning<dpp::reductions, host>;

  const index_t* extents;
  const Operands& operands;
  const target_pack<K, T...>& targets;
  bool fetches = largest_operand(operands, extents, Sources{}) > tuned::cached_bytes;

  static index_t product(const index_t* e, int from, int to) {
    index_t n = 1;
    for (int k = from; k < to; ++k) n *= e[k];
    return n;
  }
  static void add_offsets(index_t* to, const index_t* a, const index_t* b) {
    for (int k = 0; k < walk_type::count; ++k) to[k] = a[k] + b[k];
  }
  void finish(const kept_odometer& o, const accumulators& values, index_t column, int axis) const {
    reduced_sink<K, T...> sink{targets, o.at, column};
    evaluate<Epilogue>(epilogue_context<Set, Operands>{operands, o.offsets, values, column, axis}, sink);
  }

  // ---- along the reduced axis -----------------------------------------------------------------------
  /// One block: reduced rows [r0, r1), columns [c0, c1), at the kept position o.
  accumulators block(const kept_odometer& o, index_t r0, index_t r1, index_t c0, index_t c1) const {
    const walk_type walk{operands, R - 1, -1};
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    row_sums<Set> sums(fetches);
    odometer<Operands, Sources, R> inner{operands, extents, K, R - 1};
    inner.seek(r0);
    index_t offsets[walk_type::count + 1];
    constexpr int axis = R >= 2 ? R - 2 : 0;
    const bool together = K + 1 < R && !Set::has_ordered && !walk.packs(seq{}) && !walk.repeats(seq{}) &&
                          !walk_type{operands, axis, -1}.repeats(seq{});
    for (index_t r = r0; r < r1;) {
      add_offsets(offsets, o.offsets, inner.offsets);
      if (together) {
        const index_t n = algorithm::min(extents[axis] - inner.at[axis], r1 - r);
        walk_type{operands, R - 1, axis}.seek_rows(cursors, nullptr, offsets, c0, seq{});
        sums.template add<walk_type::count>(cursors, c1 - c0, no_values{}, n);
        inner.next(n);
        r += n;
        continue;
      }
      ++r;
      inner.next();
      for (index_t c = c0; c < c1; c += chunk) {
        const index_t n = c1 - c < chunk ? c1 - c : chunk;
        walk.seek(cursors, packed, offsets, 0, c, n, repeated_elements<Set>(n), seq{});
        sums.template add<walk_type::count>(cursors, n);
      }
    }
    return sums.result();
  }

  void rows() const {
    const index_t kept = product(extents, 0, K), width = extents[R - 1], height = product(extents, K, R - 1);
    const double cost = double(kept) * double(width) * double(height) * (Set::prologue::cost + walk_type::cost + 1);
    const index_t column_blocks = (width + block_elements - 1) / block_elements;
    const index_t rows_per_block = width >= block_elements || width == 0 ? 1 : block_elements / width;
    const index_t blocks = (height + rows_per_block - 1) / rows_per_block * column_blocks;
    const auto run_block = [&](const kept_odometer& o, index_t b) {
      const index_t r = b / column_blocks * rows_per_block, c = b % column_blocks * block_elements;
      return block(o, r, r + rows_per_block < height ? r + rows_per_block : height, c,
                   c + block_elements < width ? c + block_elements : width);
    };
    if (blocks <= 1) {
      const index_t per_task = width * height > 0 ? 1 + block_elements / (width * height) : block_elements;
      for_tasks((kept + per_task - 1) / per_task, cost, [&](index_t task) {
        kept_odometer o{operands, extents, 0, K};
        const index_t begin = task * per_task, end = begin + per_task < kept ? begin + per_task : kept;
        o.seek(begin);
        for (index_t k = begin; k < end; ++k, o.next()) {
          accumulators total;
          if (blocks == 1) total = run_block(o, 0);
          else Set::clear(total);
          finish(o, total, 0, -1);
        }
      });
      return;
    }
    const scratch<accumulators> partial(kept * blocks);
    task_flags decided(Set::absorbs ? kept : 0);
    for_tasks(kept * blocks, cost, [&](index_t task) {
      if constexpr (Set::absorbs)  // an earlier block decided: this one adds nothing
        if (decided.raised(task / blocks)) return Set::clear(partial[task]);
      kept_odometer o{operands, extents, 0, K};
      o.seek(task / blocks);
      partial[task] = run_block(o, task % blocks);
      if constexpr (Set::absorbs)
        if (Set::absorbing({partial[task]})) decided.raise(task / blocks);
    });
    kept_odometer o{operands, extents, 0, K};
    for (index_t k = 0; k < kept; ++k, o.next())
      finish(o, merge_pairwise<Set>(k * blocks, blocks, [&](index_t b) { return partial[b]; }), 0, -1);
  }

  // ---- along the kept axis --------------------------------------------------------------------------
  static constexpr int last = K > 0 ? K - 1 : 0;
  static constexpr index_t most_rows = tuned::most_rows,
                           most_columns = sizeof(partial_pack<Set, chunk>) <= tuned::most_lane_bytes
                                              ? chunk
                                              : algorithm::min<index_t>(chunk, tuned::cut_columns);
  using columns_type = column_sums<Set, int(most_columns)>;

  /// Whether places come in their order along the reduced axes.
  template <int... I>
  bool ordered(index_sequence<I...>) const {
    const auto one = [&](const auto& operand) {
      index_t before = 0;
      bool rises = true;
      for (int k = R - 1; k >= K; --k) {
        rises = rises && (extents[k] == 1 || operand.steps[k] > before);
        before += (extents[k] - 1) * operand.steps[k];
      }
      return rises;
    };
    const auto known = [&]<class Source>(const operand<Source, R>& operand) {
      if constexpr (__is_same(Source, position)) return one(operand);
      else return true;
    };
    return Set::has_ordered && (known(get<I>(operands)) && ...);
  }

  /// Adds rows [r0, r1) of the columns from `first` on, as many as `sums` has.
  void add_rows(const kept_odometer& o, index_t r0, index_t r1, index_t first, index_t n, columns_type& sums) const {
    const walk_type walk{operands, last, R - 1};
    const bool in_order = ordered(seq{}), blocked = walk.blocked(),
               together = walk.side_by_side(R - 1, product(extents, K, R), n, seq{});
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    odometer<Operands, Sources, R> inner{operands, extents, K, R};
    inner.seek(r0);
    index_t offsets[walk_type::count + 1], next[walk_type::count + 1];
    const auto move_on = [&](index_t rows) {
      inner.next(rows);
      add_offsets(next, o.offsets, inner.offsets);
    };
    add_offsets(next, o.offsets, inner.offsets);
    for (index_t r = r0; r < r1;) {
      algorithm::copy_n(next, walk_type::count, offsets);
      const index_t left = algorithm::min(extents[R - 1] - inner.at[R - 1], r1 - r),
                    group = blocked ? algorithm::min<index_t>(left, block_rows) : 1;
      move_on(group);
      index_t rows = group;
      if (blocked) walk.pack_blocks(packed, offsets, int(group), first, n, seq{});
      for (index_t g = 0; g < group; ++g) {
        if (blocked) walk.seek(cursors, packed, offsets, int(g), first, n, n, seq{});
        else walk.seek_columns(cursors, packed, offsets, next, first, n, seq{});
        const index_t added = sums.template add<walk_type::count>(cursors, together ? left : 1, no_values{}, in_order);
        if (added > 1) move_on(added - 1);
        rows += added - 1;
      }
      r += rows;
    }
  }

  void columns() const {
    const index_t outer = product(extents, 0, last), across = extents[last], height = product(extents, K, R);
    const index_t block_columns = walk_type{operands, last, R - 1}.blocked() ? chunk / block_rows : most_columns;
    const index_t chunks = (across + most_columns - 1) / most_columns;
    const index_t rows_per_block = height < most_rows ? (height > 0 ? height : 1) : most_rows;
    const index_t blocks = height > 0 ? (height + rows_per_block - 1) / rows_per_block : 1;
    const double cost = double(outer) * double(across) * double(height) * (Set::prologue::cost + walk_type::cost + 1);
    const scratch<accumulators> partial(blocks > 1 ? outer * across * blocks : 0);

    for_tasks(outer * chunks * blocks, cost, [&](index_t task) {
      const index_t b = task % blocks, begin = task / blocks % chunks * most_columns,
                    end = algorithm::min(begin + most_columns, across), line = task / blocks / chunks;
      kept_odometer o{operands, extents, 0, last};
      o.seek(line);
      for (index_t c = begin; c < end; c += block_columns) {
        const index_t n = algorithm::min(end - c, block_columns);
        columns_type sums(n);
        add_rows(o, b * rows_per_block, algorithm::min((b + 1) * rows_per_block, height), c, n, sums);
        const auto& found = sums.result();
        for (index_t i = 0; i < n; ++i)
          if (blocks == 1) finish(o, lane<Set>(found, i, set_seq{}), c + i, last);
          else partial[(line * across + c + i) * blocks + b] = lane<Set>(found, i, set_seq{});
      }
    });
    if (blocks == 1) return;
    for_tasks(outer, double(outer) * double(across) * double(blocks), [&](index_t task) {
      kept_odometer o{operands, extents, 0, last};
      o.seek(task);
      for (index_t i = 0; i < across; ++i)
        finish(o, merge_pairwise<Set>((task * across + i) * blocks, blocks, [&](index_t b) { return partial[b]; }), i,
               last);
    });
  }

  // ---- short rows -----------------------------------------------------------------------------------
  /// Lanes of a short row, which is one run.
  static constexpr int few_lanes = Set::has_ordered ? 1 : sizeof(accumulators) == 8 ? vector_bytes / 8 : 4;
  static constexpr bool may_be_short = K > 0 && K == R - 1 && !Set::has_near && Set::prologue::cost <= tuned::cheap;

  /// Whether rows are short, and read where they lie.
  bool few_turns() const {
    const walk_type walk{operands, R - 1, -1};
    const index_t length = extents[R - 1];
    return length >= few_lanes && length * bytes_of_position(Sources{}) >= 8 * few_lanes &&
           length <= few_lanes * run_elements && (!Set::has_ordered || ordered(seq{})) && !walk.packs(seq{}) &&
           !walk.repeats(seq{});
  }
  void short_rows() const {
    const index_t across = extents[last], length = extents[R - 1], outer = product(extents, 0, last);
    const index_t each = block_elements / length, chunks = (across + each - 1) / each;
    const double cost = double(outer) * double(across) * double(length) * (Set::prologue::cost + walk_type::cost + 1);
    for_tasks(outer * chunks, cost, [&](index_t task) {
      const index_t line = task / chunks, begin = task % chunks * each, end = algorithm::min(begin + each, across);
      kept_odometer kept{operands, extents, 0, last}, first{operands, extents, 0, K};
      kept.seek(line);
      first.seek(line * across + begin);
      typename walk_type::cursors cursors;
      walk_type{operands, R - 1, last}.seek_rows(cursors, nullptr, first.offsets, 0, seq{});
      in_widest_vectors([](const auto* run, auto... arguments) { run->short_rows_of(arguments...); }, this, kept,
                        cursors, begin, end);
    });
  }
  /// Rows [begin, end) of one kept line.
  void short_rows_of(const kept_odometer& kept, typename walk_type::cursors cursors, index_t begin, index_t end) const {
    for (index_t c = begin; c < end; ++c) {
      partial_pack<Set, few_lanes> sums;
      short_row(cursors, extents[R - 1], sums, set_seq{});
      finish(kept, lane<Set>(sums, 0, set_seq{}), c, last);
      move_on(cursors, 1, seq{});
    }
  }
  template <class Partials, int... I>
  static void short_row(const typename walk_type::cursors& cursors, index_t length, Partials& sums,
                        index_sequence<I...>) {
    (get<I>(sums).clear(few_lanes), ...);
    index_t i = 0;
    const auto add = [&](index_t l) {
      lane_sink<typename Set::prologue::roots, Partials, no_values, false, Set::has_ordered> sink{sums, {}, l};
      evaluate<typename Set::prologue>(chunk_context<typename walk_type::cursors>{cursors, {}, i + l}, sink);
    };
    for (; i + few_lanes <= length; i += few_lanes) {
#if !defined(__clang__)
#pragma GCC ivdep
#if !defined(__CUDACC__)  // nvcc warns of what it does not know
#pragma GCC unroll 1      // unrolled, it would not become vectors
#endif
#endif
      for (index_t l = 0; l < few_lanes; ++l) add(l);
    }
    for (index_t l = 0; i + l < length; ++l) add(l);
    (get<I>(sums).fold(), ...);
  }

  /// Whether rows are so short, and so many side by side, that lanes are better filled across than along them.
  bool across_rows() const {
    const index_t length = product(extents, K, R);
    return K > 0 && extents[last] >= tuned::across_extent && length > 0 && length <= tuned::across_length;
  }
};

/// Combines the prologue's values over the axes [K, R) and stores the epilogue's at each kept position.
/// Whether the inner loop runs along the kept axis, or tile by tile, is the plan's decision.
template <class Set, class Epilogue, class Sources, int K, class Operands, int R, class... T>
void reduce(const shape<R>& extents, const Operands& operands, const target_pack<K, T...>& targets, bool along_kept,
            [[maybe_unused]] bool in_tiles) {
  using run_type = reduce_run<Set, Epilogue, Sources, Operands, K, R, T...>;
  const run_type run{extents.extent, operands, targets};
  using tiles_type = tiles<Set, Sources, Operands, K, R>;
  if constexpr (tiles_type::possible)
    if (in_tiles) return reduce_in_tiles<Set>(tiles_type{extents.extent, operands}, run);
  if constexpr (run_type::may_be_short)
    if (!along_kept && run.few_turns()) return run.short_rows();
  if constexpr (K > 0) {
    if (along_kept || run.across_rows()) return run.columns();
  }
  run.rows();
}

}  // namespace lazyfuse::host_detail
