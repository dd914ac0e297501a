// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the host walks operands: along the innermost axis in chunks, with every memory operand either
// contiguous or packed into a small buffer first, so that one vectorised loop serves all layouts. Random numbers and
// ranges of numbers are written into such a buffer, too.
#pragma once

#include <lazyfuse/backend/host/odometer.hpp>
#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/program/reductions.hpp>

#include <new>

namespace lazyfuse::host_detail {

using namespace ir;

/// Ranges are computed for a run before the loop that reads them, whose vectors have no products of 64 bits.
template <class Source>
inline constexpr bool is_written = grouped_source<Source> || kind_of_source<Source> == source_kind::ramp;
/// Bytes of an element in the buffer of an operand; 0: it has none.
template <class Source>
inline constexpr int buffered_bytes = is_written<Source> ? int(sizeof(typename Source::value_type))
                                                         : element_bytes<Source>;

/// An operand as the inner loop reads it; after a run of elements, the cursor moves on to where the next run starts, or
/// skips some elements, but where it stays at repeated ones, or passes some, which those are written out for. Of runs
/// that are whole rows nothing repeats along them, though it may from one to the next: whole() says so to those that
/// skip.
template <class Source>
struct cursor {  // constants
  using value_type = typename Source::value_type;
  Source source;
  LAZYFUSE_HD value_type at(index_t) const { return source.value; }
  LAZYFUSE_HD void move_on(index_t) {}
  LAZYFUSE_HD void skip(index_t) {}
  LAZYFUSE_HD void pass(index_t) {}
  LAZYFUSE_HD void whole() {}
};
/// Elements in memory, or in a buffer.
template <class Source>
  requires(buffered_bytes<Source> > 0)
struct cursor<Source> {
  using value_type = typename Source::value_type;
  const value_type* data;
  index_t next;
  /// Of bool the byte, compared: g++ vectorises that, and few uses of a bool in memory.
  LAZYFUSE_HD decltype(auto) at(index_t i) const {
    if constexpr (boolean<value_type>) return reinterpret_cast<const unsigned char*>(data)[i] != 0;
    else return (data[i]);
  }
  LAZYFUSE_HD void move_on(index_t runs) { data += runs * next; }
  LAZYFUSE_HD void skip(index_t n) { data += next == 0 ? 0 : n; }
  LAZYFUSE_HD void pass(index_t n) { data += n; }
  LAZYFUSE_HD void whole() { next = 1; }
};
/// What is made of its offset.
template <class Source>
  requires(buffered_bytes<Source> == 0 && !is_constant<Source>)
struct cursor<Source> {
  using value_type = typename Source::value_type;
  Source source;
  index_t first, step, next;
  LAZYFUSE_HD auto at(index_t i) const { return source.at(first + i * step); }
  LAZYFUSE_HD void move_on(index_t runs) { first += runs * next; }
  LAZYFUSE_HD void skip(index_t n) { first += n * step; }
  LAZYFUSE_HD void pass(index_t n) { skip(n); }
  LAZYFUSE_HD void whole() {}
};
template <class Seq, class... C>
constexpr bool all_plain(const numbered<Seq, C...>*) {
  return (is_plain<typename C::value_type> && ...);
}
/// Whether the elements of all operands are plain.
template <class Cursors>
inline constexpr bool reads_plain = all_plain(static_cast<const Cursors*>(nullptr));
template <class Cursors, int... I>
LAZYFUSE_HD void move_on(Cursors& c, index_t runs, index_sequence<I...>) {
  (get<I>(c).move_on(runs), ...);
}
template <class Cursors, int... I>
LAZYFUSE_HD void pass(Cursors& c, index_t n, index_sequence<I...>) {
  (get<I>(c).pass(n), ...);
}
template <class Cursors, int... I>
LAZYFUSE_HD void whole(Cursors& c, index_sequence<I...>) {
  (get<I>(c).whole(), ...);
}
template <class Cursors, int... I>
LAZYFUSE_HD void skip(Cursors& c, index_t n, index_sequence<I...>) {
  (get<I>(c).skip(n), ...);
}

/// The results of reductions that a loop reads: none. Others answer at<P>(i), for element i of the run.
struct no_values {
  LAZYFUSE_HD no_values from(index_t) const { return {}; }
  LAZYFUSE_HD void move_on(index_t) {}
};

/// The context of the inner loop: position i of the chunk.
template <class Cursors, class Values = no_values>
struct chunk_context {
  static_assert(ir::precomputes_as_it_says<Values>, "lazyfuse: values of a pass have precomputed<P>(i) if they say so");
  static constexpr bool precomputes = ir::precomputes<Values>;
  const Cursors& cursors;
  const Values& values;
  index_t i;
  template <int I>
  LAZYFUSE_HD auto operand() const {
    return get<I>(cursors).at(i);
  }
  template <class P>
  LAZYFUSE_HD auto stage_value() const {
    return values.template at<P>(i);
  }
  template <class P>
    requires requires(const Values& v) { v.template precomputed<P>(0); }
  LAZYFUSE_HD auto precomputed() const { return values.template precomputed<P>(i); }
};

template <class... Src>
constexpr int bytes_of_position(list<Src...>) {
  return (0 + ... + (Src::is_memory ? int(sizeof(typename Src::value_type)) : 0));
}
/// Elements of each operand that fit where they are packed.
template <class... Src>
constexpr int chunk_length(list<Src...>) {
  const int n = pack_bytes / (8 + (0 + ... + buffered_bytes<Src>));
  return n < least_chunk ? least_chunk : n > most_chunk ? most_chunk : n / 64 * 64;
}

/// Operands without their types, whose buffers have room for Chunk elements each.
template <int Chunk, class Operands, class... Src>
auto untyped(const Operands& operands, list<Src...>, const index_t* extents, int rank) {
  strided_table<int(sizeof...(Src))> table;
  int n = 0, buffer = 0;
  const auto one = [&]<class Source, int R>(const operand<Source, R>& o) {
    strided& to = table.all[n++];
    to = {nullptr, nullptr, buffered_bytes<Source>, buffer, Source::is_memory};
    if constexpr (Source::is_memory)  // which is only read
      to.data = reinterpret_cast<std::byte*>(const_cast<typename Source::value_type*>(address(o.source.data)));
    if constexpr (requires { o.steps; }) to.steps = o.steps.step;
    buffer += Chunk * buffered_bytes<Source>;
  };
  [&]<int... I>(index_sequence<I...>) { (one(get<I>(operands)), ...); }
  (make_index_sequence<sizeof...(Src)>{});
  table.count = leave_distinct(table.all, n, table.of, extents, rank);
  return table;
}

/// Everything about the operands of one iteration that the chunks of a task share.
template <class Operands, class Sources, int R>
struct row_walk;
template <class Operands, class... Src, int R>
struct row_walk<Operands, list<Src...>, R> {
  static constexpr int count = sizeof...(Src);
  static constexpr int in_memory_count = (0 + ... + Src::is_memory);
  static constexpr int chunk = chunk_length(list<Src...>{}), cost = (0 + ... + source_cost<Src>);
  static constexpr bool all_in_memory = ((Src::is_memory || is_constant<Src>)&&...);
  using cursors = pack<cursor<Src>...>;
  struct packings {
    alignas(64) std::byte bytes[chunk * (0 + ... + buffered_bytes<Src>)+1];
  };
  using seq = make_index_sequence<count>;
  using table_type = strided_table<count>;
  using position = odometer<count, R>;

  static table_type table_of(const Operands& operands, const index_t* extents) {
    return untyped<chunk>(operands, list<Src...>{}, extents, R);
  }

  /// Of one row whose elements are next to each other, or constants: nothing has to be found out about others.
  static bool is_dense_row(const Operands& operands) {
    const auto one = [&]<class Source>(const operand<Source, R>& o) {
      if constexpr (Source::is_memory && R > 0) return o.steps[R - 1] == 1;
      else return is_constant<Source>;
    };
    return [&]<int... I>(index_sequence<I...>) { return (one(get<I>(operands)) && ...); }
    (seq{});
  }
  static void seek_dense_row(cursors& c, const Operands& operands) {
    each(c, [&]<int I, class C>(index_sequence<I>, C& cursor) {
      if constexpr (in_memory<I>) cursor = {address(get<I>(operands).source.data), 0};
      else if constexpr (is_constant<type_at<I, Src...>>) new (&cursor) C{get<I>(operands).source};
    });
  }

  const Operands& operands;
  const table_type& table;  ///< the same ones
  int inner;                ///< the axis of the inner loop
  int across;               ///< the axis of neighbouring rows, or -1

  strided_walk untyped_walk() const { return {table.all, table.count, inner, across}; }
  row_layout layout() const { return untyped_walk().layout(); }

  /// Packs crossed operands for a block of rows; offsets are those of the first row.
  void pack_blocks(packings& p, const index_t* offsets, int rows, index_t first, index_t n) const {
    untyped_walk().pack_blocks(p.bytes, chunk / block_rows, offsets, rows, first, n);
  }
  /// Cursors for n elements from `first` of row `row`, in runs of `run`; offsets are those of row 0, which is also the
  /// first of a packed block. What repeats along a row is written out for one run. Copies: not all operands are read
  /// where they lie.
  void seek(cursors& c, packings& p, const index_t* offsets, int row, index_t first, index_t n, index_t run,
            bool copies = true) const {
    element_run at[count + 1];
    if constexpr (in_memory_count > 0)
      if (copies) untyped_walk().seek(at, p.bytes, chunk / block_rows, offsets, row, first, n, run);
    each(c, [&]<int I, class C>(index_sequence<I>, C& cursor) {
      if constexpr (!in_memory<I>) seek_source<I>(cursor, p, offsets[table.of[I]], row, first, n, run);
      else if (copies) set(cursor, at[table.of[I]]);
      else cursor = {address(get<I>(operands).source.data) + offsets[table.of[I]] + row * step<I>(across) + first, run};
    });
  }
  /// Cursors for n elements from `first`, of which the next run is the next row, whose offsets are `next`: operands
  /// that are read where they lie can ask for it early.
  void seek_columns(cursors& c, packings& p, const index_t* offsets, const index_t* next, index_t first,
                    index_t n) const {
    seek(c, p, offsets, 0, first, n, n);
    each(c, [&]<int I, class C>(index_sequence<I>, C& cursor) {
      const int k = table.of[I];
      if constexpr (in_memory<I>) cursor.next = table.all[k].steps[inner] == 1 ? next[k] - offsets[k] : 0;
      else if constexpr (written<I>) cursor.next = 0;  // its buffer, for one row
      else if constexpr (requires { cursor.next; }) cursor.next = next[k] - offsets[k];
    });
  }
  /// Cursors whose runs are rows: where no operand that is read repeats, and none is packed but in blocks, to p.
  void seek_rows(cursors& c, packings* p, const index_t* offsets, index_t first) const {
    element_run at[count + 1];
    if constexpr (in_memory_count > 0)
      if (p) untyped_walk().seek_rows(at, p->bytes, chunk / block_rows, offsets, first);
    each(c, [&]<int I, class C>(index_sequence<I>, C& cursor) {
      if constexpr (written<I>) cursor = {};  // not for what is packed
      else if constexpr (is_constant<type_at<I, Src...>>) new (&cursor) C{get<I>(operands).source};
      else {
        const auto& o = get<I>(operands);
        const index_t s = step<I>(inner), start = offsets[table.of[I]] + first * s;
        if constexpr (!in_memory<I>) cursor = {o.source, start, s, step<I>(across)};
        else if (p) set(cursor, at[table.of[I]]);
        else cursor = {address(o.source.data) + start, step<I>(across)};
      }
    });
  }
  /// Cursors for what was gathered.
  void set_all(cursors& c, const element_run* at) const {
    each(c, [&]<int I, class C>(index_sequence<I>, C& cursor) {
      if constexpr (in_memory<I>) set(cursor, at[table.of[I]]);
      else new (&cursor) C{get<I>(operands).source};
    });
  }

 private:
  template <int I>
  static constexpr bool in_memory = type_at<I, Src...>::is_memory;
  template <int I>
  static constexpr bool written = is_written<type_at<I, Src...>>;
  template <class F>
  static void each(cursors& c, const F& f) {
    [&]<int... I>(index_sequence<I...>) { (f(index_sequence<I>{}, get<I>(c)), ...); }
    (seq{});
  }
  template <class C>
  static void set(C& cursor, const element_run& at) {
    cursor = {reinterpret_cast<const typename C::value_type*>(at.data), at.next};
  }
  template <int I>
  index_t step(int axis) const {
    return axis < 0 ? 0 : table.all[table.of[I]].steps[axis];
  }
  template <int I, class C>
  void seek_source(C& c, packings& p, index_t offset, int row, index_t first, index_t n, index_t run) const {
    const auto& o = get<I>(operands);
    if constexpr (is_constant<type_at<I, Src...>>) new (&c) C{o.source};
    else {
      const index_t s = step<I>(inner), at = offset + row * step<I>(across) + first * s;
      if constexpr (!written<I>) c = {o.source, at, s, run * s};
      else {
        auto* const made = reinterpret_cast<typename C::value_type*>(p.bytes + table.all[table.of[I]].buffer);
        if constexpr (requires { o.source.lying(at, n); }) {
          if (s == 1)
            if (const auto* const there = o.source.lying(at, n)) return void(c = {there, run});
        }
        o.source.write(made, at, s, s == 0 ? 1 : n);
        if (s == 0) algorithm::fill_n(made + 1, run - 1, *made);
        c = {made, s == 0 ? 0 : run};
      }
    }
  }
};

}  // namespace lazyfuse::host_detail
