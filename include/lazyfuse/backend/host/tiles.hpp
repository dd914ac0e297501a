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
template <class Set, class Sources, class Operands, int K, int R, int Width = width_of_tile(bytes_of_column<Set>)>
struct tiles;
template <class Set, class... Src, class Operands, int K, int R, int Width>
struct tiles<Set, list<Src...>, Operands, K, R, Width> {
  using tuned = dpp::tuning<dpp::reductions, host>;
  using walk_type = row_walk<Operands, list<Src...>, R>;
  using position = typename walk_type::position;
  using cursors = typename walk_type::cursors;
  using seq = typename walk_type::seq;
  static constexpr int count = sizeof...(Src), last = K - 1;
  static constexpr bool possible = K > 0 && K < R && (0 + ... + int(Src::is_memory)) >= 2 &&
                                   ((Src::is_memory || is_constant<Src>)&&...) && !Set::has_ordered && !Set::has_near &&
                                   !Set::absorbs;
  static constexpr int width = Width;
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

  /// Whether operands are read often enough to be copied.
  bool reuses() const { return reuses(seq{}); }
  /// How many results are computed: of whole tiles.
  index_t computed(int height = 1) const { return parts(rows(), height) * height * parts(columns(), width) * width; }

  double cost() const { return double(rows()) * double(columns()) * double(depth()) * (Set::prologue::cost + 1); }
  /// Those that are woken for it.
  int threads() const { return cost() < worth_threads || !threads_wake() ? 1 : thread_count(); }

  /// What one thread works with: so many rows of so many tiles at a time.
  struct shape_of_task {
    index_t rows, tiles;
  };
  /// As many as reuse what is copied, and no more than leave every thread some. Height: of rows that are taken at once.
  shape_of_task cut(index_t height = 1) const {
    const index_t tiles = parts(columns(), width), rows = parts(this->rows(), height);
    index_t heights = parts(rows * height, tuned::most_tile_rows),
            groups = parts(tiles, rows == 1 ? tuned::tiles_of_row : tuned::tiles_of_task);
    const auto tall = [&] { return parts(rows, heights) * height > 2 * tuned::least_tile_rows; };
    const index_t enough = threads() == 1 ? 1 : (rows == 1 ? 2 : 8) * threads();
    while (heights * groups < enough && (tall() || groups < tiles)) ++(tall() ? heights : groups);
    return {parts(rows, heights), parts(tiles, groups)};
  }
  /// Rows, as tasks count them.
  index_t units() const { return rows(); }

  index_t bytes_of_task(const shape_of_task& s) const { return bytes_of_task(s, seq{}); }

  /// Rows [r0, r1) of the tiles [t0, t1), in a task's memory. Calls found(row's position, values, the first lane,
  /// column, columns) when their last elements are added.
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
      copy_shared(c, row, at, n, t0, t1, d == 0, seq{});
      for (index_t r = r0; r < r1; ++r, row.next()) {
        copy_of_row(c, row, at, n, seq{});
        for (index_t t = t0; t < t1; ++t) {
          cursors from;
          seek(from, c, row, at, t, t - t0, seq{});
          sums* const total = totals + apart * ((r - r0) * (t1 - t0) + t - t0);
          if (d == 0) new (total) sums;
          total->template add_rows<count>(from, n);
          if (d + n == deep) found(row, total->result(), 0, t * width, width_of(t));
        }
      }
    }
  }

 protected:
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
    else return (in_all_tiles(I) ? s.tiles : 1) * elements_of_tile(I);
  }
  index_t elements_of_tile(int operand) const { return (known.of[operand].depth ? piece : sums::together) * width; }
  /// Whether an operand is copied for all tiles before the rows, which do not change it.
  bool in_all_tiles(int operand) const {
    return known.of[operand].columns && (known.of[operand].depth || !known.of[operand].rows);
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
  /// What all columns have in common, at n depths.
  template <int I>
  void spread_of(copies& c, const position& row, const index_t* at, index_t n) const {
    const bool deep = known.of[I].depth;
    spread<width>(get<I>(c).data, elements<I>(row), at + I, deep ? count : 0, deep ? n : sums::together);
  }
  /// The columns of a tile, at n depths.
  template <int I>
  void columns_of(copies& c, index_t first, const position& row, index_t tile, const index_t* at, index_t n) const {
    const strided& from = of(I);
    const bool deep = known.of[I].depth;
    const index_t step = from.steps[last];
    const bool turned = deep && K + 1 == R && step != 1 && from.steps[R - 1] == 1;
    side_by_side_at(bytes_at(get<I>(c).data + first), bytes_at(elements<I>(row) + tile * width * step), from.bytes,
                    step, width_of(tile), at + I, deep ? count : 0, deep ? n : sums::together, width, turned);
  }
  /// What all rows read: of each tile its columns, or what these have in common. Begins: nothing is there yet.
  template <int... I>
  void copy_shared(copies& c, const position& row, const index_t* at, index_t n, index_t t0, index_t t1, bool begins,
                   index_sequence<I...>) const {
    const auto one = [&]<int J>(index_sequence<J>) {
      if constexpr (in_memory<J>) {
        if (!known.of[J].is_first || known.of[J].rows) return;
        if (!known.of[J].columns) return spread_of<J>(c, row, at, n);
        for (index_t t = t0; t < t1 && (begins || known.of[J].depth); ++t)
          columns_of<J>(c, (t - t0) * elements_of_tile(J), row, t, at, n);
      }
    };
    (one(index_sequence<I>{}), ...);
  }
  /// What the columns of a row have in common.
  template <int... I>
  void copy_of_row(copies& c, const position& row, const index_t* at, index_t n, index_sequence<I...>) const {
    const auto one = [&]<int J>(index_sequence<J>) {
      if constexpr (in_memory<J>)
        if (known.of[J].is_first && known.of[J].rows && !known.of[J].columns) spread_of<J>(c, row, at, n);
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
        if (known.of[J].is_first && known.of[J].columns && !in_all_tiles(J)) columns_of<J>(c, 0, row, tile, at, 1);
        cursor = {in_all_tiles(J) ? copy + here * elements_of_tile(J) : copy, next};
      } else new (&cursor) C{get<J>(operands).source};
    };
    (one(index_sequence<I>{}, get<I>(from)), ...);
  }
};

/// Reduces all tiles; the results are run.finish(row's position, values, column, axis).
template <class Set, class Tiles, class Run>
void reduce_in_tiles(const Tiles& all, const Run& run) {
  const auto each = all.cut();
  const index_t units = all.units(), tiles = all.parts(all.columns(), Tiles::width),
                across = all.parts(tiles, each.tiles);
  const index_t tasks = all.parts(units, each.rows) * across, bytes = all.bytes_of_task(each),
                workers = algorithm::min<index_t>(tasks, all.threads());
  const index_t elements = all.rows() * all.columns() * all.depth();  // not of a task: that would depend on the threads
  const scratch<std::byte> memory(workers * bytes);
  for_tasks(workers, all.cost(), [&](index_t worker) {
    for (index_t task = worker; task < tasks; task += workers) {
      const index_t r0 = task / across * each.rows, t0 = task % across * each.tiles;
      const index_t r1 = algorithm::min(r0 + each.rows, units), t1 = algorithm::min(t0 + each.tiles, tiles);
      in_widest_vectors<reads_plain<typename Tiles::cursors> && adds_plain<Set> && Run::plain_results>(
          elements,
          [](const Tiles* own, const Run* to, const auto&... of_task) {
            own->run(of_task..., [to](const auto& row, const auto& values, index_t from, index_t first, index_t n) {
              for (index_t i = 0; i < n; ++i)
                to->finish(row, lane<Set>(values, from + i, make_index_sequence<Set::size>{}), first + i, Tiles::last);
            });
          },
          &all, &run, each, r0, r1, t0, t1, &memory[worker * bytes]);
    }
  });
}

}  // namespace lazyfuse::host_detail
