// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All points (x_i, x_j, 0) of a grid: row i n + j of n² x 3.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto create_grid(const auto& x) {
  const auto n = x.extent(0);
  return lf::stack<1>(lf::repeat(x, n), lf::tile(x, n), lf::zeros({n * n}));
}

}  // namespace programs
