// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements written and added at indices on the host, and counted. Threads share what is written, and each goes over all
// indices in their order, so nothing depends on how many there are.
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/selection/libraries.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace lazyfuse::selection_detail {

namespace {

/// The least and the largest of the rows that indices say, -1 where one is beyond all.
struct row_range {
  int64 least = std::numeric_limits<int64>::max(), most = -1;
};
constexpr auto find_range = [](const int64* rows, index_t n, row_range* found) {
  int64 least = std::numeric_limits<int64>::max(), most = -1;
  for (index_t k = 0; k < n; ++k) {
    least = rows[k] < least ? rows[k] : least;
    most = rows[k] > most ? rows[k] : most;
  }
  *found = {least, most};
};
row_range range_of(const destinations& at) {
  constexpr index_t each = host_detail::block_elements;
  const index_t tasks = (at.count + each - 1) / each;
  std::vector<row_range> found(static_cast<std::size_t>(tasks));
  host_detail::for_tasks(tasks, static_cast<double>(at.count), [&](index_t t) {
    host_detail::in_wide_vectors(find_range, at.rows + t * each, std::min(each, at.count - t * each),
                                 &found[static_cast<std::size_t>(t)]);
  });
  row_range all;
  for (const row_range& r : found) all = {std::min(all.least, r.least), std::max(all.most, r.most)};
  return all;
}
/// The first index that is beyond all rows, which there is.
index_t first_beyond(const destinations& at) { return std::find(at.rows, at.rows + at.count, -1) - at.rows; }

/// body(k, row) for every destination in order, each row by one thread; once for many of them, if work is worth it.
template <class Body>
void by_destination(const rows& to, const destinations& at, const row_range& range, const Body& body) {
  constexpr index_t most_parts = 8;  // each reads all indices
  // To look which elements are its own takes a thread longer than to write them all into its cache.
  constexpr index_t few_bytes = 16, cache_bytes = 1 << 20;
  const auto bytes = to.length * static_cast<index_t>(to.element_size), reached = range.most - range.least + 1;
  const double work = static_cast<double>(at.count) * static_cast<double>(to.length + 2);
  const bool alone = work < host_detail::worth_threads || (bytes <= few_bytes && reached * bytes <= cache_bytes);
  const index_t parts = alone ? 1 : std::clamp<index_t>(host_detail::thread_count(), 1, std::min(most_parts, reached));
  if (parts == 1) {
    for (index_t k = 0; k < at.count; ++k) body(k, at.rows[k]);
    return;
  }
  host_detail::for_tasks(parts, work, [&](index_t part) {
    const int64 begin = range.least + reached * part / parts, end = range.least + reached * (part + 1) / parts;
    // Nothing can guess which ones are in this part, so they are gathered without a branch.
    constexpr index_t block = 1024;
    std::uint16_t mine[block];
    for (index_t first = 0; first < at.count; first += block) {
      const int64* const row = at.rows + first;
      const index_t n = std::min(block, at.count - first);
      index_t count = 0;
      for (index_t i = 0; i < n; ++i) {
        mine[count] = static_cast<std::uint16_t>(i);
        count += static_cast<uint64>(row[i] - begin) < static_cast<uint64>(end - begin);
      }
      for (index_t c = 0; c < count; ++c) body(first + mine[c], row[mine[c]]);
    }
  });
}

template <std::size_t Bytes>
struct word {
  std::byte bytes[Bytes];
};
template <class T>
void scatter_words(const rows& to, const destinations& at, const row_range& range, const rows& values) {
  T* const out = static_cast<T*>(to.data);
  const T* const v = static_cast<const T*>(values.data);
  if (values.count == 1) by_destination(to, at, range, [&](index_t, int64 row) { out[row] = *v; });
  else if (values.count >= at.count) by_destination(to, at, range, [&](index_t k, int64 row) { out[row] = v[k]; });
  else by_destination(to, at, range, [&](index_t k, int64 row) { out[row] = v[k % values.count]; });
}

template <class T>
void add_rows_of(const rows& to, const destinations& at, const row_range& range, const rows& values) {
  T* const out = static_cast<T*>(to.data);
  const T* const v = static_cast<const T*>(values.data);
  const index_t n = to.length, step = values.count == 1 ? 0 : n;
  if (n == 1)
    by_destination(to, at, range, [&](index_t k, int64 row) { out[row] = static_cast<T>(out[row] + v[k * step]); });
  else
    by_destination(to, at, range, [&](index_t k, int64 row) {
      T* const sum = out + row * n;
      const T* const more = v + k * step;
      for (index_t c = 0; c < n; ++c) sum[c] = static_cast<T>(sum[c] + more[c]);
    });
}

/// Between edges, those of the upper_bound: NaN is in none. Several searches at once wait for each other's reads no
/// longer than need be, and no branch is guessed.
template <class T>
void count_by_search(const T* edges, index_t bins, const T* values, index_t n, int64* counts) {
  constexpr index_t together = 8;
  const T last = edges[bins];
  for (index_t i = 0; i < n; i += together) {
    const index_t some = std::min(together, n - i);
    T v[together];
    index_t at[together] = {};  // of the edges up to it none is larger
    for (index_t l = 0; l < together; ++l) v[l] = values[i + std::min(l, some - 1)];
    for (index_t left = bins + 1; left > 1;) {
      const index_t half = left / 2;
      for (index_t l = 0; l < together; ++l) at[l] += edges[at[l] + half - 1] <= v[l] ? half : 0;
      left -= half;
    }
    for (index_t l = 0; l < some; ++l) {
      const index_t behind = at[l] + (edges[at[l]] <= v[l]);
      if (behind > 0 && v[l] <= last) ++counts[std::min(behind, bins) - 1];
    }
  }
}
/// As NumPy: the bin that a division says, or the one beside it, where rounding has missed an edge.
template <class T>
void count_by_width(const T* edges, index_t bins, T width, const T* values, index_t n, int64* counts) {
  const T first = edges[0], last = edges[bins], count = static_cast<T>(bins);
  for (index_t i = 0; i < n; ++i) {
    const T v = values[i];
    if (!(v >= first && v <= last)) continue;
    index_t bin = static_cast<index_t>((v - first) / width * count);
    bin = std::min(bin, bins - 1);  // where rounded bounds are further apart than their distance
    bin -= v < edges[bin];
    bin += v >= edges[bin + 1] && bin != bins - 1;
    ++counts[bin];
  }
}
template <class T>
void count_in_bins_of(const bins& b, const void* values, index_t n, int64* counts) {
  const T* const edges = static_cast<const T*>(b.edges);
  const T* const v = static_cast<const T*>(values);
  if (b.width > 0) count_by_width(edges, b.count, static_cast<T>(b.width), v, n, counts);
  else if (b.count > 0) count_by_search(edges, b.count, v, n, counts);
}

template <class T>
bool ascend(const void* edges, index_t n, bool strictly) {
  const T* const e = static_cast<const T*>(edges);
  for (index_t k = 0; k + 1 < n; ++k)
    if (!(strictly ? e[k] < e[k + 1] : e[k] <= e[k + 1])) return false;
  return true;
}
template <class T>
void fill_edges(double low, double high, index_t bins, const auto& put) {
  const T first = static_cast<T>(low), delta = static_cast<T>(static_cast<T>(high) - first),
          step = delta / static_cast<T>(bins);
  for (index_t k = 0; k < bins; ++k)
    put(k, static_cast<T>((step == 0 ? static_cast<T>(k) / static_cast<T>(bins) * delta : static_cast<T>(k) * step) +
                          first));
  put(bins, static_cast<T>(high));
}

}  // namespace

index_t scatter(host, const rows& to, const destinations& at, const rows& values) {
  record_detail::refuse_computing("an assignment to elements by indices or by a mask");
  const row_range range = range_of(at);
  if (range.least < 0) return first_beyond(at);
  const std::size_t bytes = to.element_size * static_cast<std::size_t>(to.length);
  switch (bytes) {
    case 0:
      return -1;
    case 1:
      scatter_words<word<1>>(to, at, range, values);
      return -1;
    case 2:
      scatter_words<word<2>>(to, at, range, values);
      return -1;
    case 4:
      scatter_words<word<4>>(to, at, range, values);
      return -1;
    case 8:
      scatter_words<word<8>>(to, at, range, values);
      return -1;
    case 16:
      scatter_words<word<16>>(to, at, range, values);
      return -1;
    default:
      break;
  }
  std::byte* const out = static_cast<std::byte*>(to.data);
  const std::byte* const v = static_cast<const std::byte*>(values.data);
  by_destination(to, at, range, [&](index_t k, int64 row) {
    std::memcpy(out + static_cast<std::size_t>(row) * bytes, v + static_cast<std::size_t>(k % values.count) * bytes,
                bytes);
  });
  return -1;
}

index_t scatter_sum(host, const rows& to, const destinations& at, const rows& values) {
  record_detail::refuse_computing("add_at");
  const row_range range = range_of(at);
  if (range.least < 0) return first_beyond(at);
  switch (to.type) {
    case dtype::int8:
    case dtype::uint8:
      add_rows_of<uint8>(to, at, range, values);
      break;  // they wrap around
    case dtype::int16:
    case dtype::uint16:
      add_rows_of<uint16>(to, at, range, values);
      break;
    case dtype::int32:
    case dtype::uint32:
      add_rows_of<uint32>(to, at, range, values);
      break;
    case dtype::int64:
    case dtype::uint64:
      add_rows_of<uint64>(to, at, range, values);
      break;
    case dtype::float16:
      add_rows_of<half>(to, at, range, values);
      break;
    case dtype::bfloat16:
      add_rows_of<bfloat16>(to, at, range, values);
      break;
    case dtype::float32:
      add_rows_of<float>(to, at, range, values);
      break;
    case dtype::float64:
      add_rows_of<double>(to, at, range, values);
      break;
    case dtype::complex64:
      add_rows_of<complex<float>>(to, at, range, values);
      break;
    case dtype::complex128:
      add_rows_of<complex<double>>(to, at, range, values);
      break;
    default:
      break;
  }
  return -1;
}

void count_in_bins(host, const bins& b, const void* values, index_t n, int64* counts) {
  record_detail::refuse_computing("histogram");
  if (b.type == dtype::float32) count_in_bins_of<float>(b, values, n, counts);
  else count_in_bins_of<double>(b, values, n, counts);
}

void count_numbers(host, const int64* values, index_t n, index_t bins, int64* counts) {
  record_detail::refuse_computing("bincount");
  // Computed beside others they may be rounded otherwise than where the largest was looked for.
  for (index_t i = 0; i < n; ++i)
    if (static_cast<uint64>(values[i]) < static_cast<uint64>(bins)) ++counts[values[i]];
}

void add_weights(const int64* values, const double* weights, index_t n, index_t bins, double* sums) {
  for (index_t i = 0; i < n; ++i)
    if (static_cast<uint64>(values[i]) < static_cast<uint64>(bins)) sums[values[i]] += weights[i];
}

namespace {
template <class T>
void add_up(T* first, index_t rows, index_t length) {
  for (index_t r = 1; r < rows; ++r)
    for (index_t k = 0; k < length; ++k) first[k] += first[r * length + k];
}
}  // namespace
void add_rows(int64* counts, index_t rows, index_t length) { add_up(counts, rows, length); }
void add_rows(double* sums, index_t rows, index_t length) { add_up(sums, rows, length); }

double uniform_edges(double low, double high, bool in_float, dtype type, index_t bins, void* edges, caller where) {
  if (low == high) low -= 0.5, high += 0.5;
  const auto put = [&](index_t k, auto v) {
    if (type == dtype::float32) static_cast<float*>(edges)[k] = static_cast<float>(v);
    else static_cast<double*>(edges)[k] = static_cast<double>(v);
  };
  if (in_float) fill_edges<float>(low, high, bins, put);
  else fill_edges<double>(low, high, bins, put);
  if (!(type == dtype::float32 ? ascend<float>(edges, bins + 1, true) : ascend<double>(edges, bins + 1, true)))
    throw_value("histogram: there are more bins than numbers between the bounds", where);
  return in_float ? static_cast<double>(static_cast<float>(high) - static_cast<float>(low)) : high - low;
}

void check_edges(dtype type, const void* edges, index_t n, caller where) {
  if (n < 2) throw_value("histogram: bins lie between two edges at least", where);
  if (!(type == dtype::float32 ? ascend<float>(edges, n, false) : ascend<double>(edges, n, false)))
    throw_value("histogram: the edges do not ascend", where);
}

}  // namespace lazyfuse::selection_detail
