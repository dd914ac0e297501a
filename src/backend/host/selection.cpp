// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections on the host: elements of blocks are moved together while they are in the cache of a thread.
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/selection/libraries.hpp>

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
  for (index_t i = 0; i < n;) {
    unsigned some = 0;  // of as many as a vector counts quickly
    const index_t end = n - i < 65536 ? n : i + 65536;
    for (; i < end; ++i) some += mask[i];
    count += some;
  }
  return count;
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
