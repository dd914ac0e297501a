// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array/freed_memory.hpp"

#include <lazyfuse/program/elements.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace lazyfuse::memory_detail {

block pages_of(const block& b) noexcept {
#if defined(__linux__)
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#else
  constexpr std::size_t page = 4096;
#endif
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(b.memory) % page;
  if (b.bytes < skipped + page) return {};
  return {static_cast<char*>(b.memory) + skipped, (b.bytes - skipped) / page * page};
}

#if defined(__linux__) && defined(MADV_FREE)

namespace {

constexpr std::size_t most_blocks = 16;

std::size_t memory_of_process() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  const std::size_t all = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return all;
  return std::min(all, static_cast<std::size_t>(limit.rlim_cur));
}

/// Sorted by when they came, the oldest first. Nobody waits for it: who finds it locked, perhaps for ever by a thread
/// that fork() did not take along, does without. It is never destroyed: arrays of static storage are freed at the end.
struct freed_blocks {
  std::mutex mutex;
  block blocks[most_blocks];
  std::size_t count = 0, bytes = 0;
  const std::size_t most_bytes = memory_of_process() / 16;

  block remove(std::size_t i) {
    const block b = blocks[i];
    std::copy(blocks + i + 1, blocks + count, blocks + i);
    --count;
    bytes -= b.bytes;
    return b;
  }
};
freed_blocks& freed() {
  static freed_blocks& all = *new freed_blocks;
  return all;
}

}  // namespace

block take_freed(std::size_t bytes) noexcept {
  freed_blocks& all = freed();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock) return {};
  std::size_t best = all.count;
  for (std::size_t i = 0; i < all.count; ++i) {
    const std::size_t n = all.blocks[i].bytes;
    if (n >= bytes && n - bytes <= bytes / 8 && (best == all.count || n < all.blocks[best].bytes)) best = i;
  }
  return best < all.count ? all.remove(best) : block{};
}

void keep_freed(block b) noexcept {
  // A checked build is for tools that tell of memory that is used after it was freed.
  if (ir::checked_build || b.bytes < least_freed_bytes) return std::free(b.memory);
  freed_blocks& all = freed();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock || b.bytes > all.most_bytes) return std::free(b.memory);
  while (all.count == most_blocks || all.bytes + b.bytes > all.most_bytes) std::free(all.remove(0).memory);
  const block pages = pages_of(b);
  if (madvise(pages.memory, pages.bytes, MADV_FREE) != 0) return std::free(b.memory);
  all.blocks[all.count++] = b;
  all.bytes += b.bytes;
}

bool free_all_freed() noexcept {
  freed_blocks& all = freed();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock) return false;
  const bool any = all.count > 0;
  while (all.count > 0) std::free(all.remove(0).memory);
  return any;
}

#else  // the system would not know that nobody needs it

block take_freed(std::size_t) noexcept { return {}; }
void keep_freed(block b) noexcept { std::free(b.memory); }
bool free_all_freed() noexcept { return false; }

#endif

}  // namespace lazyfuse::memory_detail
