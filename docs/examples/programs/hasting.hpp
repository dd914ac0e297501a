// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hastings and Powell's food chain, dy/dt of y = (prey, predator, its predator): (y0 (1 - y0) - f, f - g - d1 y1, g -
// d2 y2), f = a1 y0 y1 / (1 + b1 y0), g = a2 y1 y2 / (1 + b2 y1).
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

template <class Space>
auto hasting(const lf::array<double, 1, Space>& y, double a1, double a2, double b1, double b2, double d1, double d2) {
  const auto f = a1 * y(0) * y(1) / (1 + b1 * y(0)), g = a2 * y(1) * y(2) / (1 + b2 * y(1));
  lf::array<double, 1, Space> out = lf::empty_like(y);
  lf::assign(lf::tie(out(0), out(1), out(2)), y(0) * (1 - y(0)) - f, f - g - d1 * y(1), g - d2 * y(2));
  return out;
}

}  // namespace programs
