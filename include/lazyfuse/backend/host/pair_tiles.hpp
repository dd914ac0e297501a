// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of programs of two operands, as in products of matrices and in distances: one is the same in all columns, the
// other in all rows. Several rows of a tile are added up at once, whose sums stay in registers. Which operand is a
// number there, and which one a vector, types say: the first differs from row to row, or rows and columns are
// exchanged.
#pragma once

#include <lazyfuse/backend/host/tiles.hpp>

namespace lazyfuse::host_detail {

/// Which operands a program reads, as bits.
struct operands_read {
  template <int I>
  static constexpr uint64 operand = I < 64 ? uint64{1} << I : 0;
  template <class T, auto V>
  static constexpr uint64 literal = 0;
  template <class Op, class... V>
  static constexpr uint64 apply(V... values) {
    return (uint64{0} | ... | values);
  }
  template <class Kind, class... P>
  static constexpr uint64 stage = 0;
};
/// The two operands in memory that programs read, if they are two.
struct operand_pair {
  int first = -1, second = -1, count = 0;
};
template <class... P, class... Src>
constexpr operand_pair pair_of(list<P...>, list<Src...>) {
  constexpr bool in_memory[] = {Src::is_memory..., false};
  const uint64 read = (uint64{0} | ... | fold<operands_read, P>);
  operand_pair found;
  for (int i = 0; i < int(sizeof...(Src)); ++i)
    if (in_memory[i] && (i >= 64 || (read >> i & 1) != 0)) (found.count++ == 0 ? found.first : found.second) = i;
  return found;
}

/// Element `row` of operand OfRows, and element i of all others.
template <int OfRows, class Cursors>
struct pair_context {
  static constexpr bool precomputes = false;
  const Cursors& cursors;
  index_t row, i;
  template <int I>
  LAZYFUSE_HD auto operand() const {
    return get<I>(cursors).at(I == OfRows ? row : i);
  }
};

/// The sums of H rows of N columns.
template <class Set, int N, int H>
struct pair_sums : column_sums<Set, N * H> {
  /// Adds the elements of so many depths: of operand OfRows H of each, of OfColumns N.
  template <int OfRows, int OfColumns, class Cursors>
  [[gnu::always_inline]] void add_depths(Cursors from, index_t depths) {
    this->add_in_turns(
        depths, [&]<int Each>(auto& run) __attribute__((always_inline)) {
          [&]<int... Q>(index_sequence<Q...>) __attribute__((always_inline)) {
            (add_row<OfRows, Q, Each>(from, run), ...);
          }
          (make_index_sequence<H>{});
          get<OfRows>(from).pass(Each * H);
          get<OfColumns>(from).pass(Each * N);
        });
  }

 private:
  template <int OfRows, int Q, int Each, class Cursors, class Partials>
  [[gnu::always_inline]] static void add_row(const Cursors& from, Partials& run) {
    const no_values none{};
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index_t l = 0; l < N; ++l)
      add_up<Set, Each>(
          [&](int k) {
            return pair_context<OfRows, Cursors>{from, k * H + Q, k * N + l};
          },
          run, none, Q * N + l);
  }
};

template <class Set, class Sources, class Operands, int K, int R>
struct pair_tiles;
template <class Set, class... Src, class Operands, int K, int R>
struct pair_tiles<Set, list<Src...>, Operands, K, R>
    : tiles<Set, list<Src...>, Operands, K, R, width_of_tile(int(sizeof(typename Set::accumulators)))> {
  using base = tiles<Set, list<Src...>, Operands, K, R, width_of_tile(int(sizeof(typename Set::accumulators)))>;
  using base::count;
  using base::known;
  using base::last;
  using base::lines;
  using base::parts;
  using base::width;
  using typename base::cursors;
  using typename base::position;
  using typename base::seq;
  using typename base::shape_of_task;
  static constexpr int height = base::tuned::pair_rows;
  static constexpr index_t piece = base::tuned::pair_depth;
  static constexpr operand_pair both = pair_of(typename Set::prologue::roots{}, list<Src...>{});
  static constexpr int of_rows = both.first, of_columns = both.second;
  using row_type = typename type_at<of_rows, Src...>::value_type;
  using column_type = typename type_at<of_columns, Src...>::value_type;
  using sums = pair_sums<Set, width, height>;

  /// Whether operands lie so, and whether they do if the kept axes, which are two, are exchanged.
  bool lies() const { return !known.of[of_rows].columns && !known.of[of_columns].rows; }
  bool lies_turned() const { return K == 2 && !known.of[of_rows].rows && !known.of[of_columns].columns; }

  index_t across() const { return this->extents[last - 1]; }  ///< rows along one axis
  index_t units() const { return this->rows() / across() * parts(across(), height); }
  shape_of_task cut() const { return base::cut(height); }
  index_t bytes_of_sums(const shape_of_task& s) const {
    return lines((this->depth() > piece ? s.rows * s.tiles : 1) * index_t{sizeof(sums)});
  }
  static constexpr index_t bytes_of_rows = lines(piece * height * index_t{sizeof(row_type)});
  index_t bytes_of_task(const shape_of_task& s) const {
    return bytes_of_sums(s) + bytes_of_rows + lines(s.tiles * piece * width * index_t{sizeof(column_type)});
  }

  /// As that of tiles; of blocks of rows.
  template <class F>
  [[gnu::always_inline]] void run(const shape_of_task& s, index_t r0, index_t r1, index_t t0, index_t t1,
                                  std::byte* memory, const F& found) const {
    auto* const totals = reinterpret_cast<sums*>(memory);
    auto* const row_copy = reinterpret_cast<row_type*>(memory + bytes_of_sums(s));
    auto* const column_copy = reinterpret_cast<column_type*>(memory + bytes_of_sums(s) + bytes_of_rows);
    const index_t deep = this->depth(), apart = deep > piece, each = parts(across(), height);
    position at_depth{&this->table, this->extents, K, R};
    for (index_t d = 0; d < deep; d += piece, at_depth.next()) {
      const index_t n = algorithm::min(piece, deep - d);
      index_t at[2 * piece];  // at each of these depths
      for (index_t k = 0; k < n; ++k) {
        if (k > 0) at_depth.next();
        at[k] = at_depth.offset(of_rows);
        at[piece + k] = at_depth.offset(of_columns);
      }
      position row{&this->table, this->extents, 0, last};
      row.seek(r0 / each * across() + r0 % each * height);
      for (index_t t = t0; t < t1; ++t)
        copy<of_columns, width>(column_copy + (t - t0) * piece * width, row, last, t * width, this->width_of(t),
                                at + piece, n);
      for (index_t r = r0; r < r1; ++r) {
        const index_t some = algorithm::min<index_t>(height, across() - row.at[last - 1]);
        copy<of_rows, height>(row_copy, row, last - 1, 0, some, at, n);
        for (index_t t = t0; t < t1; ++t) {
          cursors from;
          seek(from, row_copy, column_copy + (t - t0) * piece * width, seq{});
          sums* const total = totals + apart * ((r - r0) * (t1 - t0) + t - t0);
          if (d == 0) new (total) sums;
          total->template add_depths<of_rows, of_columns>(from, n);
          if (d + n < deep) continue;
          const auto& values = total->result();
          position of_row = row;
          for (index_t q = 0; q < some; ++q, of_row.next())
            found(of_row, values, q * width, t * width, this->width_of(t));
        }
        row.next(some);
      }
    }
  }

 private:
  /// N elements of operand I from `first` on along an axis, of which there are `some`, at each of n depths.
  template <int I, int N, class T>
  void copy(T* to, const position& row, int axis, index_t first, index_t some, const index_t* at, index_t n) const {
    const strided& from = this->of(I);
    const index_t step = from.steps[axis];
    const bool turned = K + 1 == R && step != 1 && from.steps[R - 1] == 1;
    side_by_side_at(this->bytes_at(to), this->bytes_at(base::template elements<I>(row) + first * step), from.bytes,
                    step, some, at, 1, n, N, turned);
  }
  template <int... I>
  void seek(cursors& to, const row_type* rows, const column_type* columns, index_sequence<I...>) const {
    const auto one = [&]<int J, class C>(index_sequence<J>, C& cursor) {
      if constexpr (J == of_rows) cursor = {rows, 0};
      else if constexpr (J == of_columns) cursor = {columns, 0};
      else if constexpr (is_constant<type_at<J, Src...>>) new (&cursor) C{get<J>(this->operands).source};
    };
    (one(index_sequence<I>{}, get<I>(to)), ...);
  }
};

/// Those of programs of so many operands.
template <class Set, class Sources, class Operands, int K, int R>
struct tiles_of;
template <class Set, class... Src, class Operands, int K, int R>
struct tiles_of<Set, list<Src...>, Operands, K, R> {
  static constexpr bool of_two = K >= 2 && pair_of(typename Set::prologue::roots{}, list<Src...>{}).count == 2;
  using type = std::conditional_t<of_two, pair_tiles<Set, list<Src...>, Operands, K, R>,
                                  tiles<Set, list<Src...>, Operands, K, R>>;

  /// Whether operands lie so, there are so many results that these are read often enough to be copied, and few columns
  /// beyond the last one would be computed, or what that costs is little.
  static bool pays(const index_t* extents, const Operands& operands) {
    using tuned = reduce_tuning;
    if constexpr (type::possible) {
      index_t rows = 1, depth = 1;
      for (int k = 0; k < K - 1; ++k) rows *= extents[k];
      for (int k = K; k < R; ++k) depth *= extents[k];
      const index_t results = rows * extents[K - 1];
      if (depth < 2 || extents[K - 1] < tuned::least_tile_columns || results < tuned::few_tile_results) return false;
      const auto table = type::walk_type::table_of(operands, extents);
      const type all = of(extents, operands, table);
      index_t computed = all.computed();
      if constexpr (of_two) {
        if (!all.lies() && !all.lies_turned()) return false;
        computed = all.computed(type::height);
      }
      constexpr bool dear = Set::prologue::cost > tuned::cheap_in_tiles;
      const bool deep = depth > tuned::deep_tile;
      if (4 * results >= 3 * computed) {
        constexpr index_t enough = K == 1 || of_two ? tuned::some_tile_results : tuned::least_tile_results;
        return (!deep || results >= enough) && all.reuses();
      }
      const bool shallow = !dear || depth <= tuned::tile_depth;
      return shallow && (results >= tuned::least_tile_results || (of_two && !deep)) && all.reuses();
    } else return false;
  }
  /// Reduces all of them. Of two operands that lie the other way the kept axes are exchanged.
  template <class Run>
  static void reduce(const Run& run) {
    const type all = of(run.extents, run.operands, run.table);
    if constexpr (of_two && K == 2) {
      if (all.lies()) return reduce_in_tiles<Set>(all, run);
      index_t extents[R];
      algorithm::copy_n(run.extents, R, extents);
      Operands operands = run.operands;
      auto targets = run.targets;
      const auto exchange = [](auto& along) {
        const index_t first = along[0];
        along[0] = along[1];
        along[1] = first;
      };
      const auto exchange_of = [&](auto& one) {
        if constexpr (requires { one.steps; }) exchange(one.steps.step);
      };
      const auto exchange_all = [&]<int... I>(auto& pack, index_sequence<I...>) { (exchange_of(get<I>(pack)), ...); };
      exchange(extents);
      exchange_all(operands, make_index_sequence<sizeof...(Src)>{});
      exchange_all(targets, typename Run::target_seq{});
      const Run turned{extents, operands, targets};
      reduce_in_tiles<Set>(of(extents, operands, turned.table), turned);
    } else reduce_in_tiles<Set>(all, run);
  }

 private:
  template <class Table>
  static type of(const index_t* extents, const Operands& operands, const Table& table) {
    if constexpr (of_two) return {{extents, operands, table}};
    else return {extents, operands, table};
  }
};

}  // namespace lazyfuse::host_detail
