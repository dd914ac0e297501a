// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting and selecting on the GPU by what nvcc has compiled (compiled/): memory, streams and what is asked of it.
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/sort/keys.hpp>

#include "backend/cuda/compiled/order_statistics.hpp"
#include "backend/cuda/compiled/radix.hpp"
#include "backend/cuda/compiled/rows_in_blocks.hpp"
#include "backend/cuda/compiled/runs.hpp"
#include "backend/cuda/compiled/short_rows.hpp"
#include "backend/cuda/runtime/order.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lazyfuse::sort_detail {

namespace {

using cuda_detail::check, cuda_detail::key_selection, cuda_detail::radix_rows, cuda_detail::selects;

/// Memory of the current stream, given back to it when this goes.
class room {
 public:
  explicit room(std::size_t bytes) {
    if (bytes > 0) memory_ = array<std::uint8_t, 1, cuda>(shape<1>{static_cast<index_t>(bytes)});
  }
  template <class T>
  T* as() const {
    return memory_.size() > 0 ? static_cast<T*>(static_cast<void*>(memory_.unshared())) : nullptr;
  }

 private:
  array<std::uint8_t, 1, cuda> memory_;
};
std::size_t bytes_of(const key_rows& rows) {
  return static_cast<std::size_t>(rows.count) * static_cast<std::size_t>(rows.length) *
         static_cast<std::size_t>(rows.bytes);
}

/// Places have 32 bits.
constexpr index_t most_places = 0xffffffff;

/// Places while they are sorted: 32 bits each, in two buffers, of which the first has them before and afterwards.
struct small_places {
  room first, second;
  explicit small_places(const key_rows& rows) : small_places(rows, room(bytes(rows))) {
    check(cuda_detail::number_places(first.as<std::uint32_t>(), rows.count, rows.length, current_stream()),
          "number_places");
  }
  /// What they are is known.
  small_places(const key_rows& rows, room places) : first(std::move(places)), second(bytes(rows)) {}
  static void check_length(const key_rows& rows) {
    if (rows.length > most_places) throw_value("argsort, topk: on the GPU an axis has fewer than 2^32 elements");
  }
  static std::size_t bytes(const key_rows& rows) {
    check_length(rows);
    return static_cast<std::size_t>(rows.count) * static_cast<std::size_t>(rows.length) * 4;
  }
};

/// With places or without.
template <class Key>
void sort_as(const key_rows& rows, small_places* places) {
  auto* const stream = current_stream();
  if (rows.count > 1 && cuda_detail::capturing(stream))
    throw_value("sort: CUB waits when it sorts several rows, and a stream that is captured into a graph cannot");
  auto* const sort = places ? cuda_detail::radix_sort<true, Key> : cuda_detail::radix_sort<false, Key>;
  const room other(bytes_of(rows));
  const auto part = [&](index_t first, index_t count) {  // of all rows, in the first buffers before and after
    const index_t at = first * rows.length;
    radix_rows<Key> some{count,
                         rows.length,
                         static_cast<Key*>(rows.keys) + at,
                         other.as<Key>() + at,
                         places ? places->first.as<std::uint32_t>() + at : nullptr,
                         places ? places->second.as<std::uint32_t>() + at : nullptr};
    const radix_rows<Key> before = some;
    std::size_t bytes = 0;
    check(sort(nullptr, bytes, some, stream), "cub::DeviceRadixSort");
    const room work(bytes > 0 ? bytes : 1);
    check(sort(work.as<void>(), bytes, some, stream), "cub::DeviceRadixSort");
    const auto numbers = static_cast<std::size_t>(count * rows.length);
    const auto bring_back = [&](auto* to, const auto* from) {
      if (to != from)
        check(cudaMemcpyAsync(to, from, numbers * sizeof *to, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    };
    bring_back(before.keys, some.keys);
    if (places) bring_back(before.values, some.values);
  };
  // CUB sorts each of few rows by one block.
  constexpr index_t few_rows = 64, long_rows = index_t{1} << 18;
  if (rows.count <= few_rows && rows.length >= long_rows)
    for (index_t r = 0; r < rows.count; ++r) part(r, 1);
  else part(0, rows.count);
}
void sort_rows(const key_rows& rows, small_places* places) {
  if (rows.bytes == 1) sort_as<std::uint8_t>(rows, places);
  else if (rows.bytes == 2) sort_as<std::uint16_t>(rows, places);
  else if (rows.bytes == 4) sort_as<std::uint32_t>(rows, places);
  else sort_as<std::uint64_t>(rows, places);
}

/// n keys of each row, from the first one on, to the beginning of rows of so many columns.
void copy_columns(const key_rows& rows, index_t first, index_t n, void* to, index_t columns) {
  const auto key = static_cast<std::size_t>(rows.bytes), pitch = static_cast<std::size_t>(rows.length) * key;
  const auto* const from = static_cast<const std::byte*>(rows.keys) + static_cast<std::size_t>(first) * key;
  if (rows.count > 1 && pitch <= 0x7fffffff) {
    check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(columns) * key, from, pitch, static_cast<std::size_t>(n) * key,
                            static_cast<std::size_t>(rows.count), cudaMemcpyDeviceToDevice, current_stream()),
          "cudaMemcpy2DAsync");
    return;
  }
  for (index_t r = 0; r < rows.count; ++r)
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + static_cast<std::size_t>(r * columns) * key,
                          from + static_cast<std::size_t>(r) * pitch, static_cast<std::size_t>(n) * key,
                          cudaMemcpyDeviceToDevice, current_stream()),
          "cudaMemcpyAsync");
}

bool are_short(const key_rows& rows) { return rows.length <= cuda_detail::longest_short_row; }
bool fits_blocks(const key_rows& rows, index_t k) {
  return cuda_detail::fits_blocks(rows.bytes, rows.length, k, cuda_detail::device().shared_bytes);
}
/// The first k of rows that fit the registers of a warp.
void sort_short(const key_rows& rows, index_t k, void* keys, int64* places, const std::uint32_t* values = nullptr) {
  check(cuda_detail::sort_short_rows(
            {rows.bytes, rows.count, rows.length, k, rows.keys, rows.minus_zero, rows.zero, keys, places, values},
            current_stream()),
        "sort_short_rows");
}
/// Zeros of different sign are different keys here: the sign that one had would be read where another is written.
void sort_short_in_place(key_rows rows, int64* places) {
  rows.minus_zero = rows.zero = 0;
  sort_short(rows, rows.length, rows.keys, places);
}
void widen(const small_places& small, index_t count, index_t length, index_t k, int64* places) {
  check(cuda_detail::widen_places(small.first.as<std::uint32_t>(), count, length, k, places, current_stream()),
        "widen_places");
}

key_selection selection_of(const key_rows& rows, selects what, void* to) {
  key_selection s{};
  s.what = what;
  s.key_bytes = rows.bytes;
  s.rows = rows.count;
  s.length = rows.length;
  s.keys = rows.keys;
  s.minus_zero = rows.minus_zero;
  s.zero = rows.zero;
  s.ranks = 1;
  s.to = to;
  return s;
}
void select(const key_selection& s) {
  const int processors = cuda_detail::device().processors;
  std::size_t bytes = 0;
  check(cuda_detail::select_by_digits(nullptr, bytes, s, processors, current_stream()), "select_by_digits");
  const room work(bytes);
  check(cuda_detail::select_by_digits(work.as<void>(), bytes, s, processors, current_stream()), "select_by_digits");
}

}  // namespace

void sort_keys(cuda, const key_rows& rows) {
  if (rows.none()) return;
  if (are_short(rows)) sort_short_in_place(rows, nullptr);
  else sort_rows(rows, nullptr);
}

void sort_places(cuda, const key_rows& rows, int64* places) {
  if (rows.none()) return;
  if (are_short(rows)) return sort_short_in_place(rows, places);
  small_places small(rows);
  sort_rows(rows, &small);
  widen(small, rows.count, rows.length, rows.length, places);
}

void first_places(cuda, const key_rows& rows, index_t k, void* keys, int64* places) {
  if (rows.none() || k == 0) return;
  if (are_short(rows)) return sort_short(rows, k, keys, places);
  if (fits_blocks(rows, k)) {
    check(cuda_detail::first_in_blocks(
              {rows.bytes, rows.count, rows.length, k, rows.keys, rows.minus_zero, rows.zero, keys, places},
              current_stream()),
          "first_in_blocks");
    return;
  }
  if (k > rows.length / 4) {
    const room copy(bytes_of(rows));
    const key_rows all{rows.bytes, rows.count, rows.length, copy.as<void>()};
    small_places small(all);
    check(cuda_detail::replace_key(rows.bytes, rows.keys, rows.count * rows.length, rows.minus_zero, rows.zero,
                                   all.keys, current_stream()),
          "replace_key");
    sort_rows(all, &small);
    widen(small, rows.count, rows.length, k, places);
  } else {
    key_rows best{rows.bytes, rows.count, k, nullptr};
    const room best_keys(bytes_of(best));
    best.keys = best_keys.as<void>();
    small_places::check_length(rows);
    room best_places(static_cast<std::size_t>(rows.count * k) * sizeof(std::uint32_t));
    key_selection s = selection_of(rows, selects::first, best.keys);
    s.rank[0] = static_cast<std::uint32_t>(k);
    s.places = best_places.as<std::uint32_t>();
    select(s);
    // Equal keys are in the order of their places.
    if (are_short(best)) sort_short(best, k, nullptr, places, s.places);
    else {
      small_places small(best, std::move(best_places));
      sort_rows(best, &small);
      widen(small, rows.count, k, k, places);
    }
  }
  check(cuda_detail::take_keys(rows.bytes, rows.keys, rows.count, rows.length, k, places, keys, current_stream()),
        "take_keys");
}

void partition_keys(cuda, const key_rows& rows, index_t p) {
  if (rows.none()) return;
  if (are_short(rows) || rows.length > most_places) return sort_keys(cuda{}, rows);
  const room other(bytes_of(rows));
  key_selection s = selection_of(rows, selects::partition, other.as<void>());
  s.rank[0] = static_cast<std::uint32_t>(p);
  select(s);
  check(cudaMemcpyAsync(rows.keys, other.as<void>(), bytes_of(rows), cudaMemcpyDeviceToDevice, current_stream()),
        "cudaMemcpyAsync");
}

void select_keys(cuda, const key_rows& rows, const index_t* positions, int n, void* selected) {
  if (rows.none()) return;
  if (!are_short(rows) && rows.length <= most_places && n <= cuda_detail::most_ranks) {
    key_selection s = selection_of(rows, selects::key, selected);
    s.ranks = n;
    for (int i = 0; i < n; ++i) s.rank[i] = static_cast<std::uint32_t>(positions[i]);
    if (!fits_blocks(rows, 0)) return select(s);
    return check(cuda_detail::keys_in_blocks(s, current_stream()), "keys_in_blocks");
  }
  sort_keys(cuda{}, rows);
  for (int j = 0; j < n; ++j)
    copy_columns(rows, positions[j], 1, static_cast<std::byte*>(selected) + j * rows.bytes, n);
}

index_t find_runs(cuda, const key_rows& sorted, int64* starts) {
  if (sorted.none()) return 0;
  auto* const stream = current_stream();
  if (cuda_detail::capturing(stream))
    throw_value("unique: a stream that is captured into a graph cannot wait for how many elements there are");
  const room count(sizeof(std::int64_t));
  auto* const runs = count.as<std::int64_t>();
  std::size_t bytes = 0;
  check(cuda_detail::find_runs(nullptr, bytes, sorted.bytes, sorted.keys, sorted.minus_zero, sorted.zero, sorted.length,
                               starts, runs, stream),
        "cub::DeviceSelect");
  const room work(bytes > 0 ? bytes : 1);
  check(cuda_detail::find_runs(work.as<void>(), bytes, sorted.bytes, sorted.keys, sorted.minus_zero, sorted.zero,
                               sorted.length, starts, runs, stream),
        "cub::DeviceSelect");
  std::int64_t found = 0;
  check(cudaMemcpyAsync(&found, runs, sizeof found, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return found;
}

void number_runs(cuda, const int64* starts, index_t runs, const int64* places, index_t length, int64* number) {
  if (length > 0)
    check(cuda_detail::number_runs(starts, runs, places, length, number, current_stream()), "number_runs");
}

}  // namespace lazyfuse::sort_detail
