// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gray and Scott's reaction: steps of u += a Δu - u v² + f (1 - u), v += b Δv + u v² - (f + k) v, in float, inside a
// border of zeros; at first u is 1, in a square of 2 r 0.5, and v 0, there 0.25; and 0.15 of the noise ru and rv is
// added to them.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <utility>

namespace programs {

namespace lf = lazyfuse;

/// v, (n + 2) x (n + 2), after so many steps.
template <class Space>
auto grayscott(const lf::array<double, 2, Space>& ru, const lf::array<double, 2, Space>& rv, int steps) {
  using lf::range;
  const lf::index_t n = ru.extent(0), r = 20, low = n / 2 - r, high = n - 2 * r - low;
  const auto square = lf::pad(lf::ones({2 * r, 2 * r}), {{low, high}, {low, high}});
  const auto framed = [](const auto& x) { return lf::pad(lf::cast<float>(x), {{1, 1}, {1, 1}}); };
  const auto nothing = lf::zeros<float>({n + 2, n + 2});
  auto [u, v, next_u, next_v] =
      lf::materialize(framed(1 - 0.5 * square + 0.15 * ru), framed(0.25 * square + 0.15 * rv), nothing, nothing);

  const range in(1, -1), back(0, -2), on(2, lf::end);
  const auto laplace = [&](const auto& x) { return x(back, in) + x(in, back) - 4 * x(in, in) + x(in, on) + x(on, in); };
  for (int step = 0; step < steps; ++step) {
    const auto a = u(in, in), b = v(in, in);
    const auto w = a * b * b;
    lf::assign(lf::tie(next_u(in, in), next_v(in, in)), a + (0.16 * laplace(u) - w + 0.04 * (1 - a)),
               b + (0.08 * laplace(v) + w - (0.04 + 0.06) * b));
    std::swap(u, next_u), std::swap(v, next_v);
  }
  return v;
}

}  // namespace programs
