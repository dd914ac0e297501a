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

#include <type_traits>

namespace lazyfuse::host_detail {

/// Copies an element N times for each of `count` places, which are `distance` numbers apart.
template <int N, class T>
void spread(T* to, const T* from, const index_t* at, index_t distance, index_t count) {
  for (index_t r = 0; r < count; ++r, to += N) {
    const T value = from[at[r * distance]];
    for (int l = 0; l < N; ++l) to[l] = value;
  }
}

template <class Source>
inline constexpr char type_tag{};

/// The axes are [rows: kept ones but the last | columns: the last kept one | depth: reduced ones].
template <class Set, class Sources, class Operands, int K, int R>
struct tiles;
template <class Set, class... Src, class Operands, int K, int R>
struct tiles<Set, list<Src...>, Operands, K, R> {
  using tuned = dpp::tuning<dpp::reductions, host>;
  using walk_type = row_walk<Operands, list<Src...>, R>;
  using position = typename walk_type::position;
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
  const typename walk_type::table_type& table;

  const strided& of(int operand) const { return table.all[table.of[operand]]; }
  index_t size(int from, int to) const {
    index_t n = 1;
    for (int k = from; k < to; ++k) n *= extents[k];
    return n;
  }
  static constexpr index_t parts(index_t n, index_t each) { return (n + each - 1) / each; }
  template <int I>
  static constexpr bool in_memory = type_at<I, Src...>::is_memory;
  /// Along which axes an operand differs, and the first operand of its type that reads the same elements: these share
  /// its copy.
  struct fact {
    bool rows, columns, depth, is_first;
    int first;
  };
  struct facts {
    fact of[count > 0 ? count : 1];
  };
  facts known = find_out();
  facts find_out() const {
    facts found;
    constexpr bool are_constants[] = {is_constant<Src>..., true};
    constexpr const char* types[] = {&type_tag<Src>..., nullptr};
    for (int i = 0; i < count; ++i) {
      if (are_constants[i]) {
        found.of[i] = {};
        continue;
      }
      const auto varies = [&](int from, int to) {
        bool differs = false;
        for (int k = from; k < to; ++k) differs = differs || (extents[k] > 1 && of(i).steps[k] != 0);
        return differs;
      };
      int first = 0;
      while (first < i && (are_constants[first] || types[first] != types[i] || table.of[first] != table.of[i])) ++first;
      found.of[i] = {varies(0, last), varies(last, K), varies(K, R), first == i, first};
    }
    return found;
  }

  index_t rows() const { return size(0, last); }
  index_t columns() const { return extents[last]; }
  index_t depth() const { return size(K, R); }

  /// Whether there are so many results, of so many elements, that operands are read often enough to be copied.
  static bool pays(const index_t* extents, const Operands& operands) {
    if constexpr (possible) {
      index_t rows = 1, depth = 1;
      for (int k = 0; k < last; ++k) rows *= extents[k];
      for (int k = K; k < R; ++k) depth *= extents[k];
      if (Set::prologue::cost > tuned::cheap_in_tiles && depth > piece) return false;  // sums in registers gain nothing
      if (depth < 2 || extents[last] < tuned::least_tile_columns || rows * extents[last] < tuned::least_tile_results)
        return false;
      const auto table = walk_type::table_of(operands, extents);
      return tiles{extents, operands, table}.reuses(seq{});
    } else return false;
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

  /// Rows [r0, r1) of the tiles [t0, t1), in a task's memory. Calls found(row's position, sums, column, columns) when
  /// their last elements are added.
  template <class F>
  [[gnu::always_inline]] void run(const shape_of_task& s, index_t r0, index_t r1, index_t t0, index_t t1,
                                  std::byte* memory, const F& found) const {
    auto* const totals = reinterpret_cast<sums*>(memory);
    copies c{};
    std::byte* next = memory + lines(kept_sums(s) * index_t{sizeof(sums)});
    give_room(s, c, next, seq{});
    const index_t deep = depth(), apart = deep > piece;
    position at_depth{&table, extents, K, R};
    for (index_t d = 0; d < deep; d += piece, at_depth.next()) {
      const index_t n = algorithm::min(piece, deep - d);
      index_t at[piece * (count + 1)];  // of the operands, at each of these depths
      for (index_t k = 0; k < n; ++k) {
        if (k > 0) at_depth.next();
        for (int i = 0; i < count; ++i) at[k * count + i] = at_depth.offset(i);
      }
      position row{&table, extents, 0, last};
      row.seek(r0);
      copy_shared(c, row, at, n, t0, t1, seq{});
      for (index_t r = r0; r < r1; ++r, row.next()) {
        copy_of_row(c, row, at, n, seq{});
        for (index_t t = t0; t < t1; ++t) {
          cursors from;
          seek(from, c, row, at, t, t - t0, seq{});
          sums* const total = totals + apart * ((r - r0) * (t1 - t0) + t - t0);
          if (d == 0) new (total) sums;
          total->template add_rows<count>(from, n);
          if (d + n == deep) found(row, *total, t * width, width_of(t));
        }
      }
    }
  }

 private:
  template <int... I>
  bool reuses(index_sequence<I...>) const {
    const auto is_copied_once = [&]<int J>(index_sequence<J>) {
      return !known.of[J].depth || !known.of[J].columns || (!known.of[J].rows && rows() >= tuned::least_tile_rows);
    };
    return (is_copied_once(index_sequence<I>{}) && ...) && (known.of[I].columns || ...) &&
           ((known.of[I].depth && !known.of[I].columns) || ...);
  }

  /// Elements of the copy of operand I.
  template <int I>
  index_t elements_of_copy(const shape_of_task& s) const {
    if constexpr (!in_memory<I>) return 0;
    else if (!known.of[I].is_first) return 0;
    else {
      const index_t deep = known.of[I].depth ? piece : 1;
      return (known.of[I].columns && known.of[I].depth ? s.tiles : 1) * deep * width;
    }
  }
  /// Those of one tile, where nothing is added later.
  index_t kept_sums(const shape_of_task& s) const { return depth() > piece ? s.rows * s.tiles : 1; }
  static constexpr index_t lines(index_t bytes) { return parts(bytes, line_bytes) * line_bytes; }
  template <int... I>
  index_t bytes_of_task(const shape_of_task& s, index_sequence<I...>) const {
    return lines(kept_sums(s) * index_t{sizeof(sums)}) +
           (0 + ... + lines(elements_of_copy<I>(s) * index_t{sizeof(typename type_at<I, Src...>::value_type)}));
  }

  template <class Source>
  struct copy_of {
    typename Source::value_type* data;
  };
  using copies = pack<copy_of<Src>...>;

  index_t width_of(index_t tile) const { return algorithm::min<index_t>(width, extents[last] - tile * width); }
  template <int I>
  auto* elements(const position& at) const {
    return address(get<I>(operands).source.data) + at.offset(I);
  }
  template <class T>
  static auto* bytes_at(T* p) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>*>(p);
  }
  template <int... I>
  void give_room(const shape_of_task& s, copies& c, std::byte*& next, index_sequence<I...>) const {
    std::byte* rooms[count] = {};
    const auto one = [&]<int J, class T>(index_sequence<J>, copy_of<T>& to) {
      if (known.of[J].is_first) rooms[J] = next;
      to.data = reinterpret_cast<typename T::value_type*>(rooms[known.of[J].first]);
      next += lines(elements_of_copy<J>(s) * index_t{sizeof(typename T::value_type)});
    };
    (one(index_sequence<I>{}, get<I>(c)), ...);
  }
  /// What all rows read: of each tile its columns, or what these have in common.
  template <int... I>
  void copy_shared(copies& c, const position& row, const index_t* at, index_t n, index_t t0, index_t t1,
                   index_sequence<I...>) const {
    const auto one = [&]<int J>(index_sequence<J>) {
      if constexpr (in_memory<J>) {
        if (!known.of[J].is_first || known.of[J].rows || (known.of[J].columns && !known.of[J].depth)) return;
        const index_t rows = known.of[J].depth ? n : 1;
        const int bytes = of(J).bytes;
        if (!known.of[J].columns) return spread<width>(get<J>(c).data, elements<J>(row), at + J, count, rows);
        const index_t step = of(J).steps[last];
        const bool turned = K + 1 == R && step != 1 && of(J).steps[R - 1] == 1;
        for (index_t t = t0; t < t1; ++t)
          side_by_side_at(bytes_at(get<J>(c).data + (t - t0) * piece * width),
                          bytes_at(elements<J>(row) + t * width * step), bytes, step, width_of(t), at + J, count, rows,
                          width, turned);
      }
    };
    (one(index_sequence<I>{}), ...);
  }
  /// What the columns of a row have in common.
  template <int... I>
  void copy_of_row(copies& c, const position& row, const index_t* at, index_t n, index_sequence<I...>) const {
    const auto one = [&]<int J>(index_sequence<J>) {
      if constexpr (in_memory<J>)
        if (known.of[J].is_first && known.of[J].rows && !known.of[J].columns)
          spread<width>(get<J>(c).data, elements<J>(row), at + J, count, known.of[J].depth ? n : 1);
    };
    (one(index_sequence<I>{}), ...);
  }
  template <int... I>
  void seek(cursors& from, copies& c, const position& row, const index_t* at, index_t tile, index_t here,
            index_sequence<I...>) const {
    const auto one = [&]<int J, class C>(index_sequence<J>, C& cursor) {
      if constexpr (in_memory<J>) {
        auto* const copy = get<J>(c).data;
        const index_t next = known.of[J].depth ? width : 0;
        if (known.of[J].is_first && known.of[J].columns && !known.of[J].depth)
          side_by_side_at(bytes_at(copy), bytes_at(elements<J>(row) + tile * width * of(J).steps[last]), of(J).bytes,
                          of(J).steps[last], width_of(tile), at + J, count, 1, width, false);
        cursor = {known.of[J].columns && known.of[J].depth ? copy + here * piece * width : copy, next};
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
  const index_t elements = rows * all.columns() * all.depth();  // not of a task: that would depend on the threads
  const scratch<std::byte> memory(workers * bytes);
  for_tasks(workers, all.cost(), [&](index_t worker) {
    for (index_t task = worker; task < tasks; task += workers) {
      const index_t r0 = task / across * each.rows, t0 = task % across * each.tiles;
      const index_t r1 = algorithm::min(r0 + each.rows, rows), t1 = algorithm::min(t0 + each.tiles, tiles);
      in_widest_vectors<reads_plain<typename Tiles::cursors> && adds_plain<Set> && Run::plain_results>(
          elements,
          [](const Tiles* own, const Run* to, const auto&... of_task) {
            own->run(of_task..., [to](const auto& row, auto& sums, index_t first, index_t n) {
              const auto& values = sums.result();
              for (index_t i = 0; i < n; ++i)
                to->finish(row, lane<Set>(values, i, make_index_sequence<Set::size>{}), first + i, Tiles::last);
            });
          },
          &all, &run, each, r0, r1, t0, t1, &memory[worker * bytes]);
    }
  });
}

}  // namespace lazyfuse::host_detail
