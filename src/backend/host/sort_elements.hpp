// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a row of elements is sorted by their keys on the host, those of equal keys in the order in which they are. A long
// row is parted into ranges of keys, by splitters from a sample (as W. D. Frazer and A. C. McKellar, Samplesort, 1970),
// and each range is sorted in a cache: by the digits, from the last, of the upper bits that tell its keys apart, and
// then by comparisons of those few that these leave equal. Every place follows from counts, whoever moves what.
#pragma once

#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

#include "backend/host/sort_vectors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace lazyfuse::sort_detail {

/// A key and where it was. Those of up to 32 bits share a word with a place of 32 bits, in front of it.
struct wide_place {
  std::uint64_t key, place;
};
/// The same in one word.
struct near_place {
  std::uint64_t both;
};
inline std::uint64_t key_in(const wide_place& e) { return e.key; }
inline std::uint64_t key_in(const near_place& e) { return e.both >> 32; }
template <class Key>
Key key_in(const Key& e) {
  return e;
}
/// Any order of all elements in which their keys ascend, and equal ones keep theirs.
inline bool operator<(const wide_place& a, const wide_place& b) {
  return a.key < b.key || (a.key == b.key && a.place < b.place);
}
inline bool operator<(const near_place& a, const near_place& b) { return a.both < b.both; }

using host_detail::for_tasks, host_detail::scratch;

/// Up to so many elements are inserted one by one.
constexpr index_t few = 24;
/// Bytes of a range, of which there are two copies in a cache of a processor; and when a row is parted into such.
constexpr index_t bytes_of_range = 1 << 17, most_in_cache = 1 << 18;
/// A key's range is a byte.
constexpr int most_levels = 8;
/// Elements that a thread had better have for itself.
constexpr index_t least_part = 1 << 14;

template <class E>
void insert_one_by_one(E* x, index_t n) {
  for (index_t i = 1; i < n; ++i) {
    const E e = x[i];
    index_t j = i;
    for (; j > 0 && key_in(e) < key_in(x[j - 1]); --j) x[j] = x[j - 1];
    x[j] = e;
  }
}

constexpr auto find_ends = []<class E>(const E* x, index_t n, auto* low, auto* high) {
  auto least = key_in(x[0]), most = least;
  for (index_t i = 1; i < n; ++i) {
    const auto k = key_in(x[i]);
    least = k < least ? k : least;
    most = k > most ? k : most;
  }
  *low = least;
  *high = most;
};

/// Digits of at most so many bits, whose counts stay in the nearest cache.
constexpr int widest_digit = 11;
using counts_of_digits = std::array<std::uint32_t, std::size_t{1} << widest_digit>;

/// Sorts n elements, going back and forth; returns where they are in the end.
template <class E>
E* sort_in_cache(E* x, E* other, index_t n) {
  if (n <= few) {
    insert_one_by_one(x, n);
    return x;
  }
  if (n > 0xffffffff) {
    std::sort(x, x + n);
    return x;
  }
  using Key = decltype(key_in(*x));
  using key = std::remove_cvref_t<Key>;
  key low, high;
  host_detail::in_wide_vectors(find_ends, static_cast<const E*>(x), n, &low, &high);
  if (low == high) return x;
  const int size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))),
            bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(high - low)));
  // So many upper bits tell most keys apart, if these are spread evenly.
  const int upper = std::min(bits, size + 6), rest = bits - upper, widest = std::clamp(size - 1, 5, widest_digit),
            passes = (upper + widest - 1) / widest, width = (upper + passes - 1) / passes;
  const std::size_t values = std::size_t{1} << width;
  std::array<counts_of_digits, 7> next;
  for (int p = 0; p < passes; ++p) std::fill_n(next[std::size_t(p)].begin(), values, 0u);
  const auto digit = [=](const E& e, int p) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(key_in(e) - low) >> (rest + p * width)) & (values - 1);
  };
  for (index_t i = 0; i < n; ++i)
    for (int p = 0; p < passes; ++p) ++next[std::size_t(p)][digit(x[i], p)];
  for (int p = 0; p < passes; ++p) {
    auto& to = next[std::size_t(p)];
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < values; ++d) sum += std::exchange(to[d], sum);
    for (index_t i = 0; i < n; ++i) other[to[digit(x[i], p)]++] = x[i];
    std::swap(x, other);
  }
  if (rest == 0) return x;
  const auto upper_of = [=](const E& e) { return static_cast<std::uint64_t>(key_in(e) - low) >> rest; };
  for (index_t i = 0; i < n;) {
    const index_t first = i;
    const std::uint64_t u = upper_of(x[i]);
    while (++i < n && upper_of(x[i]) == u) continue;
    if (i - first <= few) insert_one_by_one(x + first, i - first);
    else if (const E* const sorted = sort_in_cache(x + first, other + first, i - first); sorted != x + first)
      std::copy_n(sorted, i - first, x + first);
  }
  return x;
}

/// The keys at which so many ranges of about as many elements begin, all but the first, as a sample has it.
template <class Key, class E>
std::vector<Key> begins_of_ranges(const E* x, index_t n, index_t ranges) {
  const index_t of_range = ranges < 64 ? 64 : 16;
  std::vector<Key> sample(static_cast<std::size_t>(ranges * of_range)), begins;
  std::uint64_t drawn = 0;  // steps of the golden ratio
  for (Key& k : sample) {
    drawn += 0x9e3779b97f4a7c15u;
    const auto at = static_cast<index_t>(static_cast<double>(drawn >> 11) * 0x1p-53 * static_cast<double>(n));
    k = static_cast<Key>(key_in(x[std::min(at, n - 1)]));
  }
  std::sort(sample.begin(), sample.end());
  for (index_t r = 1; r < ranges; ++r) {
    // A key that there is often has a range for itself, which is sorted.
    Key k = sample[static_cast<std::size_t>(r * of_range)];
    if (r > 1 && k <= begins.back()) k = static_cast<Key>(begins.back() + (begins.back() < static_cast<Key>(~Key(0))));
    begins.push_back(k);
  }
  return begins;
}

/// These as a tree: range(k) is how many of them are no larger than k.
template <class Key>
struct key_ranges {
  int levels;
  std::array<Key, std::size_t{1} << most_levels> tree;  // of node i the children are 2i and 2i + 1

  key_ranges(const std::vector<Key>& begins, int levels_) : levels(levels_) {
    for (int level = 0; level < levels; ++level)
      for (index_t i = 0; i < index_t{1} << level; ++i)
        tree[static_cast<std::size_t>((index_t{1} << level) + i)] =
            begins[static_cast<std::size_t>((2 * i + 1) * (count() >> (level + 1)) - 1)];
  }
  index_t count() const { return index_t{1} << levels; }
};

/// The ranges of n elements, and how many there are in each.
constexpr auto find_ranges = []<class E, class Key>(const E* x, index_t n, const key_ranges<Key>& ranges,
                                                    std::uint8_t* found, index_t* counts) {
  constexpr int together = 8;  // descents that wait for each other's comparisons no longer than need be
  const Key* const tree = ranges.tree.data();
  const std::uint32_t count = 1u << ranges.levels;
  index_t i = 0;
  for (; i + together <= n; i += together) {
    std::uint32_t at[together];
    for (int l = 0; l < together; ++l) at[l] = 1;
    for (int level = 0; level < ranges.levels; ++level)
      for (int l = 0; l < together; ++l) at[l] = 2 * at[l] + (tree[at[l]] <= static_cast<Key>(key_in(x[i + l])));
    for (int l = 0; l < together; ++l) {
      found[i + l] = static_cast<std::uint8_t>(at[l] - count);
      ++counts[at[l] - count];
    }
  }
  for (; i < n; ++i) {
    std::uint32_t at = 1;
    for (int level = 0; level < ranges.levels; ++level) at = 2 * at + (tree[at] <= static_cast<Key>(key_in(x[i])));
    found[i] = static_cast<std::uint8_t>(at - count);
    ++counts[at - count];
  }
};

#if defined(__x86_64__)
/// The same of integers by pivots, one range to a thread.
template <class T>
void sort_integers(T* x, T* other, index_t n, index_t parts) {
  const auto sort = [](T* from, T* to, index_t count, bool stay) {
    const int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
    if (sort_by_pivots(from, to, count, stay, depth)) return;
    if (!stay) std::swap(from, to);
    if (const T* const sorted = sort_in_cache(from, to, count); sorted != from) std::copy_n(sorted, count, from);
  };
  if (parts == 1) return sort(x, other, n, true);
  const int levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(parts - 1)));
  const index_t ranges = index_t{1} << levels;
  const std::vector<T> pivots = begins_of_ranges<T>(x, n, ranges);
  std::vector<index_t> sizes(static_cast<std::size_t>(parts * ranges));
  const auto size_in = [&](index_t p, index_t r) -> index_t& {
    return sizes[static_cast<std::size_t>(p * ranges + r)];
  };
  const auto begin_of = [&](index_t part) { return n / parts * part + std::min(part, n % parts); };
  const double cost = static_cast<double>(n) * 8;
  for_tasks(parts, cost, [&](index_t p) {
    const index_t first = begin_of(p);
    part_by_all(pivots.data(), static_cast<int>(ranges), x + first, other + first, begin_of(p + 1) - first,
                &size_in(p, 0));
  });
  const bool stay = levels % 2 == 1;
  T *const parted = stay ? other : x, *const gathered = stay ? x : other;
  for_tasks(ranges, cost, [&](index_t r) {
    index_t first = 0, size = 0;
    for (index_t p = 0; p < parts; ++p)
      for (index_t before = 0; before < r; ++before) first += size_in(p, before);
    for (index_t p = 0; p < parts; ++p) {
      index_t from = begin_of(p);
      for (index_t before = 0; before < r; ++before) from += size_in(p, before);
      std::copy_n(parted + from, size_in(p, r), gathered + first + size);
      size += size_in(p, r);
    }
  });
  std::vector<index_t> begins(1, 0);
  for (index_t r = 0; r < ranges; ++r) {
    begins.push_back(begins.back());
    for (index_t p = 0; p < parts; ++p) begins.back() += size_in(p, r);
  }
  for_tasks(ranges, cost, [&](index_t r) {
    const index_t first = begins[static_cast<std::size_t>(r)], size = begins[static_cast<std::size_t>(r) + 1] - first;
    sort(gathered + first, parted + first, size, stay);
  });
}
#endif

/// Integers of few values: each is written as often as it was counted.
template <class T>
void sort_by_counts(T* x, index_t n, index_t parts) {
  constexpr std::size_t values = std::size_t{1} << 8 * sizeof(T);
  using counts = std::array<index_t, values>;
  // Runs of equal ones are counted in turn, whose increments would wait for each other.
  constexpr std::size_t tables = 2;
  std::vector<counts> of_part(static_cast<std::size_t>(parts) * tables);
  const auto begin_of = [&](index_t part) { return n / parts * part + std::min(part, n % parts); };
  const double cost = static_cast<double>(n) * 2;
  for_tasks(parts, cost, [&](index_t p) {
    counts* const c = &of_part[static_cast<std::size_t>(p) * tables];
    const index_t end = begin_of(p + 1);
    index_t i = begin_of(p);
    for (; i + 2 <= end; i += 2) ++c[0][x[i]], ++c[1][x[i + 1]];
    if (i < end) ++c[0][x[i]];
  });
  // how many elements come before each value
  std::vector<index_t> begins(values + 1, 0);
  for (std::size_t v = 0; v < values; ++v) {
    begins[v + 1] = begins[v];
    for (const counts& c : of_part) begins[v + 1] += c[v];
  }
  for_tasks(parts, cost, [&](index_t p) {
    const index_t first = begin_of(p), end = begin_of(p + 1);
    index_t i = first;
    auto v = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), i) - begins.begin()) - 1;
    for (; i < end; ++v) {
      const index_t next = std::min(end, begins[v + 1]);
      std::fill(x + i, x + next, static_cast<T>(v));
      i = next;
    }
  });
}

/// Sorts n elements in so many parts at a time, with room for as many others.
template <class Key, class E>
void sort_elements(E* x, E* other, index_t n, index_t parts) {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<E, std::uint32_t> || std::is_same_v<E, std::uint64_t>)
    if (host_detail::bytes_of_vectors >= 32) return sort_integers(x, other, n, parts);
#endif
  if constexpr (std::is_integral_v<E> && sizeof(E) <= 2)
    if (n >> 8 * sizeof(E)) return sort_by_counts(x, n, std::min(parts, n >> 8 * sizeof(E)));
  constexpr auto bytes = static_cast<index_t>(sizeof(E));
  if (n * bytes <= most_in_cache) {
    if (const E* const sorted = sort_in_cache(x, other, n); sorted != x) std::copy_n(sorted, n, x);
    return;
  }
  const int levels =
      std::min(most_levels, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n * bytes / bytes_of_range))));
  const key_ranges<Key> ranges(begins_of_ranges<Key>(x, n, index_t{1} << levels), levels);
  const scratch<std::uint8_t> found(n);
  using counts = std::array<index_t, std::size_t{1} << most_levels>;
  std::vector<counts> next(static_cast<std::size_t>(parts));
  const auto begin_of = [&](index_t part) { return n / parts * part + std::min(part, n % parts); };
  const double cost = static_cast<double>(n) * 8;
  for_tasks(parts, cost, [&](index_t p) {
    const index_t first = begin_of(p);
    next[static_cast<std::size_t>(p)].fill(0);
    host_detail::in_wide_vectors(find_ranges, static_cast<const E*>(x + first), begin_of(p + 1) - first, ranges,
                                 &found[first], next[static_cast<std::size_t>(p)].data());
  });
  std::vector<index_t> begins;
  index_t sum = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranges.count()); ++r) {
    begins.push_back(sum);
    for (counts& of_part : next) sum += std::exchange(of_part[r], sum);
  }
  begins.push_back(n);
  for_tasks(parts, cost, [&](index_t p) {
    counts& to = next[static_cast<std::size_t>(p)];
    for (index_t i = begin_of(p); i < begin_of(p + 1); ++i) other[to[found[i]]++] = x[i];
  });
  for_tasks(ranges.count(), 2 * cost, [&](index_t r) {
    const index_t first = begins[static_cast<std::size_t>(r)], size = begins[static_cast<std::size_t>(r) + 1] - first;
    const E* const sorted = sort_in_cache(other + first, x + first, size);
    if (sorted != x + first) std::copy_n(sorted, size, x + first);
  });
}

}  // namespace lazyfuse::sort_detail
