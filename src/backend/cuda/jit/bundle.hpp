// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that this process has: those it used so far, to be packed for others, and those that others have packed.
#pragma once

#include "backend/cuda/jit/compiler.hpp"

#include <string>

namespace lazyfuse::cuda_detail {

/// The kernel made from this key; no binary if it is not known.
compiled known_kernel(const std::string& key);
/// It is used by this process.
void remember_kernel(const std::string& key, const compiled& kernel);
/// How many bundles have been loaded: with one more, what could not be made before may be there.
int bundles_loaded();
/// Whether the kernels of this run are packed when it ends (LAZYFUSE_PACK): those that know no size serve most runs.
bool packs_at_the_end();

}  // namespace lazyfuse::cuda_detail
