// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the host walks operands: along the innermost axis in chunks, with every memory operand either
// contiguous or packed into a small buffer first, so that one vectorised loop serves all layouts. Random numbers and
// ranges of numbers are written into such a buffer, too.
#pragma once

#include <lazyfuse/backend/host/odometer.hpp>
#include <lazyfuse/backend/host/packing.hpp>
#include <lazyfuse/backend/host/tuning.hpp>
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
/// skips some elements, but where it stays at repeated ones.
template <class Source>
struct cursor {  // constants
  using value_type = typename Source::value_type;
  Source source;
  LAZYFUSE_HD value_type at(index_t) const { return source.value; }
  LAZYFUSE_HD void move_on(index_t) {}
  LAZYFUSE_HD void skip(index_t) {}
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
};
/// What is made of its offset.
template <class Source>
  requires(buffered_bytes<Source> == 0 && !is_constant<Source>)
struct cursor<Source> {
  Source source;
  index_t first, step, next;
  LAZYFUSE_HD auto at(index_t i) const { return source.at(first + i * step); }
  LAZYFUSE_HD void move_on(index_t runs) { first += runs * next; }
  LAZYFUSE_HD void skip(index_t n) { first += n * step; }
};
template <class Cursors, int... I>
LAZYFUSE_HD void move_on(Cursors& c, index_t runs, index_sequence<I...>) {
  (get<I>(c).move_on(runs), ...);
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
/// Room for the packed elements of one operand.
template <class Source, int Chunk>
struct packing {};
template <class Source, int Chunk>
  requires(buffered_bytes<Source> > 0)
struct packing<Source, Chunk> {
  alignas(64) typename Source::value_type data[Chunk];
};

/// Everything about the operands of one iteration that the chunks of a task share.
template <class Operands, class Sources, int R>
struct row_walk;
template <class Operands, class... Src, int R>
struct row_walk<Operands, list<Src...>, R> {
  static constexpr int count = sizeof...(Src);
  static constexpr int in_memory_count = (0 + ... + Src::is_memory);
  static constexpr int chunk = chunk_length(list<Src...>{}), cost = (0 + ... + source_cost<Src>);
  using cursors = pack<cursor<Src>...>;
  using packings = pack<packing<Src, chunk>...>;
  using seq = make_index_sequence<count>;

  const Operands& operands;
  int inner;   ///< the axis of the inner loop
  int across;  ///< the axis of neighbouring rows, or -1

  /// Step of operand I along an axis; constants have none.
  template <int I>
  index_t step(int axis) const {
    const auto& o = get<I>(operands);
    if constexpr (requires { o.steps; }) return axis < 0 ? 0 : o.steps[axis];
    else return 0;
  }
  template <int I>
  bool crossed() const {
    const index_t s = step<I>(inner), a = step<I>(across);
    return across >= 0 && (s > 1 || s < -1) && a != 0 && (a < 0 ? -a : a) < (s < 0 ? -s : s);
  }
  template <int... I>
  bool any_crossed(index_sequence<I...>) const {
    return ((in_memory<I> && crossed<I>()) || ...);
  }
  /// Whether rows are worth taking in blocks.
  bool blocked() const { return any_crossed(seq{}); }

  template <int I>
  static constexpr bool in_memory = type_at<I, Src..., constant<int>>::is_memory;
  template <int I>
  static constexpr bool written = is_written<type_at<I, Src..., constant<int>>>;
  /// Whether an operand repeats one element along the row.
  template <int... I>
  bool repeats(index_sequence<I...>) const {
    return (((in_memory<I> || written<I>)&&step<I>(inner) == 0) || ...);
  }
  /// Whether an operand is packed row by row.
  template <int... I>
  bool packs(index_sequence<I...>) const {
    return ((written<I> || (in_memory<I> && step<I>(inner) != 0 && step<I>(inner) != 1 && !crossed<I>())) || ...);
  }

  /// Packs crossed operands for a block of rows; offsets are those of the first row.
  template <int... I>
  void pack_blocks(packings& p, const index_t* offsets, int rows, index_t first, index_t n,
                   index_sequence<I...>) const {
    (pack_block_of<I>(p, offsets[I], rows, first, n), ...);
  }
  template <int I>
  void pack_block_of(packings& p, index_t offset, int rows, index_t first, index_t n) const {
    if constexpr (type_at<I, Src...>::is_memory) {
      if (crossed<I>()) {
        const index_t s = step<I>(inner);
        pack_block(get<I>(p).data, chunk / block_rows, address(get<I>(operands).source.data) + offset + first * s,
                   step<I>(across), s, rows, n);
      }
    }
  }

  /// Cursors for n elements from `first` of row `row`, in runs of `run`; offsets are those of row 0, which is also the
  /// first of a packed block. What repeats along a row is written out for one run.
  template <int... I>
  void seek(cursors& c, packings& p, const index_t* offsets, int row, index_t first, index_t n, index_t run,
            index_sequence<I...>) const {
    (rebind_one<I>(get<I>(c), p, offsets[I], row, first, n, run), ...);
  }
  template <int I, class C>
  void rebind_one(C& c, packings& p, index_t offset, int row, index_t first, index_t n, index_t run) const {
    const auto& o = get<I>(operands);
    const index_t s = step<I>(inner), at = offset + row * step<I>(across) + first * s;
    if constexpr (in_memory<I>) {
      auto* const packed = get<I>(p).data;
      if (s == 1) c = {address(o.source.data) + at, run};
      else if (s == 0) {
        repeat(packed, address(o.source.data) + at, run);
        c = {packed, 0};
      } else if (crossed<I>()) c = {packed + row * (chunk / block_rows), run};
      else {
        pack_row(packed, address(o.source.data) + at, s, n);
        c = {packed, run};
      }
    } else if constexpr (written<I>) {
      auto* const made = get<I>(p).data;
      if constexpr (requires { o.source.lying(at, n); }) {
        if (s == 1)
          if (const auto* const there = o.source.lying(at, n)) return void(c = {there, run});
      }
      o.source.write(made, at, s, s == 0 ? 1 : n);
      if (s == 0) algorithm::fill_n(made + 1, run - 1, *made);
      c = {made, s == 0 ? 0 : run};
    } else if constexpr (requires { o.steps; }) c = {o.source, at, s, run * s};
    else new (&c) C{o.source};
  }
  /// Cursors for n elements from `first`, of which the next run is the next row, whose offsets are `next`: operands
  /// that are read where they lie can ask for it early.
  template <int... I>
  void seek_columns(cursors& c, packings& p, const index_t* offsets, const index_t* next, index_t first, index_t n,
                    index_sequence<I...> all) const {
    seek(c, p, offsets, 0, first, n, n, all);
    (turn<I>(get<I>(c), next[I] - offsets[I]), ...);
  }
  template <int I, class C>
  void turn(C& c, index_t next) const {
    if constexpr (in_memory<I>) c.next = step<I>(inner) == 1 ? next : 0;
    else if constexpr (written<I>) c.next = 0;  // its buffer, for one row
    else if constexpr (requires { c.next; }) c.next = next;
  }
  /// Whether rows are better read several at once, of `rows` with n elements each: each where it lies, and so that
  /// the processor fetches them early. It follows a few long rows, or one place that goes through short ones.
  template <int... I>
  bool side_by_side(int axis, index_t rows, index_t n, index_sequence<I...> all) const {
    const auto apart = [&]<int K>(index_sequence<K>) {
      const index_t s = step<K>(axis);
      return !in_memory<K> || s == 0 ||
             (s < 0 ? -s : s) * element_bytes<type_at<K, Src..., constant<int>>> >= far_rows_bytes;
    };
    return !packs(all) && !repeats(all) && !blocked() &&
           (rows * n * bytes_of_position(list<Src...>{}) <= cached_rows_bytes || (apart(index_sequence<I>{}) && ...));
  }
  /// Cursors whose runs are rows: where no operand that is read repeats, and none is packed but in blocks, to p.
  template <int... I>
  void seek_rows(cursors& c, packings* p, const index_t* offsets, index_t first, index_sequence<I...>) const {
    (seek_rows_of<I>(get<I>(c), p, offsets[I], first), ...);
  }
  template <int I, class C>
  void seek_rows_of(C& c, packings* p, index_t offset, index_t first) const {
    const auto& o = get<I>(operands);
    const index_t s = step<I>(inner), at = offset + first * s;
    if constexpr (in_memory<I>) {
      if (p && crossed<I>()) c = {get<I>(*p).data, chunk / block_rows};
      else c = {address(o.source.data) + at, step<I>(across)};
    } else if constexpr (written<I>) c = {};  // not for what is packed
    else if constexpr (requires { o.steps; }) c = {o.source, at, s, step<I>(across)};
    else new (&c) C{o.source};
  }
};

}  // namespace lazyfuse::host_detail
