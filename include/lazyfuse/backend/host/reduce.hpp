// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce on the host. The reduced range is cut into blocks whose size does not depend on the number of
// threads, each block is summed in vector lanes, lanes and blocks are merged pairwise: the same bits on
// every run. Two walks: along the reduced axis (rows), or along the kept one (columns).
#pragma once

#include <lazyfuse/backend/host/lanes.hpp>
#include <lazyfuse/backend/host/threads.hpp>

#include <memory>

namespace lazyfuse::host_detail {

/// Adds to each of the lanes [first, last) the element of its number.
template <class Set, bool Near, class Cursors, class Lanes, class Values>
LAZYFUSE_HD void add_to_lanes(const Cursors& cursors, Lanes& to, index_t first, index_t last, const Values& values) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (index_t l = first; l < last; ++l) {
    lane_sink<typename Set::prologue::roots, Lanes, Values, Near> sink{to, values, l};
    evaluate<typename Set::prologue>(chunk_context<Cursors, Values>{cursors, values, l}, sink);
  }
}

/// Adds n elements of a row, element i into lane i modulo lane_count. before: how many of the row were added already.
template <int Count, class Set, class Cursors, class Lanes, class Values = no_values>
[[gnu::noinline]] void accumulate_row(const Cursors& from, Lanes& total, index_t n, index_t before,
                                      const Values& known = {}) {
  Cursors cursors = from;
  Values values = known;
  Lanes to = total;
  using cursor_seq = make_index_sequence<Count>;
  const auto turns = [&]<bool Near>(index_t count, ::cuda::std::bool_constant<Near>) {
    for (; count > 0; --count) {
      prefetch_ahead(cursors, cursor_seq{});
      add_to_lanes<Set, Near>(cursors, to, 0, lane_count, values);
      move_on(cursors, 1, cursor_seq{});
      values.move_on(lane_count);
    }
  };
  index_t left = n / lane_count;
  if constexpr (Set::has_near) {
    index_t each = before / lane_count;  // elements of a lane
    const index_t far = std::clamp<index_t>(far_elements - each, 0, left);
    turns(far, ::cuda::std::false_type{});
    left -= far;
    for (each += far; left > 0;) {
      recentre(to, lane_count, make_index_sequence<Set::size>{});
      const index_t near = std::min(left, 3 * each);
      turns(near, ::cuda::std::true_type{});
      left -= near;
      each += near;
    }
  } else turns(left, ::cuda::std::false_type{});
  add_to_lanes<Set, false>(cursors, to, 0, n % lane_count, values);
  total = to;
}

/// Adds one row to n columns. Near: each has several already.
template <int Count, class Set, bool Near, class Cursors, class Lanes, class Values>
[[gnu::noinline]] void accumulate_columns(const Cursors cursors, Lanes& to, index_t n, const Values values) {
  for (index_t i = 0; i < n; i += strip_columns) {
    const index_t end = std::min(i + strip_columns, n);
    prefetch_next(cursors, i, end - i, make_index_sequence<Count>{});
    add_to_lanes<Set, Near>(cursors, to, i, end, values);
  }
}
/// The same for a row of which `before` were added to these columns.
template <int Count, class Set, class Cursors, class Lanes, class Values = no_values>
void accumulate_next(const Cursors& cursors, Lanes& to, index_t n, index_t before, const Values& values = {}) {
  if constexpr (Set::has_near) {
    if (recentres_after(before)) recentre(to, n, make_index_sequence<Set::size>{});
    if (before >= far_elements) return accumulate_columns<Count, Set, true>(cursors, to, n, values);
  }
  accumulate_columns<Count, Set, false>(cursors, to, n, values);
}

template <class Set, class Lanes, int... I>
typename Set::accumulators lane(const Lanes& from, index_t l, index_sequence<I...>) {
  return {{get<I>(from).at(l)}...};
}

/// Merges the pairs (0, half), (1, half + 1), ... until one is left: pairwise order.
template <class Set, class Get>
typename Set::accumulators merge_pairwise(index_t first, index_t count, const Get& get_one) {
  if (count == 1) return get_one(first);
  const index_t half = count / 2;
  auto a = merge_pairwise<Set>(first, half, get_one);
  Set::merge(a, merge_pairwise<Set>(first + half, count - half, get_one));
  return a;
}

/// What the epilogue sees: operands at a kept position, and the reductions' values.
template <class Set, class Operands>
struct epilogue_context {
  const Operands& operands;
  const index_t* offsets;
  const typename Set::accumulators& values;
  index_t column;
  int axis;
  template <int I>
  LAZYFUSE_HD auto operand() const {
    const auto& o = get<I>(operands);
    if constexpr (requires { o.steps; }) return o.source.at(offsets[I] + (axis < 0 ? 0 : column * o.steps[axis]));
    else return o.source.value;
  }
  template <class P>
  LAZYFUSE_HD auto reduced() const {
    return get<Set::template index_of<P>>(values);
  }
};
template <int K, class... T>
struct kept_sink {
  const target_pack<K, T...>& targets;
  const index_t* at;
  index_t column;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    const auto& t = get<I>(targets);
    auto* p = address(t.data);
    for (int k = 0; k < K; ++k) p += at[k] * t.steps[k];
    if constexpr (K > 0) p += column * t.steps[K - 1];
    *p = value;
  }
};

template <class Set, class Epilogue, class Sources, class Operands, int K, int R, class... T>
struct reduce_run {
  using walk_type = row_walk<Operands, Sources, R>;
  using kept_odometer = odometer<Operands, Sources, R>;
  using accumulators = typename Set::accumulators;
  static constexpr int chunk = walk_type::chunk;
  static constexpr index_t block_elements = 32768;
  using set_seq = make_index_sequence<Set::size>;
  using seq = typename walk_type::seq;

  const index_t* extents;
  const Operands& operands;
  const target_pack<K, T...>& targets;

  static index_t product(const index_t* e, int from, int to) {
    index_t n = 1;
    for (int k = from; k < to; ++k) n *= e[k];
    return n;
  }
  static void add_offsets(index_t* to, const index_t* a, const index_t* b) {
    for (int k = 0; k < walk_type::count; ++k) to[k] = a[k] + b[k];
  }
  void finish(const kept_odometer& o, const accumulators& values, index_t column, int axis) const {
    kept_sink<K, T...> sink{targets, o.at, column};
    evaluate<Epilogue>(epilogue_context<Set, Operands>{operands, o.offsets, values, column, axis}, sink);
  }

  // ---- along the reduced axis -----------------------------------------------------------------------
  /// One block: reduced rows [r0, r1), columns [c0, c1), at the kept position o.
  accumulators block(const kept_odometer& o, index_t r0, index_t r1, index_t c0, index_t c1) const {
    const walk_type walk{operands, R - 1, -1};
    typename walk_type::packings packed;
    typename walk_type::cursors cursors;
    lane_pack<Set, lane_count> sums;
    clear_lanes<Set, lane_count>(sums, lane_count, set_seq{});
    odometer<Operands, Sources, R> inner{operands, extents, K, R - 1};
    inner.seek(r0);
    index_t offsets[walk_type::count + 1];
    for (index_t r = r0; r < r1; ++r, inner.next()) {
      add_offsets(offsets, o.offsets, inner.offsets);
      for (index_t c = c0; c < c1; c += chunk) {
        const index_t n = c1 - c < chunk ? c1 - c : chunk;
        walk.aim(cursors, packed, offsets, 0, c, n, lane_count, seq{});
        accumulate_row<walk_type::count, Set>(cursors, sums, n, (r - r0) * (c1 - c0) + c - c0);
      }
    }
    fold_lanes(sums, set_seq{});
    return lane<Set>(sums, 0, set_seq{});
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
    const std::unique_ptr<accumulators[]> partial(new accumulators[kept * blocks]);
    for_tasks(kept * blocks, cost, [&](index_t task) {
      kept_odometer o{operands, extents, 0, K};
      o.seek(task / blocks);
      partial[task] = run_block(o, task % blocks);
    });
    kept_odometer o{operands, extents, 0, K};
    for (index_t k = 0; k < kept; ++k, o.next())
      finish(o, merge_pairwise<Set>(k * blocks, blocks, [&](index_t b) { return partial[b]; }), 0, -1);
  }

  // ---- along the kept axis --------------------------------------------------------------------------
  void columns() const {
    constexpr int last = K > 0 ? K - 1 : 0;
    // Shorter runs of a long row defeat the prefetcher; but the lanes of many reductions must fit the stack.
    constexpr index_t width = sizeof(lane_pack<Set, chunk>) <= 131072 || chunk < 1024 ? chunk : 1024;
    const index_t outer = product(extents, 0, last), across = extents[last], height = product(extents, K, R);
    const index_t chunks = (across + width - 1) / width;
    const index_t rows_per_block = height < 256 ? (height > 0 ? height : 1) : 256;
    const index_t blocks = height > 0 ? (height + rows_per_block - 1) / rows_per_block : 1;
    const double cost = double(outer) * double(across) * double(height) * (Set::prologue::cost + walk_type::cost + 1);
    using column_lanes = lane_pack<Set, int(width)>;
    const std::unique_ptr<accumulators[]> partial(blocks > 1 ? new accumulators[outer * across * blocks] : nullptr);

    for_tasks(outer * chunks * blocks, cost, [&](index_t task) {
      const index_t b = task % blocks, c = task / blocks % chunks * width, n = across - c < width ? across - c : width;
      kept_odometer o{operands, extents, 0, last};
      o.seek(task / blocks / chunks);
      const walk_type walk{operands, last, -1};
      typename walk_type::packings packed;
      typename walk_type::cursors cursors;
      column_lanes sums;
      clear_lanes<Set, int(width)>(sums, n, set_seq{});
      odometer<Operands, Sources, R> inner{operands, extents, K, R};
      const index_t end = (b + 1) * rows_per_block < height ? (b + 1) * rows_per_block : height;
      inner.seek(b * rows_per_block);
      index_t offsets[walk_type::count + 1], next[walk_type::count + 1];
      add_offsets(next, o.offsets, inner.offsets);
      for (index_t r = b * rows_per_block, added = 0; r < end; ++r, ++added) {
        std::copy_n(next, walk_type::count, offsets);
        inner.next();
        add_offsets(next, o.offsets, inner.offsets);
        walk.aim_columns(cursors, packed, offsets, next, c, n, seq{});
        accumulate_next<walk_type::count, Set>(cursors, sums, n, added);
      }
      for (index_t i = 0; i < n; ++i) {
        if (blocks == 1) finish(o, lane<Set>(sums, i, set_seq{}), c + i, last);
        else partial[(task / blocks / chunks * across + c + i) * blocks + b] = lane<Set>(sums, i, set_seq{});
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
};

/// Combines the prologue's values over the axes [K, R) and stores the epilogue's at each kept position.
/// Whether the inner loop runs along the kept axis is the plan's decision.
template <class Set, class Epilogue, class Sources, int K, class Operands, int R, class... T>
void reduce(const shape<R>& extents, const Operands& operands, const target_pack<K, T...>& targets, bool along_kept) {
  const reduce_run<Set, Epilogue, Sources, Operands, K, R, T...> run{extents.extent, operands, targets};
  if constexpr (K > 0) {
    if (along_kept) return run.columns();
  }
  run.rows();
}

}  // namespace lazyfuse::host_detail
