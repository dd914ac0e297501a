// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of absolute differences between rows: Σ_k |x_ik - y_jk|.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto l1norm(const auto& x, const auto& y) { return lf::sum(lf::abs(x(lf::all, lf::newaxis) - y), lf::axis<-1>); }

}  // namespace programs
