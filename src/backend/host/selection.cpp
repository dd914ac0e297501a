// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections on the host: elements of blocks are moved together while they are in the cache of a thread.
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/selection/libraries.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lazyfuse::selection_detail {

namespace {

template <std::size_t Bytes>
struct moved_word {
  std::byte bytes[Bytes];
};
/// Moves each element forward and goes on where the mask is true, without a branch.
template <class T>
index_t keep_words(const bool* mask, void* values, index_t n) {
  T* const v = static_cast<T*>(values);
  index_t count = 0, i = 0;
  for (; i + 8 <= n; i += 8) {  // of few that are kept most words of the mask are zero
    std::uint64_t some;
    std::memcpy(&some, mask + i, sizeof some);
    if (some == 0) continue;
    for (index_t k = i; k < i + 8; ++k) {
      v[count] = v[k];
      count += mask[k];
    }
  }
  for (; i < n; ++i) {
    v[count] = v[i];
    count += mask[i];
  }
  return count;
}
index_t keep_bytes(const bool* mask, void* values, std::size_t size, index_t n) {
  std::byte* const v = static_cast<std::byte*>(values);
  index_t count = 0;
  for (index_t i = 0; i < n; ++i)
    if (mask[i])
      std::memmove(v + static_cast<std::size_t>(count++) * size, v + static_cast<std::size_t>(i) * size, size);
  return count;
}

}  // namespace

void for_blocks(host, index_t tasks, double cost, void (*body)(void*, index_t), void* context) {
  record_detail::refuse_computing("a selection");
  host_detail::run_tasks(tasks, cost, body, context);
}

index_t count_true(const bool* mask, index_t n) {
  index_t count = 0;
  host_detail::in_wide_vectors(
      [](index_t* sum, const unsigned char* m, index_t left) {
        constexpr index_t lanes = 64, most = 255;  // a byte holds no more
        while (left >= lanes) {
          unsigned char some[lanes] = {};
          const index_t rows = std::min(left / lanes, most);
          for (index_t r = 0; r < rows; ++r, m += lanes)
            for (index_t l = 0; l < lanes; ++l) some[l] = static_cast<unsigned char>(some[l] + m[l]);
          unsigned all = 0;
          for (const unsigned char s : some) all += s;
          *sum += all;
          left -= rows * lanes;
        }
        for (; left > 0; --left) *sum += *m++;
      },
      &count, reinterpret_cast<const unsigned char*>(mask), n);
  return count;
}

void put_places(const bool* mask, index_t first, index_t end, int64* to, index_t count) {
  index_t n = 0, i = first;
  while (n < count) {
    std::uint64_t some = 1;
    if (end - i >= 8) std::memcpy(&some, mask + i, sizeof some);
    if (some == 0) i += 8;
    else if (count - n >= 8)  // so that no place too many is written
      for (const index_t next = i + 8; i < next; ++i) {
        to[n] = i;
        n += mask[i];
      }
    else {
      to[n] = i;
      n += mask[i++];
    }
  }
}

void keep_selected(const bool* mask, void* values, std::size_t size, index_t n, void* to) {
  const index_t count = size == 1    ? keep_words<moved_word<1>>(mask, values, n)
                        : size == 2  ? keep_words<moved_word<2>>(mask, values, n)
                        : size == 4  ? keep_words<moved_word<4>>(mask, values, n)
                        : size == 8  ? keep_words<moved_word<8>>(mask, values, n)
                        : size == 16 ? keep_words<moved_word<16>>(mask, values, n)
                                     : keep_bytes(mask, values, size, n);
  std::memcpy(to, values, static_cast<std::size_t>(count) * size);
}

}  // namespace lazyfuse::selection_detail
