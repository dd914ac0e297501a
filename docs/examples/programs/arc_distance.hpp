// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The angle between points of a sphere: 2 atan2(√a, √(1 - a)), a = sin²((t2 - t1) / 2) + cos t1 cos t2 sin²((p2 - p1) /
// 2).
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto arc_distance(const auto& t1, const auto& p1, const auto& t2, const auto& p2) {
  const auto a = lf::square(lf::sin((t2 - t1) / 2)) + lf::cos(t1) * lf::cos(t2) * lf::square(lf::sin((p2 - p1) / 2));
  return 2 * lf::atan2(lf::sqrt(a), lf::sqrt(1 - a));
}

}  // namespace programs
