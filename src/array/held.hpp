// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that somebody uses without a part in its count, which decides who may write in place.
#pragma once

#include <lazyfuse/array/memory.hpp>

namespace lazyfuse::memory_detail {

/// The memory stays until it is let go as often, though nobody may have a handle to it by then. Somebody has one now.
/// Throws std::bad_alloc.
void hold(allocation* a);
void let_go(allocation* a) noexcept;

}  // namespace lazyfuse::memory_detail
