// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums from each element on: Σ_{k ≥ i} x_k.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto reverse_cumsum(const auto& x) { return lf::cumsum(x, lf::backwards); }

}  // namespace programs
