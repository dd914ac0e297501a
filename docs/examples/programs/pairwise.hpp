// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances between all points, in rows: √Σ_k (x_jk - x_ik)².
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto pairwise(const auto& x) {
  return lf::sqrt(lf::sum(lf::square(x(lf::newaxis) - x(lf::all, lf::newaxis)), lf::axis<-1>));
}

}  // namespace programs
