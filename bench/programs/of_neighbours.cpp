// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that look at neighbours.
#include "examples/programs/evolve.hpp"
#include "examples/programs/grayscott.hpp"
#include "examples/programs/harris.hpp"
#include "examples/programs/laplacien.hpp"
#include "examples/programs/rosen.hpp"
#include "examples/programs/specialconvolve.hpp"
#include "run.hpp"

namespace bench {

std::vector<program> of_neighbours(double scale) {
  std::vector<program> all;
  const auto evolve = [](const auto& g) { return programs::evolve(g, 0.1); };
  for (const index_t n : {scaled(20'000, scale, 2), index_t{512}})
    all.push_back(expression(n == 512 ? "evolve_512" : "evolve", {n}, 16.0 * n * n, evolve, a_matrix(n, n, 1)));
  for (const auto& [n, steps] : {std::pair{scaled(12'000, scale, 2), 10}, std::pair{index_t{300}, 40}})
    all.push_back(statements(
        n == 300 ? "grayscott_300" : "grayscott", {n, steps}, 16.0 * (n + 2) * (n + 2) * steps,
        [count = steps](const auto& u, const auto& v) { (void)programs::grayscott(u, v, count); }, a_matrix(n, n, 1),
        a_matrix(n, n, 2)));
  index_t n = scaled(10'000, scale, 2);
  all.push_back(expression(
      "harris", {n}, 16.0 * n * n, [](const auto& x) { return programs::harris(x); }, a_matrix(n, n, 1)));
  n = scaled(4457, scale, 2);
  all.push_back(expression(
      "laplacien", {n}, 72.0 * n * n, [](const auto& x) { return programs::laplacien(x); },
      [n] {
        return random_numbers(lf::shape<3>{n, n, 3}, 1);
      }));
  n = scaled(100'000'000, scale);
  all.push_back(expression(
      "rosen", {n}, 8.0 * n, [](const auto& x) { return programs::rosen(x); }, a_line(n, 1)));
  n = scaled(9130, scale, 2);
  all.push_back(expression(
      "specialconvolve", {n}, 8.0 * n * n, [](const auto& x) { return programs::specialconvolve(x); },
      [n]() -> lf::array<std::uint32_t, 2, space> {
        return lf::random::integers<std::uint32_t>(lf::shape<2>{n, n}, 0u, 4'000'000'000u, lf::seed{1});
      }));
  return all;
}

}  // namespace bench
