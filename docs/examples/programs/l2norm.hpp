// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lengths of rows: √Σ_j |x_ij|².
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto l2norm(const auto& x) { return lf::sqrt(lf::sum(lf::square(lf::abs(x)), lf::axis<1>)); }

}  // namespace programs
