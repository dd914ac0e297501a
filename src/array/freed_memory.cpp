// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array/freed_memory.hpp"

#include <lazyfuse/program/elements.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace lazyfuse::memory_detail {

block pages_of(const block& b) noexcept {
  constexpr std::size_t page = 4096;  // none is smaller
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(b.memory) % page;
  if (b.bytes < skipped + page) return {};
  return {static_cast<char*>(b.memory) + skipped, (b.bytes - skipped) / page * page};
}

#if defined(__linux__) && defined(MADV_FREE)

namespace {

constexpr std::size_t most_blocks = 16;

/// Sorted by when they came, the oldest first. It is never destroyed: arrays of static storage are freed at the end.
struct freed_blocks {
  std::mutex mutex;
  block blocks[most_blocks];
  std::size_t count = 0, bytes = 0;
  const std::size_t most_bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) / 16 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

  block remove(std::size_t i) {
    const block b = blocks[i];
    std::copy(blocks + i + 1, blocks + count, blocks + i);
    --count;
    bytes -= b.bytes;
    return b;
  }
};
freed_blocks& freed() {
  alignas(freed_blocks) static std::byte memory[sizeof(freed_blocks)];
  static freed_blocks& all = *new (memory) freed_blocks;
  return all;
}

}  // namespace

block take_freed(std::size_t bytes) noexcept {
  freed_blocks& all = freed();
  const std::lock_guard lock(all.mutex);
  std::size_t best = all.count;
  for (std::size_t i = 0; i < all.count; ++i) {
    const std::size_t n = all.blocks[i].bytes;
    if (n >= bytes && n - bytes <= bytes / 8 && (best == all.count || n < all.blocks[best].bytes)) best = i;
  }
  return best < all.count ? all.remove(best) : block{};
}

void keep_freed(const block& b) noexcept {
  // A checked build is for tools that tell of memory that is used after it was freed.
  if (ir::checked_build || b.bytes < least_freed_bytes) return std::free(b.memory);
  freed_blocks& all = freed();
  const std::lock_guard lock(all.mutex);
  if (b.bytes > all.most_bytes) return std::free(b.memory);
  while (all.count == most_blocks || all.bytes + b.bytes > all.most_bytes) std::free(all.remove(0).memory);
  const block pages = pages_of(b);
  if (madvise(pages.memory, pages.bytes, MADV_FREE) != 0) return std::free(b.memory);
  all.blocks[all.count++] = b;
  all.bytes += b.bytes;
}

bool free_all_freed() noexcept {
  freed_blocks& all = freed();
  const std::lock_guard lock(all.mutex);
  const bool any = all.count > 0;
  while (all.count > 0) std::free(all.remove(0).memory);
  return any;
}

#else  // the system would not know that nobody needs it

block take_freed(std::size_t) noexcept { return {}; }
void keep_freed(const block& b) noexcept { std::free(b.memory); }
bool free_all_freed() noexcept { return false; }

#endif

}  // namespace lazyfuse::memory_detail
