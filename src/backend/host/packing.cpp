// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packing.hpp"

#include <lazyfuse/backend/host/strided.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/core/algorithm.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lazyfuse::host_detail {

namespace {

/// An element of so many bytes, which may be of any type; 0: as many as is said at run time.
template <int Bytes>
struct element {
  static constexpr int bytes = Bytes;
  static void copy(std::byte* to, index_t i, const std::byte* from, index_t j) {
    std::memcpy(to + i * Bytes, from + j * Bytes, Bytes);
  }
};
template <>
struct element<0> {
  int bytes;
  void copy(std::byte* to, index_t i, const std::byte* from, index_t j) const {
    std::memcpy(to + i * bytes, from + j * bytes, std::size_t(bytes));
  }
};
/// Calls f(element<bytes>).
template <class F>
void with_element(int bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(element<1>{});
    case 2:
      return f(element<2>{});
    case 4:
      return f(element<4>{});
    case 8:
      return f(element<8>{});
    case 16:
      return f(element<16>{});
    case 3:
      return f(element<3>{});
    case 6:
      return f(element<6>{});
    case 12:
      return f(element<12>{});
    case 24:
      return f(element<24>{});
    case 32:
      return f(element<32>{});
    default:
      return f(element<0>{bytes});
  }
}

template <int Bytes>
void fill(element<Bytes> e, std::byte* __restrict__ to, const std::byte* from, index_t n) {
  if constexpr (Bytes > 0) {
    std::byte value[Bytes];
    std::memcpy(value, from, Bytes);
    for (index_t i = 0; i < n; ++i) std::memcpy(to + i * Bytes, value, Bytes);
  } else {
    for (index_t i = 0; i < n; ++i) e.copy(to, i, from, 0);
  }
}
/// Rows of whole vectors: what is left over at their end is copied together with what comes before it.
constexpr index_t unit = 64, most_in_units = 2048;
template <int Bytes>
using word_of = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;
template <int Bytes>
void copy_units(std::byte* __restrict__ to, const std::byte* from, index_t bytes) {
  typedef word_of<Bytes> vector __attribute__((vector_size(unit), aligned(1), may_alias));
  const auto one = [&](index_t b) { *reinterpret_cast<vector*>(to + b) = *reinterpret_cast<const vector*>(from + b); };
  index_t b = 0;
  for (; b + unit <= bytes; b += unit) one(b);
  if (b < bytes) one(bytes - unit);
}
template <int Bytes>
void fill_units(std::byte* __restrict__ to, const std::byte* from, index_t bytes) {
  typedef word_of<Bytes> vector __attribute__((vector_size(unit), aligned(1), may_alias));
  word_of<Bytes> value;
  std::memcpy(&value, from, Bytes);
  const vector all = value - vector{};
  index_t b = 0;
  for (; b + unit <= bytes; b += unit) *reinterpret_cast<vector*>(to + b) = all;
  if (b < bytes) *reinterpret_cast<vector*>(to + bytes - unit) = all;
}
constexpr auto copy_backwards = []<class Word>(std::byte* __restrict__ to, const std::byte* from, index_t n, Word) {
  typedef Word word __attribute__((aligned(1), may_alias));
  auto* const there = reinterpret_cast<word*>(to);
  const auto* const here = reinterpret_cast<const word*>(from);
  for (index_t i = 0; i < n; ++i) there[i] = here[-i];
};
template <int Bytes>
void copy_row(element<Bytes> e, std::byte* __restrict__ to, const std::byte* from, index_t step, index_t n) {
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8)
    if (n * Bytes >= unit && n * Bytes <= most_in_units) {
      if (step == 1) return copy_units<Bytes>(to, from, n * Bytes);
      if (step == 0) return fill_units<Bytes>(to, from, n * Bytes);
    }
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8)
    if (step == -1) return in_widest_vectors<true>(n, copy_backwards, to, from, n, word_of<Bytes>());
  if (step == 1) std::memcpy(to, from, std::size_t(n * e.bytes));
  else if (step == 0) fill(e, to, from, n);
  else if (step == -1)
    for (index_t i = 0; i < n; ++i) e.copy(to, i, from, -i);
  else
    for (index_t i = 0; i < n; ++i) e.copy(to, i, from, i * step);
}

/// Four lines of a block at a time, transposed in registers; the lines after them are asked for early.
void copy_full_block(float* __restrict__ to, index_t pitch, const float* from, index_t step, index_t n) {
  typedef float quad __attribute__((vector_size(16), aligned(1), may_alias));
  for (index_t i = 0; i < n; i += 4) {
    const float* line = from + i * step;
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
index_t copy_short_lines(T* __restrict__ to, index_t pitch, const T* from, index_t step, int rows, index_t n) {
  typedef T unit __attribute__((may_alias));
  typedef unit units __attribute__((vector_size(16), aligned(1), may_alias));
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

}  // namespace

void repeat(std::byte* to, const std::byte* from, int bytes, index_t n) {
  with_element(bytes, [&](auto e) {
    // By the vectors that read it: narrower stores would be waited for.
    in_widest_vectors<true>(
        least_for_widest,
        [](auto element, std::byte* copy, const std::byte* value, index_t count) { fill(element, copy, value, count); },
        e, to, from, n);
  });
}

void pack_row(std::byte* to, const std::byte* from, int bytes, index_t step, index_t n) {
  with_element(bytes, [&](auto e) { copy_row(e, to, from, step, n); });
}

void pack_block(std::byte* to, index_t pitch, const std::byte* from, int bytes, index_t row_step, index_t step,
                int rows, index_t n) {
  with_element(bytes, [&]<int Bytes>(element<Bytes> e) {
    index_t done = 0;
    if constexpr (Bytes == 4 || Bytes == 8) {
      using T = std::conditional_t<Bytes == 4, float, double>;
      auto* const copy = reinterpret_cast<T*>(to);
      const auto* const elements = reinterpret_cast<const T*>(from);
      if constexpr (Bytes == 4)
        if (rows == block_rows && row_step == 1 && n % 4 == 0) return copy_full_block(copy, pitch, elements, step, n);
      if (row_step == 1) done = copy_short_lines(copy, pitch, elements, step, rows, n);
    }
    for (index_t i = done; i < n; ++i)
      for (int r = 0; r < rows; ++r) e.copy(to, r * pitch + i, from, r * row_step + i * step);
  });
}

void pack_rows(std::byte* to, const std::byte* from, int bytes, index_t row_step, index_t step, index_t rows,
               index_t n) {
  const auto magnitude = [](index_t a) { return a < 0 ? -a : a; };
  if (row_step != 0 && magnitude(row_step) < magnitude(step))
    for (index_t r = 0; r < rows; r += block_rows)
      pack_block(to + r * n * bytes, n, from + r * row_step * bytes, bytes, row_step, step,
                 int(algorithm::min<index_t>(block_rows, rows - r)), n);
  else
    with_element(bytes, [&](auto e) {
      in_widest_vectors<true>(
          least_for_widest,
          [](auto element, std::byte* copy, const std::byte* elements, index_t across, index_t along, index_t count,
             index_t length) {
            for (index_t r = 0; r < count; ++r)
              copy_row(element, copy + r * length * element.bytes, elements + r * across * element.bytes, along,
                       length);
          },
          e, to, from, row_step, step, rows, n);
    });
}

void scatter_rows(std::byte* to, const std::byte* from, int bytes, index_t row_step, index_t step, index_t rows,
                  index_t n) {
  with_element(bytes, [&](auto e) {
    for (index_t r = 0; r < rows; ++r) {
      std::byte* const row = to + r * row_step * e.bytes;
      const std::byte* const values = from + r * n * e.bytes;
      if (step == 1) std::memcpy(row, values, std::size_t(n * e.bytes));
      else
        for (index_t i = 0; i < n; ++i) e.copy(row, i * step, values, i);
    }
  });
}

void side_by_side_at(std::byte* to, const std::byte* from, int bytes, index_t step, index_t columns, const index_t* at,
                     index_t apart, index_t rows, int n, bool turned) {
  if (turned)
    for (index_t r = 0; r < rows; r += block_rows)
      pack_block(to + r * n * bytes, n, from + at[r * apart] * bytes, bytes, 1, step,
                 int(algorithm::min<index_t>(block_rows, rows - r)), columns);
  if (turned && columns == n) return;
  const index_t distinct = apart == 0 ? 1 : rows;
  with_element(bytes, [&](auto e) {
    for (index_t r = 0; r < distinct; ++r) {
      std::byte* const row = to + r * n * e.bytes;
      if (!turned) copy_row(e, row, from + at[r * apart] * e.bytes, step, columns);
      for (index_t c = columns; c < n; ++c) e.copy(row, c, row, columns - 1);
    }
  });
  for (index_t r = distinct; r < rows; ++r)
    std::memcpy(to + r * n * bytes, to, static_cast<std::size_t>(n) * static_cast<std::size_t>(bytes));
}

}  // namespace lazyfuse::host_detail
