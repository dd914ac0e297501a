// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large memory of the host that arrays have given back, for those to come. malloc returns it to the system, which
// zeroes it page by page when it gives it out again: as long as the loop takes that then writes there. While it waits
// here the system may take its pages where it has need of them.
#pragma once

#include <cstddef>

namespace lazyfuse::memory_detail {

/// Of fewer bytes malloc keeps it itself (glibc's DEFAULT_MMAP_THRESHOLD_MAX), without asking the system.
inline constexpr std::size_t least_freed_bytes = std::size_t{32} << 20;

/// What malloc() gave, and its size.
struct block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};
/// The whole pages of a block, of which the system is told something.
block pages_of(const block& b) noexcept;
/// A block of at least so many bytes and a little more, or none.
block take_freed(std::size_t bytes) noexcept;
/// Keeps a block, or frees it: it is freed, or an older one, where more than a sixteenth of the machine's memory would
/// wait, or of what the process may have. By value: what stands in the block itself goes with its pages.
void keep_freed(block b) noexcept;
/// Frees all that waits; whether there was any.
bool free_all_freed() noexcept;

}  // namespace lazyfuse::memory_detail
