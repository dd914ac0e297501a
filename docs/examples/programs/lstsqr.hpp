// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line through points: slope = Σ (x - x̄)(y - ȳ) / Σ (x - x̄)², intercept = ȳ - slope x̄.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto lstsqr(const auto& x, const auto& y) {
  const auto [xm, ym] = lf::materialize(lf::mean(x), lf::mean(y));
  const auto slope = lf::sum((x - xm) * (y - ym)) / lf::sum(lf::square(x - xm));
  return lf::materialize(slope, ym - slope * xm);
}

}  // namespace programs
