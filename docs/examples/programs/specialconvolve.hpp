// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of 3 x 3 neighbours less 9 times the one in the middle, of unsigned integers, modulo 2³².
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto specialconvolve(const auto& x) {
  using lf::all, lf::range;
  const range in(1, -1), back(0, -2), on(2, lf::end);
  const auto rows = x(all, back) + x(all, in) + x(all, on);
  return rows(back, all) + rows(in, all) + rows(on, all) - 9 * x(in, in);
}

}  // namespace programs
