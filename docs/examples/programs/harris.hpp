// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Harris' measure of corners without a window: (a b - c²) - 0.05 (a + b)², a = dx², b = dy², c = dx dy, of differences
// dx, dy.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto harris(const auto& image) {
  using lf::all, lf::range;
  const range on(1, lf::end), back(0, -1);
  const auto dx = (image(on, all) - image(back, all))(all, on), dy = (image(all, on) - image(all, back))(on, all);
  const auto a = dx * dx, b = dy * dy, c = dx * dy;
  return (a * b - c * c) - 0.05 * lf::square(a + b);
}

}  // namespace programs
