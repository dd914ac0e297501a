// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs whose results are sums.
#include "examples/programs/cronbach.hpp"
#include "examples/programs/euclidean_distance_square.hpp"
#include "examples/programs/l1norm.hpp"
#include "examples/programs/l2norm.hpp"
#include "examples/programs/log_likelihood.hpp"
#include "examples/programs/lstsqr.hpp"
#include "examples/programs/nn.hpp"
#include "examples/programs/pairwise.hpp"
#include "run.hpp"

namespace bench {

std::vector<program> of_sums(double scale) {
  std::vector<program> all;
  index_t n = scaled(20'000, scale, 2);
  all.push_back(expression(
      "cronbach", {n}, 16.0 * n * n, [](const auto& x) { return programs::cronbach(x); }, a_matrix(n, n, 1)));
  n = scaled(585'936, scale);
  all.push_back(statements(
      "euclidean_distance_square", {n, 512}, 8.0 * (512.0 * n + 512 + n),
      [](const auto& row, const auto& x) { (void)lf::materialize(programs::euclidean_distance_square(row, x)); },
      a_matrix(1, 512, 1), a_matrix(n, 512, 2)));
  n = scaled(2048, scale, 3);
  all.push_back(expression(
      "l1norm", {n}, 24.0 * n * n, [](const auto& x, const auto& y) { return programs::l1norm(x, y); },
      a_matrix(n, n, 1), a_matrix(n, n, 2)));
  n = scaled(10'000, scale, 2);
  all.push_back(expression(
      "l2norm", {n}, 8.0 * n * n + 8.0 * n, [](const auto& x) { return programs::l2norm(x); }, a_matrix(n, n, 1)));
  n = scaled(100'000'000, scale);
  all.push_back(expression(
      "log_likelihood", {n}, 8.0 * n, [](const auto& x) { return programs::log_likelihood(x, 0.1, 1.1); },
      a_line(n, 1)));
  n = scaled(98'000'000, scale);
  all.push_back(statements(
      "lstsqr", {n}, 32.0 * n, [](const auto& x, const auto& y) { (void)programs::lstsqr(x, y); }, a_line(n, 1),
      a_line(n, 2)));
  n = scaled(50'000'000, scale);
  all.push_back(statements(
      "nn", {n, 10}, 160.0 * n,
      [](const auto& x, const auto& y) {
        lf::array<double, 0, space> w = lf::full(lf::shape<0>{}, 0.5), b = lf::full(lf::shape<0>{}, 0.25);
        programs::nn(w, b, x, y, 0.1, 10);
      },
      a_line(n, 1), a_line(n, 2)));
  n = scaled(8000, scale, 2);
  for (const auto& [rows, columns] : {std::pair{n, index_t{3}}, std::pair{index_t{200}, index_t{100}}})
    all.push_back(expression(
        columns == 3 ? "pairwise" : "pairwise_200", {rows, columns}, 8.0 * rows * columns + 8.0 * rows * rows,
        [](const auto& x) { return programs::pairwise(x); }, a_matrix(rows, columns, 1)));
  return all;
}

}  // namespace bench
