// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a quantile is.
#include <lazyfuse/sort/quantiles.hpp>

#include <algorithm>
#include <cmath>

namespace lazyfuse::sort_detail {

between position_of(double q, index_t n) {
  if (!(q >= 0 && q <= 1)) throw_value("quantile: q is a number from 0 to 1");
  const double at = q * static_cast<double>(n - 1), below = std::floor(at);
  const auto first = std::min(static_cast<index_t>(below), n - 1);
  return {first, std::min(first + 1, n - 1), at - below};
}

int ascending_without_equal(index_t* positions, int n) {
  std::sort(positions, positions + n);
  return static_cast<int>(std::unique(positions, positions + n) - positions);
}

}  // namespace lazyfuse::sort_detail
