// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Working memory of loops on the host, which is there for the time of a call (src/array/memory.cpp).
#pragma once

#include <lazyfuse/core/standard.hpp>

namespace lazyfuse::memory_detail {

/// Memory on a line of the cache, of which large blocks wait for the next one as those of arrays do; none where there
/// is not so much.
void* new_scratch(standard::size_t bytes) noexcept;
void delete_scratch(void* memory) noexcept;
[[noreturn]] void throw_no_scratch();

}  // namespace lazyfuse::memory_detail
