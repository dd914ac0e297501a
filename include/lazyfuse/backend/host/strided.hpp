// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands and results without their types: where elements lie, how far apart they are, how many bytes they have. What
// walks over them and copies them is compiled once, in the library, and not for every expression.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <cstddef>

namespace lazyfuse::host_detail {

/// Rows that are packed together when an operand is contiguous across rows (a transposed one).
inline constexpr int block_rows = 32;

/// An operand or a result.
struct strided {
  std::byte* data;       ///< its element at offset 0
  const index_t* steps;  ///< along each axis; null: a constant, which nobody walks over
  int bytes;             ///< of an element in its buffer; 0: it needs none
  int buffer;            ///< where in the buffers of all that begins
  bool in_memory;        ///< else its own type writes to its buffer
};
/// Whether two operands at one address have the same elements everywhere.
bool reads_the_same(const strided& a, const strided& b, const index_t* extents, int rank);
/// Brings those that differ and are no constants to the front, and says in `of` which of them each was. Returns how
/// many they are.
inline int leave_distinct(strided* all, int count, int* of, const index_t* extents, int rank) {
  int distinct = 0;
  for (int i = 0; i < count; ++i) {
    of[i] = 0;
    if (!all[i].steps) continue;
    int same = 0;
    while (same < distinct && (all[same].data != all[i].data || !reads_the_same(all[same], all[i], extents, rank)))
      ++same;
    of[i] = same;
    if (same == distinct) all[distinct++] = all[i];
  }
  return distinct;
}

/// Where a loop finds an operand, and how many elements further its next run starts.
struct element_run {
  std::byte* data;
  index_t next;
};

/// The offsets of `count` operands at an index over the axes [from, to); moves on without dividing.
struct strided_odometer {
  const strided* all;
  int count;
  const index_t* extents;
  int from, to;
  index_t *at, *offsets;

  void seek(index_t linear) const;
  /// Moves on, at most to the end of the last axis.
  void next(index_t by) const {
    for (int k = to - 1; k >= from; --k) {
      const bool ends = at[k] + by >= extents[k];
      const index_t moved = ends ? -at[k] : by;
      at[k] += moved;
      for (int i = 0; i < count; ++i) offsets[i] += moved * all[i].steps[k];
      if (!ends) return;
      by = 1;
    }
  }
};

/// What rows have to be prepared for.
struct row_layout {
  bool blocked;  ///< an operand is contiguous across rows: they are worth taking in blocks
  bool repeats;  ///< an operand repeats one element along the row
  bool packs;    ///< an operand is packed row by row
  explicit operator bool() const { return blocked || repeats || packs; }
};

/// Some rows: so many from each of some places on, across which they lie; each place has the offsets of all operands.
struct held_rows {
  const index_t *offsets, *counts;
  int places;
};
/// What a buffer has several times: the row at an offset.
struct copied_row {
  index_t offset, n, times = 0;
};

/// Operands along the axis of an inner loop, and across its rows; an axis is -1 where there is none.
struct strided_walk {
  const strided* all;
  int count, inner, across;

  row_layout layout() const;
  /// Packs crossed operands for a block of rows, `pitch` elements apart; offsets are those of the first row.
  void pack_blocks(std::byte* buffers, index_t pitch, const index_t* offsets, int rows, index_t first, index_t n) const;
  /// Where n elements from `first` of row `row` are, in runs of `run`; offsets are those of row 0, which is also the
  /// first of a packed block. What repeats along a row is written out for one run.
  void seek(element_run* to, std::byte* buffers, index_t pitch, const index_t* offsets, int row, index_t first,
            index_t n, index_t run) const;
  /// The same for rows that are runs, of which no operand repeats, and none is packed but in blocks.
  void seek_rows(element_run* to, std::byte* buffers, index_t pitch, const index_t* offsets, index_t first) const;
  /// Where the n elements from `first` on of all rows are next to each other. Rows that do not lie so are copied to the
  /// buffers, which `there` describes: what repeats is in them already.
  void gather(element_run* to, std::byte* buffers, const held_rows& rows, copied_row* there, index_t first,
              index_t n) const;
  /// Whether rows are better read several at once, of `rows` with n elements each: each where it lies, and so that the
  /// processor fetches them early. It follows a few long rows, or one place that goes through short ones.
  bool side_by_side(const row_layout& lies, int axis, index_t rows, index_t n) const;
};

/// Operands and results of an iteration over rows of few elements, of which several are taken at once: what does not
/// lie as the iteration goes is copied for that, equal operands once.
struct short_rows {
  const strided* read;
  int read_count;
  const strided* written;
  int written_count;
  const index_t* extents;
  int rank;
};
/// Some of these rows: from row `first` on, next to each other.
struct gathered_rows {
  const element_run *read, *written;
  index_t first, count;
};
/// Whether that pays; blocked: an operand is contiguous across rows.
bool worth_gathering(const short_rows& all, index_t rows, bool blocked);
/// Calls run(context, some rows) until all are done, in tasks; results that it wrote elsewhere are copied to where they
/// belong.
void gather_rows(const short_rows& all, index_t rows, double cost, void (*run)(const void*, const gathered_rows&),
                 const void* context);
template <class Run>
void gather_rows(const short_rows& all, index_t rows, double cost, const Run& run) {
  const auto call = [](const void* context, const gathered_rows& some) { (*static_cast<const Run*>(context))(some); };
  gather_rows(all, rows, cost, call, &run);
}

/// Bytes of the elements that the largest operand in memory has, if none of its steps lead to the same one.
index_t largest_operand(const strided* all, int count, const index_t* extents, int rank);

/// Copies `columns` elements a step apart for each of `rows` places, which are at[0], at[apart], ... elements from
/// `from`, and the last of them until there are n. Turned: the places are next to each other.
void side_by_side_at(std::byte* to, const std::byte* from, int bytes, index_t step, index_t columns, const index_t* at,
                     index_t apart, index_t rows, int n, bool turned);
/// Stores rows of n elements each that lie next to each other.
void scatter_rows(std::byte* to, const std::byte* from, int bytes, index_t row_step, index_t step, index_t rows,
                  index_t n);

}  // namespace lazyfuse::host_detail
