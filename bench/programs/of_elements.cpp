// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that compute element by element, move elements, and scan.
#include "examples/programs/arc_distance.hpp"
#include "examples/programs/create_grid.hpp"
#include "examples/programs/hasting.hpp"
#include "examples/programs/pythagorean_id.hpp"
#include "examples/programs/repeating.hpp"
#include "examples/programs/reverse_cumsum.hpp"
#include "examples/programs/vibr_energy.hpp"
#include "run.hpp"

namespace bench {

std::vector<program> of_elements(double scale) {
  std::vector<program> all;
  index_t n = scaled(10'000'000, scale);
  all.push_back(expression(
      "arc_distance", {n}, 40.0 * n, [](const auto&... x) { return programs::arc_distance(x...); }, a_line(n, 1),
      a_line(n, 2), a_line(n, 3), a_line(n, 4)));
  all.push_back(expression(
      "vibr_energy", {n}, 32.0 * n, [](const auto&... x) { return programs::vibr_energy(x...); }, a_line(n, 1),
      a_line(n, 2), a_line(n, 3)));
  n = scaled(10'000, scale, 2);
  all.push_back(statements(
      "create_grid", {n}, 8.0 * n + 24.0 * n * n, [](const auto& x) { (void)programs::create_grid(x); }, a_line(n, 1)));
  all.push_back(statements(
      "hasting", {3}, 48, [](const auto& y) { (void)programs::hasting(y, 5, 0.1, 3, 2, 0.4, 0.01); }, a_line(3, 1)));
  n = scaled(101'000'000, scale);
  all.push_back(expression(
      "pythagorean_id", {n}, 16.0 * n, [](const auto& x) { return programs::pythagorean_id(x); }, a_line(n, 1)));
  n = scaled(29'000'000, scale);
  all.push_back(expression(
      "repeating", {n, 5}, 56.0 * n, [](const auto& x) { return programs::repeating(x, 5); }, a_line(n, 1)));
  n = scaled(13'213'750, scale);
  all.push_back(expression(
      "reverse_cumsum", {n}, 16.0 * n, [](const auto& x) { return programs::reverse_cumsum(x); }, a_line(n, 1)));
  return all;
}

}  // namespace bench
