// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that were made so far, by the text they were made from.
#pragma once

#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/backend/cuda/launch/launch.cuh>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace lazyfuse::cuda_detail {

/// A kernel on the current device, and what its source says of it in choices.
struct made_kernel {
  std::atomic<const void*> kernel = nullptr;  ///< written last: a bundle that is loaded later may bring it
  std::array<int, 5> choices{};
  std::vector<int> reads;
  resident_blocks resident;
  explicit operator bool() const { return kernel != nullptr; }
};

/// The kernel of this key on the current device; `source` writes it down where it has to be made. The same object for
/// the same key, and without a kernel where that failed.
made_kernel& made_for(const std::string& key, const std::function<kernel_source()>& source);

}  // namespace lazyfuse::cuda_detail
