// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the host: long rows by ranges and digits (sort_elements.hpp), short ones side by side by comparisons. What
// comes out is the same whoever sorts which part.
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/sort/keys.hpp>

#include "backend/host/sort_elements.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace lazyfuse::sort_detail {

namespace {

int64 place_in(const wide_place& e) { return static_cast<int64>(e.place); }
int64 place_in(const near_place& e) { return static_cast<int64>(e.both & 0xffffffffu); }

/// A key, which zeros of either sign share.
template <class Key>
Key as_one_zero(const key_rows& rows, Key key) {
  return key == static_cast<Key>(rows.minus_zero) ? static_cast<Key>(rows.zero) : key;
}

/// So many rows side by side are sorted together: their elements by the same comparisons, which vectors make (Batcher's
/// merging, "Sorting networks and their applications", 1968, as Knuth's algorithm 5.2.2M has it).
constexpr index_t lanes = 32;
/// Longer rows have more comparisons than digits are worth, or than it takes to sort them one by one within vectors.
template <class Key>
index_t longest_together() {
#if defined(__x86_64__)
  if constexpr (sizeof(Key) >= 4)
    if (has_vectors_of_64()) return at_once<Key>;
#endif
  return 512;
}
template <class Key>
struct compare_rows {
  void operator()(Key* columns, index_t n) const {
    index_t top = 1;
    while (top * 2 < n) top *= 2;
    for (index_t p = top; p > 0; p /= 2) {
      index_t r = 0, d = p;
      for (index_t q = top;; q /= 2) {
        for (index_t i = 0; i < n - d; ++i) {
          if ((i & p) != r) continue;
          Key* const a = columns + i * lanes;
          Key* const b = a + d * lanes;
          for (index_t l = 0; l < lanes; ++l) {
            const Key x = a[l], y = b[l];
            a[l] = y < x ? y : x;
            b[l] = y < x ? x : y;
          }
        }
        if (q == p) break;
        d = q - p;
        r = p;
      }
    }
  }
};
template <class Key>
void sort_rows_together(Key* rows, index_t count, index_t n) {
  std::vector<Key> columns(static_cast<std::size_t>(n * lanes), static_cast<Key>(0));
  for (index_t l = 0; l < count; ++l)
    for (index_t i = 0; i < n; ++i) columns[static_cast<std::size_t>(i * lanes + l)] = rows[l * n + i];
  host_detail::in_wide_vectors(compare_rows<Key>{}, columns.data(), n);
  for (index_t l = 0; l < count; ++l)
    for (index_t i = 0; i < n; ++i) rows[l * n + i] = columns[static_cast<std::size_t>(i * lanes + l)];
}

/// Into how many parts rows are cut: one where there are rows for all threads, or too few elements.
index_t parts_of(const key_rows& rows) {
  const index_t threads = host_detail::thread_count();
  if (rows.count >= threads || !host_detail::threads_wake()) return 1;
  return std::clamp<index_t>(rows.length / least_part, 1, threads);
}
/// body(row) for each, by threads unless rows are cut into parts, and then one after the other.
template <class Body>
void for_rows(const key_rows& rows, index_t parts, const Body& body) {
  if (parts > 1) {
    for (index_t r = 0; r < rows.count; ++r) body(r);
  } else {
    // few tasks of many rows each: waking for one takes longer than most rows
    const index_t together = std::max<index_t>(1, std::min(4096 / rows.length, rows.count / 64));
    const index_t tasks = (rows.count + together - 1) / together;
    for_tasks(tasks, static_cast<double>(rows.count) * static_cast<double>(rows.length) * 16, [&](index_t t) {
      for (index_t r = t * together; r < std::min(rows.count, (t + 1) * together); ++r) body(r);
    });
  }
}

template <class F>
void for_type(int bytes, const F& f) {
  if (bytes == 1) f(std::uint8_t{});
  else if (bytes == 2) f(std::uint16_t{});
  else if (bytes == 4) f(std::uint32_t{});
  else f(std::uint64_t{});
}

/// Keys and places of a row, as elements to sort. body(E{}) with their type.
template <class Body>
void with_places(const key_rows& rows, const Body& body) {
  if (rows.bytes == 8 || rows.length > 0xffffffff) body(wide_place{});
  else body(near_place{});
}
template <class Key>
void put(near_place& e, Key key, index_t place) {
  e = {static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(place)};
}
template <class Key>
void put(wide_place& e, Key key, index_t place) {
  e = {key, static_cast<std::uint64_t>(place)};
}

/// In so many parts: body(first, last) of n elements.
template <class Body>
void for_parts(index_t n, index_t parts, const Body& body) {
  for_tasks(parts, static_cast<double>(n) * 2, [&](index_t p) {
    body(n / parts * p + std::min(p, n % parts), n / parts * (p + 1) + std::min(p + 1, n % parts));
  });
}

}  // namespace

void sort_keys(host, const key_rows& rows) {
  if (rows.none()) return;
  for_type(rows.bytes, [&]<class Key>(Key) {
    const index_t n = rows.length, parts = parts_of(rows);
    if (rows.count >= lanes / 4 && n <= longest_together<Key>()) {
      const double cost = static_cast<double>(rows.count) * static_cast<double>(n) * 16;
      return for_tasks((rows.count + lanes - 1) / lanes, cost, [&](index_t t) {
        sort_rows_together(static_cast<Key*>(rows.keys) + t * lanes * n, std::min(lanes, rows.count - t * lanes), n);
      });
    }
    for_rows(rows, parts, [&](index_t r) {
      Key* const row = static_cast<Key*>(rows.keys) + r * n;
      const scratch<Key> other(n);
      sort_elements<Key>(row, &other[0], n, parts);
    });
  });
}

void sort_places(host, const key_rows& rows, int64* places) {
  if (rows.none()) return;
  for_type(rows.bytes, [&]<class Key>(Key) {
    with_places(rows, [&]<class E>(E) {
      const index_t n = rows.length, parts = parts_of(rows);
      for_rows(rows, parts, [&](index_t r) {
        Key* const row = static_cast<Key*>(rows.keys) + r * n;
        const scratch<E> elements(n), other(n);
        for_parts(n, parts, [&](index_t a, index_t b) {
          for (index_t i = a; i < b; ++i) put(elements[i], row[i], i);
        });
        sort_elements<Key>(&elements[0], &other[0], n, parts);
        for_parts(n, parts, [&](index_t a, index_t b) {
          for (index_t i = a; i < b; ++i) {
            row[i] = static_cast<Key>(key_in(elements[i]));
            places[r * n + i] = place_in(elements[i]);
          }
        });
      });
    });
  });
}

void first_places(host, const key_rows& rows, index_t k, void* keys, int64* places) {
  if (rows.none() || k == 0) return;
  for_type(rows.bytes, [&]<class Key>(Key) {
    with_places(rows, [&]<class E>(E) {
      const index_t n = rows.length, parts = std::min(parts_of(rows), std::max<index_t>(1, n / (4 * k)));
      for_rows(rows, parts, [&](index_t r) {
        const Key* const row = static_cast<const Key*>(rows.keys) + r * n;
        // Each part's first k come first: those of the row are among them.
        std::vector<E> best(static_cast<std::size_t>(parts * k));
        for_tasks(parts, static_cast<double>(n) * 4, [&](index_t p) {
          const index_t begin = n / parts * p + std::min(p, n % parts),
                        end = n / parts * (p + 1) + std::min(p + 1, n % parts);
          E* const kept = best.data() + p * k;
          // Candidates gather behind the kept ones, and are thinned out when there are as many again.
          std::vector<E> some(static_cast<std::size_t>(std::min(end - begin, std::max<index_t>(4 * k, 1024))));
          const auto room = static_cast<index_t>(some.size());
          index_t m = 0;
          Key limit = static_cast<Key>(~Key(0));
          bool full = false;
          for (index_t i = begin; i < end; ++i) {
            if (full && !(row[i] < limit)) continue;
            if (m == room) {
              std::nth_element(some.begin(), some.begin() + (k - 1), some.end());
              m = k, full = true;
              limit = static_cast<Key>(key_in(some[static_cast<std::size_t>(k - 1)]));
              if (!(row[i] < limit)) continue;
            }
            put(some[static_cast<std::size_t>(m++)], as_one_zero(rows, row[i]), i);
          }
          std::partial_sort_copy(some.begin(), some.begin() + m, kept, kept + k);
        });
        std::partial_sort(best.begin(), best.begin() + k, best.end());
        for (index_t i = 0; i < k; ++i) {
          const int64 place = place_in(best[static_cast<std::size_t>(i)]);
          static_cast<Key*>(keys)[r * k + i] = row[place];
          places[r * k + i] = place;
        }
      });
    });
  });
}

void partition_keys(host, const key_rows& rows, index_t p) {
  if (rows.none()) return;
  for_type(rows.bytes, [&]<class Key>(Key) {
    for_rows(rows, 1, [&](index_t r) {
      const index_t n = rows.length;
      Key* const row = static_cast<Key*>(rows.keys) + r * n;
#if defined(__x86_64__)
      if constexpr (sizeof(Key) >= 4)
        if (host_detail::bytes_of_vectors >= 32 && n > 1024) {
          const scratch<Key> other(n);
          return select_by_pivots(row, &other[0], n, p, 2 * static_cast<int>(std::bit_width(static_cast<Key>(n))));
        }
#endif
      std::nth_element(row, row + p, row + n);
    });
  });
}

namespace {

/// Sorting would put these at ascending positions of n elements, which are then in any order.
template <class Key>
void select(Key* row, index_t n, const index_t* positions, int count, Key* selected) {
  index_t first = 0;
  for (int j = 0; j < count; ++j) {
    const index_t p = positions[j];
    // right behind the last one there is the least of the others
    if (p == first) std::iter_swap(row + p, std::min_element(row + p, row + n));
    else if (p > first) std::nth_element(row + first, row + p, row + n);
    selected[j] = row[p];
    first = p + 1;
    if (j + 1 < count && positions[j + 1] == p) first = p;
  }
}

}  // namespace

void select_keys(host, const key_rows& rows, const index_t* positions, int n, void* selected) {
  if (rows.none()) return;
  for_type(rows.bytes, [&]<class Key>(Key) {
    const index_t parts = parts_of(rows), length = rows.length;
    for_rows(rows, parts, [&](index_t r) {
      Key* const row = static_cast<Key*>(rows.keys) + r * length;
      Key* const to = static_cast<Key*>(selected) + r * n;
      if (length < 4096) return select(row, length, positions, n, to);
      // The first bits say which few keys are near each position.
      constexpr int bits = sizeof(Key) == 1 ? 8 : 12, shift = static_cast<int>(sizeof(Key)) * 8 - bits;
      using counts = std::array<index_t, std::size_t{1} << bits>;
      std::vector<counts> of_part(static_cast<std::size_t>(parts));
      const auto bin = [](Key k) { return static_cast<std::size_t>(k >> shift); };
      const auto begin_of = [&](index_t p) { return length / parts * p + std::min(p, length % parts); };
      for_tasks(parts, static_cast<double>(length) * 2, [&](index_t p) {
        counts& c = of_part[static_cast<std::size_t>(p)];
        c.fill(0);
        for (index_t i = begin_of(p); i < begin_of(p + 1); ++i) ++c[bin(row[i])];
      });
      for (int j = 0; j < n;) {
        index_t before = 0, inside = 0;
        std::size_t b = 0;
        for (;; ++b) {
          inside = 0;
          for (const counts& c : of_part) inside += c[b];
          if (before + inside > positions[j]) break;
          before += inside;
        }
        const auto wanted = static_cast<Key>(b);
        std::vector<Key> near(static_cast<std::size_t>(inside));
        std::vector<index_t> next(static_cast<std::size_t>(parts), 0);
        for (index_t p = 1; p < parts; ++p)
          next[static_cast<std::size_t>(p)] =
              next[static_cast<std::size_t>(p - 1)] + of_part[static_cast<std::size_t>(p - 1)][b];
        for_tasks(parts, static_cast<double>(length), [&](index_t p) {
          index_t at = next[static_cast<std::size_t>(p)];
          for (index_t i = begin_of(p); i < begin_of(p + 1); ++i)
            if (bin(row[i]) == wanted) near[static_cast<std::size_t>(at++)] = row[i];
        });
        std::vector<index_t> here;
        int last = j;
        for (; last < n && positions[last] < before + inside; ++last) here.push_back(positions[last] - before);
        select(near.data(), inside, here.data(), static_cast<int>(here.size()), to + j);
        j = last;
      }
    });
  });
}

index_t find_runs(host, const key_rows& sorted, int64* starts) {
  if (sorted.none()) return 0;
  index_t runs = 0;
  for_type(sorted.bytes, [&]<class Key>(Key) {
    const Key* const keys = static_cast<const Key*>(sorted.keys);
    starts[runs++] = 0;
    for (index_t i = 1; i < sorted.length; ++i) {
      starts[runs] = i;
      runs += as_one_zero(sorted, keys[i]) != as_one_zero(sorted, keys[i - 1]);
    }
  });
  return runs;
}

void number_runs(host, const int64* starts, index_t runs, const int64* places, index_t length, int64* number) {
  for_tasks(runs, static_cast<double>(length) * 4, [&](index_t r) {
    const index_t end = r + 1 < runs ? starts[r + 1] : length;
    for (index_t i = starts[r]; i < end; ++i) number[places[i]] = r;
  });
}

}  // namespace lazyfuse::sort_detail
