// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of diffusion on a torus: g + dt d (the four neighbours - 4 g).
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto evolve(const auto& g, double dt, double d = 1) {
  using lf::axis, lf::roll;
  const auto around = roll(g, 1, axis<0>) + roll(g, -1, axis<0>) + roll(g, 1, axis<1>) + roll(g, -1, axis<1>);
  return g + dt * d * (around - 4 * g);
}

}  // namespace programs
