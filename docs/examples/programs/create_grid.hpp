// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All points (x_i, x_j, 0) of a grid: row i n + j of n² x 3.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

template <class Space>
auto create_grid(const lf::array<double, 1, Space>& x) {
  using lf::all, lf::ellipsis, lf::newaxis;
  const auto n = x.extent(0);
  lf::array<double, 3, Space> z = lf::empty({n, n, 3});
  const auto plane = [&](const auto& values) { return lf::broadcast_to(values, {n, n}); };
  lf::assign(lf::tie(z(ellipsis, 0), z(ellipsis, 1), z(ellipsis, 2)), plane(x(all, newaxis)), plane(x),
             lf::zeros({n, n}));
  return lf::reshape(z, {n * n, 3});
}

}  // namespace programs
