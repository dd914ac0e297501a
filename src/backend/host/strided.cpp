// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over operands and copies of their elements, for all expressions: a loop for each size of an element.
#include <lazyfuse/backend/host/strided.hpp>

#include "packing.hpp"

#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/core/algorithm.hpp>

namespace lazyfuse::host_detail {

void strided_odometer::seek(index_t linear) const {
  for (int k = to - 1; k >= from; --k) {
    const index_t q = extents[k] > 1 ? linear / extents[k] : linear, by = linear - q * extents[k] - at[k];
    at[k] += by;
    for (int i = 0; i < count; ++i) offsets[i] += by * all[i].steps[k];
    linear = q;
  }
}

namespace {

index_t magnitude(index_t n) { return n < 0 ? -n : n; }
index_t step_along(const strided& o, int axis) { return axis < 0 ? 0 : o.steps[axis]; }

/// Whether an operand is better read across rows than along them.
bool crossed(const strided& o, int inner, int across) {
  if (!o.in_memory || across < 0) return false;
  const index_t s = magnitude(o.steps[inner]), a = magnitude(o.steps[across]);
  return s > 1 && a != 0 && a < s;
}
std::byte* at_offset(const strided& o, index_t offset) { return o.data + offset * o.bytes; }

}  // namespace

bool reads_the_same(const strided& a, const strided& b, const index_t* extents, int rank) {
  if (a.bytes != b.bytes || a.in_memory != b.in_memory) return false;
  if (!a.in_memory) return false;
  for (int k = 0; k < rank; ++k)
    if (extents[k] > 1 && a.steps[k] != b.steps[k]) return false;
  return true;
}

row_layout strided_walk::layout() const {
  row_layout found{};
  for (const strided *o = all, *end = all + count; o != end; ++o) {
    if (o->bytes == 0) continue;
    const index_t s = step_along(*o, inner);
    const bool is_crossed = crossed(*o, inner, across);
    found.blocked = found.blocked || is_crossed;
    found.repeats = found.repeats || (s == 0 && inner >= 0);
    found.packs = found.packs || !o->in_memory || (s != 0 && s != 1 && !is_crossed);
  }
  return found;
}

void strided_walk::pack_blocks(std::byte* buffers, index_t pitch, const index_t* offsets, int rows, index_t first,
                               index_t n) const {
  for (int i = 0; i < count; ++i) {
    const strided& o = all[i];
    if (!crossed(o, inner, across)) continue;
    const index_t s = o.steps[inner];
    pack_block(buffers + o.buffer, pitch, at_offset(o, offsets[i] + first * s), o.bytes, o.steps[across], s, rows, n);
  }
}

void strided_walk::seek(element_run* to, std::byte* buffers, index_t pitch, const index_t* offsets, int row,
                        index_t first, index_t n, index_t run) const {
  for (int i = 0; i < count; ++i) {
    const strided& o = all[i];
    if (!o.in_memory) continue;
    const index_t s = step_along(o, inner);
    std::byte* const from = at_offset(o, offsets[i] + row * step_along(o, across) + first * s);
    if (s == 1) {
      to[i] = {from, run};
      continue;
    }
    std::byte* const buffer = buffers + o.buffer;
    if (s == 0) {
      repeat(buffer, from, o.bytes, run);
      to[i] = {buffer, 0};
    } else if (crossed(o, inner, across)) to[i] = {buffer + row * pitch * o.bytes, run};
    else {
      pack_row(buffer, from, o.bytes, s, n);
      to[i] = {buffer, run};
    }
  }
}

void strided_walk::seek_rows(element_run* to, std::byte* buffers, index_t pitch, const index_t* offsets,
                             index_t first) const {
  for (int i = 0; i < count; ++i) {
    const strided& o = all[i];
    if (!o.in_memory) continue;
    if (crossed(o, inner, across)) to[i] = {buffers + o.buffer, pitch};
    else to[i] = {at_offset(o, offsets[i] + first * step_along(o, inner)), step_along(o, across)};
  }
}

void strided_walk::gather(element_run* to, std::byte* buffers, const held_rows& rows, copied_row* there, index_t first,
                          index_t n) const {
  for (int i = 0; i < count; ++i) {
    const strided& o = all[i];
    if (!o.in_memory) continue;
    const index_t s = o.steps[inner], apart = step_along(o, across), begin = rows.offsets[i] + first * s;
    bool dense = s == 1 || n == 1;
    index_t offset = begin;
    for (int p = 0; dense && p < rows.places; ++p) {
      dense = rows.offsets[p * count + i] + first * s == offset && (rows.counts[p] == 1 || apart == n);
      offset += rows.counts[p] * n;
    }
    std::byte* next = buffers + o.buffer;
    to[i] = {dense ? at_offset(o, begin) : next, 0};
    if (dense) continue;
    const bool repeats = rows.places == 1 && apart == 0;
    copied_row& known = there[i];
    if (repeats && known.times >= rows.counts[0] && known.offset == begin && known.n == n) continue;
    known = {begin, n, repeats ? rows.counts[0] : 0};
    for (int p = 0; p < rows.places; ++p) {
      pack_rows(next, at_offset(o, rows.offsets[p * count + i] + first * s), o.bytes, apart, s, rows.counts[p], n);
      next += rows.counts[p] * n * o.bytes;
    }
  }
}

bool strided_walk::side_by_side(const row_layout& lies, int axis, index_t rows, index_t n) const {
  if (lies) return false;
  index_t bytes = 0;
  bool apart = true;
  for (int i = 0; i < count; ++i) {
    const strided& o = all[i];
    if (!o.in_memory) continue;
    bytes += o.bytes;
    const index_t s = o.steps[axis];
    apart = apart && (s == 0 || magnitude(s) * o.bytes >= far_rows_bytes);
  }
  return rows * n * bytes <= cached_rows_bytes || apart;
}

index_t largest_operand(const strided* all, int count, const index_t* extents, int rank) {
  index_t most = 0;
  for (int i = 0; i < count; ++i) {
    if (!all[i].in_memory) continue;
    index_t bytes = all[i].bytes;
    for (int k = 0; k < rank; ++k)
      if (all[i].steps[k] != 0) bytes *= extents[k];
    most = algorithm::max(most, bytes);
  }
  return most;
}

}  // namespace lazyfuse::host_detail
