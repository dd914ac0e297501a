// expected-error: lazyfuse: what is iterated returns elements of the types, and of the ranks, that it is given
// expected-error: lazyfuse: what is iterated returns as many expressions as it is given arrays
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/graph.hpp>

namespace lf = lazyfuse;

void mistake(const lf::array<float, 1>& y) {
  const auto near = [](const auto& v) { return lf::max(v) < 1.0f; };
#ifdef LAZYFUSE_EXPECT_ERROR
  (void)lf::iterate_until(
      near, [](const auto& v) { return lf::cast<int>(v); }, y);
  (void)lf::iterate_until(
      near, [](const auto& v) { return std::tuple(v * 2, v); }, y);
#else
  (void)lf::iterate_until(
      near, [](const auto& v) { return v / 2; }, y);
#endif
}
