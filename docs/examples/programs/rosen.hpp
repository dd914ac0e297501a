// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rosenbrock's function: Σ_i 100 (x_{i+1} - x_i²)² + (1 - x_i)².
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto rosen(const auto& x) {
  const auto next = x(lf::range(1, lf::end)), here = x(lf::range(0, -1));
  return lf::sum(100 * lf::square(next - lf::square(here)) + lf::square(1 - here));
}

}  // namespace programs
