// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a normal distribution: Σ log(exp(-(x - m)² / (2 s²)) / (√(2 π) s)).
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <cmath>
#include <numbers>

namespace programs {

namespace lf = lazyfuse;

auto log_likelihood(const auto& x, double mean, double deviation) {
  const double root = std::sqrt(2 * std::numbers::pi);
  return lf::sum(lf::log(lf::exp(-lf::square(x - mean) / (2 * deviation * deviation)) / (root * deviation)));
}

}  // namespace programs
