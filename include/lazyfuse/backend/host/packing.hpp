// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of strided elements and of blocks of rows into contiguous memory, and back: one function for all expressions
// of an element type.
#pragma once

#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/core/index.hpp>

namespace lazyfuse::host_detail {

/// Rows that are packed together when an operand is contiguous across rows (a transposed one).
inline constexpr int block_rows = 32;

/// Writes one element n times.
template <class T>
[[gnu::noinline]] void repeat(T* to, const T* from, index_t n) {
  algorithm::fill_n(to, n, *from);
}
/// Copies n strided elements; one loop for all expressions of an element type.
template <class T>
[[gnu::noinline]] void pack_row(T* __restrict__ to, const T* from, index_t step, index_t n) {
  if (step == -1) {
    for (index_t i = 0; i < n; ++i) to[i] = from[-i];
  } else {
    for (index_t i = 0; i < n; ++i) to[i] = from[i * step];
  }
}
/// Four lines of a block at a time, transposed in registers; the lines after them are asked for early.
template <class T>
  requires(sizeof(T) == 4)
void pack_full_block(T* __restrict__ to, index_t pitch, const T* from, index_t step, index_t n) {
  typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
  for (index_t i = 0; i < n; i += 4) {
    const T* line = from + i * step;
    for (int r = 0; r < block_rows; r += 16)
      for (int k = 12; k < 16; ++k) __builtin_prefetch(line + k * step + r);
    for (int r = 0; r < block_rows; r += 4) {
      const auto load = [&](int k) { return *reinterpret_cast<const quad*>(line + k * step + r); };
      const auto store = [&](int k, quad v) { *reinterpret_cast<quad*>(to + (r + k) * pitch + i) = v; };
      const quad a = load(0), b = load(1), c = load(2), d = load(3);
      const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const quad ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      store(0, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
      store(1, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
      store(2, __builtin_shufflevector(ef, gh, 0, 1, 4, 5));
      store(3, __builtin_shufflevector(ef, gh, 2, 3, 6, 7));
    }
  }
}
/// Columns of 16 bytes at a time, transposed in registers: those of the first elements of each line that are asked for,
/// and that have elements after them. Returns how many of the n it has copied.
template <class T>
  requires(sizeof(T) == 4 || sizeof(T) == 8)
index_t pack_short_lines(T* __restrict__ to, index_t pitch, const T* from, index_t step, int rows, index_t n) {
  typedef std::conditional_t<sizeof(T) == 4, float, double> unit __attribute__((may_alias));
  typedef unit units __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
  constexpr int wide = 16 / sizeof(T);
  const int beyond = (wide - rows % wide) % wide;  // what the last units of a line hold of the next one
  const index_t most = step > 0 ? n - (beyond + step - 1) / step : 0, whole = most > 0 ? most / wide * wide : 0;
  constexpr index_t strip = 16;  // lines that are read before those after them
  for (index_t first = 0; first < whole; first += strip) {
    const index_t end = first + strip < whole ? first + strip : whole;
    for (int r = 0; r < rows; r += wide) {
      const int last = rows - r < wide ? rows - r - 1 : wide - 1;
      for (index_t i = first; i < end; i += wide) {
        const auto load = [&](int k) { return *reinterpret_cast<const units*>(from + (i + k) * step + r); };
        const auto store = [&](int k, units v) { *reinterpret_cast<units*>(to + (r + k) * pitch + i) = v; };
        if constexpr (wide == 4) {
          const units a = load(0), b = load(1), c = load(2), d = load(3);
          const units ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
          const units ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
          if (last >= 3) store(3, __builtin_shufflevector(ef, gh, 2, 3, 6, 7));
          if (last >= 2) store(2, __builtin_shufflevector(ef, gh, 0, 1, 4, 5));
          if (last >= 1) store(1, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
          store(0, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
        } else {
          const units a = load(0), b = load(1);
          if (last >= 1) store(1, __builtin_shufflevector(a, b, 1, 3));
          store(0, __builtin_shufflevector(a, b, 0, 2));
        }
      }
    }
  }
  return whole;
}
/// Copies a block of rows x n elements that is contiguous across rows: cache lines are read once.
template <class T>
[[gnu::noinline]] void pack_block(T* __restrict__ to, index_t pitch, const T* from, index_t row_step, index_t step,
                                  int rows, index_t n) {
  index_t done = 0;
  if constexpr (sizeof(T) == 4) {
    if (rows == block_rows && row_step == 1 && n % 4 == 0) return pack_full_block(to, pitch, from, step, n);
  }
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    if (row_step == 1) done = pack_short_lines(to, pitch, from, step, rows, n);
  }
  for (index_t i = done; i < n; ++i)
    for (int r = 0; r < rows; ++r) to[r * pitch + i] = from[r * row_step + i * step];
}
template <class T>
[[gnu::noinline]] void scatter_row(T* to, index_t step, const T* __restrict__ from, index_t n) {
  for (index_t i = 0; i < n; ++i) to[i * step] = from[i];
}

}  // namespace lazyfuse::host_detail
