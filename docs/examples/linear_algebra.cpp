// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra: a fit by least squares, and points that are made uncorrelated.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/linalg.hpp>

#include <string>

namespace lf = lazyfuse;

int main() {
  // [fit]
  const lf::array<double, 1> t = lf::linspace(0.0, 1.0, 200);
  const lf::array<double, 1> seen = 2 - 3 * t + lf::random::normal<double>({200}, lf::seed{1}, 0, 0.01);
  const auto powers = lf::pow(t(lf::all, lf::newaxis), lf::arange(3.0));  // 1, t, t * t: an expression
  const auto fit = lf::linalg::lstsq(powers, seen);                       // fit.solution is near {2, -3, 0}
  const auto apart = seen - lf::matmul(powers, fit.solution);
  // [fit]
  expect(fit.rank.item() == 3 && lf::max(lf::abs(apart)).item() < 0.05);
  expect(lf::all(lf::abs(fit.solution - lf::array<double, 1>{2, -3, 0}) < 0.05).item());

  // [white]
  const lf::array<double, 2> drawn = lf::random::normal<double>({1000, 3}, lf::seed{2}, 0, 1);
  const lf::array<double, 2> x = lf::cumsum(drawn, lf::axis<1>);  // whose columns are correlated
  const auto [values, vectors] = lf::linalg::eigh(lf::cov(x.T()));
  const lf::array<double, 2> white = lf::matmul(x - lf::mean(x, lf::axis<0>), vectors / lf::sqrt(values));
  // [white]
  expect(lf::max(lf::abs(lf::cov(white.T()) - lf::eye(3))).item() < 1e-12);

  // [error]
  try {
    (void)lf::linalg::inv(lf::ones<double>({4, 2, 2}));
  } catch (const lf::linalg_error& e) {
    // inv: matrix (0,) of (4,) is singular: pivot 1 is zero (linear_algebra.cpp:31)
    expect(std::string(e.what()).find("inv: matrix (0,) of (4,) is singular: pivot 1 is zero") == 0);
  }
  // [error]
}
