// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sin² x + cos² x.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto pythagorean_id(const auto& x) { return lf::square(lf::sin(x)) + lf::square(lf::cos(x)); }

}  // namespace programs
