// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cronbach's alpha of n items in rows: n / (n - 1) (1 - Σ_i var_j x_ij / var_j Σ_i x_ij), of sample variances.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto cronbach(const auto& x) {
  const auto n = static_cast<double>(x.extent(0));
  const auto of_items = lf::sum(lf::var(x, lf::axis<1>, lf::ddof{1}));
  return n / (n - 1) * (1 - of_items / lf::var(lf::sum(x, lf::axis<0>), lf::ddof{1}));
}

}  // namespace programs
