// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that an earlier process compiled: one file each in the folder of disk/folder.hpp.
#pragma once

#include "backend/cuda/jit/compiler.hpp"

#include <string>

namespace lazyfuse::cuda_detail {

/// What was stored in the folder under this key; no binary if there is nothing, or it is damaged, of another key, or
/// not the user's own. Never throws for what it reads.
compiled load_kernel(const std::string& folder, const std::string& key);

/// Stores a kernel for later processes, several of which may do so at a time. The folder is made, for the user alone.
/// Nothing happens where that is not possible: then it will be compiled again. Beyond so many bytes the kernels that
/// were not used for longest go.
void store_kernel(const std::string& folder, const std::string& key, const compiled& kernel,
                  long most_bytes = 256L << 20);

}  // namespace lazyfuse::cuda_detail
