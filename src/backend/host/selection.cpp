// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections on the host: elements of blocks are moved together while they are in the cache of a thread.
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/selection/libraries.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace lazyfuse::selection_detail {

namespace {

template <std::size_t Bytes>
struct word {
  std::byte bytes[Bytes];
};
/// Writes each element and goes on where the mask is true, without a branch. `to` has room for n.
template <class T>
index_t keep_words(const bool* mask, const void* values, index_t n, void* to) {
  const T* const v = static_cast<const T*>(values);
  T* const out = static_cast<T*>(to);
  index_t count = 0;
  for (index_t i = 0; i < n; ++i) {
    out[count] = v[i];
    count += mask[i];
  }
  return count;
}
index_t keep_bytes(const bool* mask, const void* values, std::size_t size, index_t n, void* to) {
  const std::byte* const v = static_cast<const std::byte*>(values);
  std::byte* out = static_cast<std::byte*>(to);
  index_t count = 0;
  for (index_t i = 0; i < n; ++i)
    if (mask[i]) {
      std::memcpy(out, v + static_cast<std::size_t>(i) * size, size);
      out += size;
      ++count;
    }
  return count;
}
index_t keep_selected(const bool* mask, const void* values, std::size_t size, index_t n, void* to) {
  switch (size) {
    case 1: return keep_words<word<1>>(mask, values, n, to);
    case 2: return keep_words<word<2>>(mask, values, n, to);
    case 4: return keep_words<word<4>>(mask, values, n, to);
    case 8: return keep_words<word<8>>(mask, values, n, to);
    case 12: return keep_words<word<12>>(mask, values, n, to);
    case 16: return keep_words<word<16>>(mask, values, n, to);
    default: return keep_bytes(mask, values, size, n, to);
  }
}

}  // namespace

void for_blocks(host, index_t tasks, double cost, void (*body)(void*, index_t), void* context) {
  host_detail::run_tasks(tasks, cost, body, context);
}

// Room for all elements costs addresses alone: the system gives pages to what is written.
compaction::compaction(index_t blocks, index_t elements, std::size_t element_size)
    : parts_(new part[static_cast<std::size_t>(blocks)]),
      blocks_(blocks),
      size_(element_size),
      room_(::operator new(static_cast<std::size_t>(elements) * element_size, std::nothrow)) {
  if (room_) return;
  delete[] parts_;
  throw_memory("host", static_cast<std::size_t>(elements) * element_size, {"compress", dtype::other, &elements, 1});
}
compaction::~compaction() {
  ::operator delete(room_);
  delete[] parts_;
}
void compaction::keep(index_t block, index_t first, const bool* mask, const void* values, index_t n) {
  std::byte* const to = static_cast<std::byte*>(room_) + static_cast<std::size_t>(first) * size_;
  parts_[block] = {first, keep_selected(mask, values, size_, n, to)};
}
index_t compaction::count() const {
  index_t n = 0;
  for (index_t b = 0; b < blocks_; ++b) n += parts_[b].count;
  return n;
}
void compaction::write(void* to) const {
  // A task moves several blocks, whose elements follow each other.
  constexpr index_t together = 16;
  const index_t tasks = (blocks_ + together - 1) / together;
  auto* const begins = new index_t[static_cast<std::size_t>(tasks)];
  index_t n = 0;
  for (index_t b = 0; b < blocks_; n += parts_[b++].count)
    if (b % together == 0) begins[b / together] = n;
  host_detail::for_tasks(tasks, static_cast<double>(n) * static_cast<double>(size_) / 4, [&](index_t task) {
    std::byte* out = static_cast<std::byte*>(to) + static_cast<std::size_t>(begins[task]) * size_;
    for (index_t b = task * together; b < blocks_ && b < (task + 1) * together; ++b) {
      const std::size_t bytes = static_cast<std::size_t>(parts_[b].count) * size_;
      std::memcpy(out, static_cast<const std::byte*>(room_) + static_cast<std::size_t>(parts_[b].first) * size_, bytes);
      out += bytes;
    }
  });
  delete[] begins;
}

}  // namespace lazyfuse::selection_detail
