// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches as profilers and LAZYFUSE_EXPLAIN and LAZYFUSE_SYNC see them.
#pragma once

#include "core/text.hpp"
#include "observe/watch.hpp"
#include "program/text.hpp"

namespace lazyfuse::cuda_detail {

/// Tells the library how to watch kernels; finds out whether a profiler is attached.
void watch_launches();

}  // namespace lazyfuse::cuda_detail
