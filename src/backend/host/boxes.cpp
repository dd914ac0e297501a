// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes of elements, whatever their type.
#include <lazyfuse/backend/host/boxes.hpp>
#include <lazyfuse/backend/host/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace lazyfuse::host_detail {

namespace {

/// n elements along an axis, of two that are within each other.
template <int Bytes>
void copy_plane(const box& b, const std::byte* from, std::byte* to, int outer, int inner) {
  struct element {
    std::byte bytes[Bytes];
  };
  const index_t n = b.extents[inner], rows = outer < 0 ? 1 : b.extents[outer];
  const index_t fs = b.from_steps[inner], ts = b.to_steps[inner];
  const index_t from_rows = outer < 0 ? 0 : b.from_steps[outer], to_rows = outer < 0 ? 0 : b.to_steps[outer];
  for (index_t r = 0; r < rows; ++r) {
    const auto* const f = reinterpret_cast<const element*>(from) + r * from_rows;
    auto* const t = reinterpret_cast<element*>(to) + r * to_rows;
    if (fs == 1 && ts == 1) {
      if (static_cast<const void*>(t) != f) std::memcpy(t, f, static_cast<std::size_t>(n) * Bytes);
    } else if (fs == 0 && ts == 1) std::fill_n(t, n, *f);
    else
      for (index_t i = 0; i < n; ++i) t[i * ts] = f[i * fs];
  }
}
void copy_plane(const box& b, const std::byte* from, std::byte* to, int outer, int inner) {
  switch (b.bytes) {
    case 1:
      return copy_plane<1>(b, from, to, outer, inner);
    case 2:
      return copy_plane<2>(b, from, to, outer, inner);
    case 4:
      return copy_plane<4>(b, from, to, outer, inner);
    case 8:
      return copy_plane<8>(b, from, to, outer, inner);
    case 16:
      return copy_plane<16>(b, from, to, outer, inner);
    default:
      break;
  }
  for (index_t r = 0; r < (outer < 0 ? 1 : b.extents[outer]); ++r)
    for (index_t i = 0; i < b.extents[inner]; ++i)
      std::memcpy(to + (i * b.to_steps[inner] + (outer < 0 ? 0 : r * b.to_steps[outer])) * b.bytes,
                  from + (i * b.from_steps[inner] + (outer < 0 ? 0 : r * b.from_steps[outer])) * b.bytes,
                  static_cast<std::size_t>(b.bytes));
}

/// Axes that are walked as one are one; those of one element are none.
box simplified(const box& b) {
  box s = b;
  s.rank = 0;
  for (int k = 0; k < b.rank; ++k) {
    if (b.extents[k] == 1) continue;
    const int last = s.rank - 1;
    if (last >= 0 && s.from_steps[last] == b.from_steps[k] * b.extents[k] &&
        s.to_steps[last] == b.to_steps[k] * b.extents[k]) {
      s.extents[last] *= b.extents[k];
      s.from_steps[last] = b.from_steps[k];
      s.to_steps[last] = b.to_steps[k];
      continue;
    }
    s.extents[s.rank] = b.extents[k];
    s.from_steps[s.rank] = b.from_steps[k];
    s.to_steps[s.rank++] = b.to_steps[k];
  }
  if (s.rank == 0) s.extents[0] = s.from_steps[0] = s.to_steps[0] = s.rank = 1;
  return s;
}

}  // namespace

void copy(const box& whole) {
  for (int k = 0; k < whole.rank; ++k)
    if (whole.extents[k] == 0) return;
  box b = simplified(whole);
  // The results' neighbours innermost, but for so few that a loop along another axis is longer.
  constexpr index_t few = 8;
  const auto swap_axes = [&](int i, int j) {
    std::swap(b.extents[i], b.extents[j]);
    std::swap(b.from_steps[i], b.from_steps[j]);
    std::swap(b.to_steps[i], b.to_steps[j]);
  };
  const int inner = b.rank - 1, outer = b.rank - 2;
  for (int k = 0; k < inner; ++k)
    if (b.to_steps[k] == 1) swap_axes(k, inner);
  const bool filled = b.from_steps[inner] == 0 && b.to_steps[inner] == 1;
  if (outer >= 0 && b.extents[inner] < few && b.extents[outer] > b.extents[inner] && !filled) swap_axes(outer, inner);
  index_t at[box::most_axes] = {};
  for (;;) {
    index_t f = 0, t = 0;
    for (int k = 0; k < outer; ++k) {
      f += at[k] * b.from_steps[k];
      t += at[k] * b.to_steps[k];
    }
    copy_plane(b, b.from + f * b.bytes, b.to + t * b.bytes, outer, inner);
    int k = outer - 1;
    for (; k >= 0 && ++at[k] == b.extents[k]; --k) at[k] = 0;
    if (k < 0) return;
  }
}

int counted_axis(const index_t* steps, int rank) {
  int found = -1;
  for (int k = 0; k < rank; ++k) {
    if (steps[k] == 0) continue;
    if (found >= 0 || steps[k] != 1) return -1;
    found = k;
  }
  return found;
}

namespace {

void copy_zeros(box b, int axis, index_t first, index_t end) {
  alignas(16) static constexpr std::byte zero[256] = {};
  if (first >= end) return;
  b = b.part(axis, first, end - first);
  b.from = zero;
  std::fill_n(b.from_steps, b.rank, 0);
  copy(b);
}

void copy_folded(box b, const table_index* indices, int count) {
  const table_index& own = indices[0];
  const folded& f = own.how;
  const int axis = own.axis;
  const index_t step = own.step, n = b.extents[axis], by = f.by.value, p = own.first;
  const auto piece = [&](index_t first, index_t length, index_t index, index_t slope) {
    if (length <= 0) return;
    box part = b.part(axis, first, length);
    part.from += index * step * b.bytes;
    part.from_steps[axis] += slope * step;
    copy_from_table(part, indices + 1, count - 1);
  };
  if (f.how == folding::nearest) {
    const index_t before = std::clamp<index_t>(-p, 0, n), end = std::clamp(f.extent - p, before, n);
    piece(0, before, 0, 0);
    piece(before, end - before, p + before, 1);
    piece(end, n - end, f.extent - 1, 0);
    return;
  }
  index_t i = 0, end = n;
  if (f.how == folding::quotient) {
    i = std::clamp<index_t>(f.less * by - p, 0, n);
    end = std::clamp((f.less + own.extent) * by - p, i, n);
    copy_zeros(b, axis, 0, i);
    copy_zeros(b, axis, end, n);
  }
  while (i < end) {
    const index_t q = (p + i) / by, r = p + i - q * by, whole = (end - i) / by;
    if ((f.how == folding::quotient || f.how == folding::remainder) && r == 0 && whole > 1) {  // blocks at once
      const bool each = f.how == folding::quotient;
      box blocks = b.part(axis, i, whole * by);
      blocks.from += (each ? (q - f.less) * step : 0) * b.bytes;
      blocks.from_steps[axis] += each ? 0 : step;
      blocks.in_blocks(axis, by, b.from_steps[axis] * by + (each ? step : 0));
      copy_from_table(blocks, indices + 1, count - 1);
      i += whole * by;
      continue;
    }
    index_t run = std::min(by - r, end - i);
    if (f.how == folding::quotient) piece(i, run, q - f.less, 0);
    else if (f.how == folding::remainder) piece(i, run, r, 1);
    else if (r < f.extent) piece(i, run = std::min(run, f.extent - r), r, 1);
    else piece(i, run, f.how == folding::mirrored ? by - r : by - 1 - r, -1);
    i += run;
  }
}

}  // namespace

void copy_from_table(const box& whole, const table_index* indices, int count) {
  if (count == 0) return copy(whole);
  if (indices->is_folded) return copy_folded(whole, indices, count);
  box b = whole;
  const int axis = indices->axis;
  const index_t n = b.extents[axis], first = indices->first, before = std::clamp<index_t>(-first, 0, n),
                end = std::clamp(indices->extent - first, before, n);
  copy_zeros(b, axis, 0, before);
  copy_zeros(b, axis, end, n);
  if (before >= end) return;
  b.from += first * indices->step * b.bytes;
  b.from_steps[axis] += indices->step;
  copy_from_table(b.part(axis, before, end - before), indices + 1, count - 1);
}

void for_parts_of(const box& whole, void (*part)(const void*, const box&, const index_t*), const void* context) {
  index_t all = 1;
  int axis = 0;
  for (int k = 0; k < whole.rank; ++k) {
    all *= whole.extents[k];
    if (whole.extents[axis] < 64 && whole.extents[k] > whole.extents[axis]) axis = k;
  }
  if (all == 0) return;
  const index_t n = whole.extents[axis], per_task = std::max<index_t>(1, block_elements / (all / n));
  for_tasks((n + per_task - 1) / per_task, static_cast<double>(all) * 2, [&](index_t task) {
    index_t at[max_rank] = {};
    at[axis] = task * per_task;
    part(context, whole.part(axis, at[axis], std::min(per_task, n - at[axis])), at);
  });
}

}  // namespace lazyfuse::host_detail
