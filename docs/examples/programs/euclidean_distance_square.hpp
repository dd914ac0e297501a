// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Squared distances of the row x1, 1 x k, from the rows of x2, m x k: -2 ⟨x1, x2_j⟩ + |x1|² + |x2_j|².
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto euclidean_distance_square(const auto& x1, const auto& x2) {
  const lf::array square = lf::sum(lf::square(x1));
  return (-2 * lf::sum(x1 * x2, lf::axis<1>) + square + lf::sum(lf::square(x2), lf::axis<1>))(lf::newaxis);
}

}  // namespace programs
