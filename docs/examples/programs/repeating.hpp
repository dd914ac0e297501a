// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x, and behind it each of its elements so many times.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto repeating(const auto& x, lf::index_t times) { return lf::concat(x, lf::repeat(x, times)); }

}  // namespace programs
