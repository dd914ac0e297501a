// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what is broadcast along kept axes, such as pairs and products: tiles of columns whose sums stay in
// registers. An operand is copied once for all tiles that read it, so that the columns of a tile lie side by side; what
// they have in common is written out for each.
#pragma once

#include <lazyfuse/backend/host/column_sums.hpp>
#include <lazyfuse/backend/host/past_caches.hpp>
#include <lazyfuse/backend/host/reduced_values.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>

namespace lazyfuse::host_detail {

/// Copies an element N times for each of `count` places, which are `distance` numbers apart.
template <int N, class T>
void spread(T* copy, const T* elements, const index_t* places, index_t distance, index_t count) {
  in_widest_vectors(
      [](T* to, const T* from, const index_t* at, index_t apart, index_t rows) {
        for (index_t r = 0; r < rows; ++r, to += N) {
          const T value = from[at[r * apart]];
          for (int l = 0; l < N; ++l) to[l] = value;
        }
      },
      copy, elements, places, distance, count);
}
/// Copies `columns` elements a step apart for each of these places, and the last of them until there are n. Turned:
/// the places are next to each other.
template <class T>
[[gnu::noinline]] void side_by_side_at(T* __restrict__ to, const T* from, index_t step, index_t columns,
                                       const index_t* at, index_t apart, index_t rows, int n, bool turned) {
  if (turned)
    for (index_t r = 0; r < rows; r += block_rows)
      pack_block(to + r * n, n, from + at[r * apart], 1, step, int(algorithm::min<index_t>(block_rows, rows - r)),
                 columns);
  for (index_t r = 0; r < rows; ++r, to += n) {
    const T* const first = from + at[r * apart];
    if (!turned)
      for (index_t c = 0; c < columns; ++c) to[c] = first[c * step];
    for (index_t c = columns; c < n; ++c) to[c] = to[columns - 1];
  }
}

/// The axes are [rows: kept ones but the last | columns: the last kept one | depth: reduced ones].
template <class Set, class Sources, class Operands, int K, int R>
struct tiles;
template <class Set, class... Src, class Operands, int K, int R>
struct tiles<Set, list<Src...>, Operands, K, R> {
  using tuned = dpp::tuning<dpp::reductions, host>;
  using walk_type = row_walk<Operands, list<Src...>, R>;
  using position = odometer<Operands, list<Src...>, R>;
  using cursors = typename walk_type::cursors;
  using seq = typename walk_type::seq;
  static constexpr int count = sizeof...(Src), last = K - 1;
  static constexpr bool possible = K > 0 && K < R && (0 + ... + int(Src::is_memory)) >= 2 &&
                                   ((Src::is_memory || is_constant<Src>)&&...) && !Set::has_ordered && !Set::has_near &&
                                   !Set::absorbs;
  /// Columns of a tile: their sums fill about a quarter of the registers.
  static constexpr int width = [] {
    constexpr int most = tuned::tile_bytes / int(sizeof(typename Set::accumulators));
    return most >= 32 ? 32 : most >= 16 ? 16 : 8;
  }();
  /// How deep operands are copied at a time.
  static constexpr index_t piece = tuned::tile_depth;
  using sums = column_sums<Set, width>;
  static_assert(alignof(sums) <= line_bytes);

  const index_t* extents;
  const Operands& operands;
  const walk_type walk{operands, last, -1};

  index_t size(int from, int to) const {
    index_t n = 1;
    for (int k = from; k < to; ++k) n *= extents[k];
    return n;
  }
  static constexpr index_t parts(index_t n, index_t each) { return (n + each - 1) / each; }
  template <int I>
  static constexpr bool in_memory = type_at<I, Src...>::is_memory;
  /// Whether an operand differs along the axes [from, to).
  template <int I>
  bool varies(int from, int to) const {
    bool differs = false;
    for (int k = from; k < to; ++k) differs = differs || (extents[k] > 1 && walk.template step<I>(k) != 0);
    return differs;
  }
  template <int I>
  bool along_rows() const {
    return varies<I>(0, last);
  }
  template <int I>
  bool along_columns() const {
    return varies<I>(last, K);
  }
  template <int I>
  bool along_depth() const {
    return varies<I>(K, R);
  }

  index_t rows() const { return size(0, last); }
  index_t columns() const { return extents[last]; }
  index_t depth() const { return size(K, R); }

  /// Whether operands are read often enough to be copied.
  bool pays() const {
    if constexpr (possible) return pays(seq{});
    else return false;
  }

  double cost() const { return double(rows()) * double(columns()) * double(depth()) * (Set::prologue::cost + 1); }
  /// Those that are woken for it.
  int threads() const { return cost() < worth_threads || !threads_wake() ? 1 : thread_count(); }

  /// What one thread works with: so many rows of so many tiles at a time.
  struct shape_of_task {
    index_t rows, tiles;
  };
  /// As many as reuse what is copied, and no more than leave every thread some.
  shape_of_task cut() const {
    const index_t tiles = parts(columns(), width);
    index_t heights = parts(rows(), tuned::most_tile_rows), groups = parts(tiles, tuned::tiles_of_task);
    const auto tall = [&] { return parts(rows(), heights) > 2 * tuned::least_tile_rows; };
    while (heights * groups < 8 * threads() && (tall() || groups < tiles)) ++(tall() ? heights : groups);
    return {parts(rows(), heights), parts(tiles, groups)};
  }

  index_t bytes_of_task(const shape_of_task& s) const { return bytes_of_task(s, seq{}); }

  /// Rows [r0, r1) of the tiles [t0, t1), in a task's memory. Then calls found(row's position, sums, column, columns).
  template <class F>
  void run(const shape_of_task& s, index_t r0, index_t r1, index_t t0, index_t t1, std::byte* memory,
           const F& found) const {
    auto* const totals = reinterpret_cast<sums*>(memory);
    for (index_t n = 0; n < (r1 - r0) * (t1 - t0); ++n) new (totals + n) sums;
    copies c{};
    std::byte* next = memory + lines(s.rows * s.tiles * index_t{sizeof(sums)});
    give_room(s, c, next, seq{});
    const index_t deep = depth();
    position at_depth{operands, extents, K, R};
    for (index_t d = 0; d < deep; d += piece, at_depth.next()) {
      const index_t n = algorithm::min(piece, deep - d);
      index_t at[piece * (count + 1)];  // of the operands, at each of these depths
      for (index_t k = 0; k < n; ++k) {
        if (k > 0) at_depth.next();
        algorithm::copy_n(at_depth.offsets, count, at + k * count);
      }
      position row{operands, extents, 0, last};
      row.seek(r0);
      copy_shared(c, row.offsets, at, n, t0, t1, seq{});
      for (index_t r = r0; r < r1; ++r, row.next()) {
        copy_of_row(c, row.offsets, at, n, seq{});
        for (index_t t = t0; t < t1; ++t) {
          cursors from;
          seek(from, c, row.offsets, at, t, t - t0, seq{});
          totals[(r - r0) * (t1 - t0) + t - t0].template add_rows<count>(from, n);
        }
      }
    }
    position row{operands, extents, 0, last};
    row.seek(r0);
    for (index_t r = r0; r < r1; ++r, row.next())
      for (index_t t = t0; t < t1; ++t) found(row, totals[(r - r0) * (t1 - t0) + t - t0], t * width, width_of(t));
  }

 private:
  template <int... I>
  bool pays(index_sequence<I...>) const {
    if (Set::prologue::cost > tuned::cheap && depth() > piece) return false;  // sums in registers gain nothing
    if (columns() < tuned::least_tile_columns || rows() * columns() < tuned::least_tile_results || depth() < 2)
      return false;
    const auto is_copied_once = [&]<int J>(index_sequence<J>) {
      return !along_depth<J>() || !along_columns<J>() || (!along_rows<J>() && rows() >= tuned::least_tile_rows);
    };
    return (is_copied_once(index_sequence<I>{}) && ...) && (along_columns<I>() || ...) &&
           ((along_depth<I>() && !along_columns<I>()) || ...);
  }

  /// Elements of the copy of operand I.
  template <int I>
  index_t elements_of_copy(const shape_of_task& s) const {
    if constexpr (!in_memory<I>) return 0;
    else {
      const index_t deep = along_depth<I>() ? piece : 1;
      return (along_columns<I>() && along_depth<I>() ? s.tiles : 1) * deep * width;
    }
  }
  static constexpr index_t lines(index_t bytes) { return parts(bytes, line_bytes) * line_bytes; }
  template <int... I>
  index_t bytes_of_task(const shape_of_task& s, index_sequence<I...>) const {
    return lines(s.rows * s.tiles * index_t{sizeof(sums)}) +
           (0 + ... + lines(elements_of_copy<I>(s) * index_t{sizeof(typename type_at<I, Src...>::value_type)}));
  }

  template <class Source>
  struct copy_of {
    typename Source::value_type* data;
  };
  using copies = pack<copy_of<Src>...>;

  index_t width_of(index_t tile) const { return algorithm::min<index_t>(width, extents[last] - tile * width); }
  template <int I>
  auto* elements(const index_t* offsets) const {
    return address(get<I>(operands).source.data) + offsets[I];
  }
  template <int... I>
  void give_room(const shape_of_task& s, copies& c, std::byte*& next, index_sequence<I...>) const {
    const auto one = [&]<int J, class T>(index_sequence<J>, copy_of<T>& to) {
      to.data = reinterpret_cast<typename T::value_type*>(next);
      next += lines(elements_of_copy<J>(s) * index_t{sizeof(typename T::value_type)});
    };
    (one(index_sequence<I>{}, get<I>(c)), ...);
  }
  /// What all rows read: of each tile its columns, or what these have in common.
  template <int... I>
  void copy_shared(copies& c, const index_t* row, const index_t* at, index_t n, index_t t0, index_t t1,
                   index_sequence<I...>) const {
    const auto one = [&]<int J>(index_sequence<J>) {
      if constexpr (in_memory<J>) {
        if (along_rows<J>() || (along_columns<J>() && !along_depth<J>())) return;
        const index_t rows = along_depth<J>() ? n : 1;
        if (!along_columns<J>()) return spread<width>(get<J>(c).data, elements<J>(row), at + J, count, rows);
        const index_t step = walk.template step<J>(last);
        const bool turned = K + 1 == R && step != 1 && walk.template step<J>(R - 1) == 1;
        for (index_t t = t0; t < t1; ++t)
          side_by_side_at(get<J>(c).data + (t - t0) * piece * width, elements<J>(row) + t * width * step, step,
                          width_of(t), at + J, count, rows, width, turned);
      }
    };
    (one(index_sequence<I>{}), ...);
  }
  /// What the columns of a row have in common.
  template <int... I>
  void copy_of_row(copies& c, const index_t* row, const index_t* at, index_t n, index_sequence<I...>) const {
    const auto one = [&]<int J>(index_sequence<J>) {
      if constexpr (in_memory<J>)
        if (along_rows<J>() && !along_columns<J>())
          spread<width>(get<J>(c).data, elements<J>(row), at + J, count, along_depth<J>() ? n : 1);
    };
    (one(index_sequence<I>{}), ...);
  }
  template <int... I>
  void seek(cursors& from, copies& c, const index_t* row, const index_t* at, index_t tile, index_t here,
            index_sequence<I...>) const {
    const auto one = [&]<int J, class C>(index_sequence<J>, C& cursor) {
      if constexpr (in_memory<J>) {
        auto* const copy = get<J>(c).data;
        const index_t next = along_depth<J>() ? width : 0;
        if (along_columns<J>() && !along_depth<J>())
          side_by_side_at(copy, elements<J>(row) + tile * width * walk.template step<J>(last),
                          walk.template step<J>(last), width_of(tile), at + J, count, 1, width, false);
        cursor = {along_columns<J>() && along_depth<J>() ? copy + here * piece * width : copy, next};
      } else new (&cursor) C{get<J>(operands).source};
    };
    (one(index_sequence<I>{}, get<I>(from)), ...);
  }
};

/// Reduces all tiles; the results are run.finish(row's position, values, column, axis).
template <class Set, class Tiles, class Run>
void reduce_in_tiles(const Tiles& all, const Run& run) {
  const auto each = all.cut();
  const index_t rows = all.rows(), tiles = all.parts(all.columns(), Tiles::width),
                across = all.parts(tiles, each.tiles);
  const index_t tasks = all.parts(rows, each.rows) * across, bytes = all.bytes_of_task(each),
                workers = algorithm::min<index_t>(tasks, all.threads());
  const scratch<std::byte> memory(workers * bytes);
  for_tasks(workers, all.cost(), [&](index_t worker) {
    for (index_t task = worker; task < tasks; task += workers) {
      const index_t r0 = task / across * each.rows, t0 = task % across * each.tiles;
      const index_t r1 = algorithm::min(r0 + each.rows, rows), t1 = algorithm::min(t0 + each.tiles, tiles);
      all.run(each, r0, r1, t0, t1, &memory[worker * bytes],
              [&](const auto& row, auto& sums, index_t first, index_t n) {
                in_widest_vectors(
                    [](const Run* to, const auto& position, const auto* values, index_t column, index_t count) {
                      for (index_t i = 0; i < count; ++i)
                        to->finish(position, lane<Set>(*values, i, make_index_sequence<Set::size>{}), column + i,
                                   Tiles::last);
                    },
                    &run, row, &sums.result(), first, n);
              });
    }
  });
}

}  // namespace lazyfuse::host_detail
