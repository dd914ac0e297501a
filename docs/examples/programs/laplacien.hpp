// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edges of a picture, height x width x colours: |4 x - its four neighbours| over the largest of them, at least 1.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto laplacien(const auto& x) {
  using lf::range;
  const range in(1, -1), back(0, -2), on(2, lf::end);
  const auto edges = lf::abs(4 * x(in, in) - x(back, in) - x(on, in) - x(in, back) - x(in, on));
  return edges / (lf::maximum(lf::max(edges), 1) + 1e-9);
}

}  // namespace programs
