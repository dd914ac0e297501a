// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads whose results depend on a whole line of the input: normalizations by rows, by columns, and of one long row.
// Each is read once and written once, so far as it fits into what the machine keeps of it.
#pragma once

#include "workload.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace bench {

/// Rows of so many numbers, and results in the same shape: those of `expression()`. `expected(line)` gives all results
/// of one line in double precision; its k-th element is element k * step + line * pitch of the results.
template <class Space, int Rows, int Columns, bool ByColumns = false>
struct line_workload : workload<float, 2, Space> {
  static constexpr int rows = Rows, columns = Columns;
  static constexpr index_t lines = ByColumns ? columns : rows, length = ByColumns ? rows : columns;
  static constexpr index_t step = ByColumns ? columns : 1, pitch = ByColumns ? 1 : columns;
  static constexpr double bytes = 8.0 * rows * columns;
  lf::array<float, 2, Space> x = numbers<float, Space>(1, lf::shape<2>{rows, columns});

  line_workload() : workload<float, 2, Space>(lf::shape<2>{rows, columns}) {}

  static std::vector<double> line(index_t l) {
    std::vector<double> v(static_cast<std::size_t>(length));
    for (index_t k = 0; k < length; ++k) v[static_cast<std::size_t>(k)] = number<float>(1, k * step + l * pitch);
    return v;
  }
};

/// How many results are wrong: those of five lines compared one by one, elsewhere what is no number.
template <class W>
index_t wrong_in_lines(const float* z, double slack) {
  index_t wrong = 0;
  for (index_t i = 0; i < W::lines * W::length; ++i) wrong += std::isnan(z[i]);
  for (index_t k = 0; k < 5; ++k) {
    const index_t l = k * (W::lines - 1) / 4;
    const std::vector<double> want = W::expected(l);
    for (index_t i = 0; i < W::length; ++i) {
      const double value = want[static_cast<std::size_t>(i)], bound = W::tolerance * (W::scale + std::abs(value));
      wrong += !(std::abs(z[i * W::step + l * W::pitch] - value) <= slack * bound);
    }
  }
  return wrong;
}

/// 2^27 elements on a GPU (2^26 for rows of middle length), 2^24 on a CPU.
template <class Space, int Columns>
constexpr int rows_of = size<Space>((Columns == 1024 || Columns == 8192 ? 1 << 26 : 1 << 27) / Columns,
                                    (1 << 24) / Columns);

/// By the library's function, or as it is written by hand.
template <class S, int Columns, bool ByHand>
struct softmax_of : line_workload<S, rows_of<S, Columns>, Columns> {
  static constexpr double tolerance = 4e-6, scale = 0;
  auto expression() const {
    if constexpr (ByHand) {
      const auto e = lf::exp(this->x - lf::max(this->x, lf::axis<1>, lf::keepdims));
      return e / lf::sum(e, lf::axis<1>, lf::keepdims);
    } else return lf::softmax(this->x);
  }
  void evaluate() { this->z = expression(); }
  static std::vector<double> expected(index_t l) {
    std::vector<double> v = softmax_of::line(l);
    double sum = 0;
    for (double& a : v) sum += a = std::exp(a);
    for (double& a : v) a /= sum;
    return v;
  }
};
template <class S>
struct softmax_128 : softmax_of<S, 128, false> {
  static constexpr const char* name = "softmax_128";
};
template <class S>
struct softmax_1024 : softmax_of<S, 1024, false> {
  static constexpr const char* name = "softmax_1024";
};
template <class S>
struct softmax_8192 : softmax_of<S, 8192, false> {
  static constexpr const char* name = "softmax_8192";
};
template <class S>
struct softmax_262144 : softmax_of<S, 262144, false> {
  static constexpr const char* name = "softmax_262144";
};
template <class S>
struct softmax_128_spelled : softmax_of<S, 128, true> {
  static constexpr const char* name = "softmax_128_spelled";
};
template <class S>
struct softmax_1024_spelled : softmax_of<S, 1024, true> {
  static constexpr const char* name = "softmax_1024_spelled";
};
template <class S>
struct softmax_8192_spelled : softmax_of<S, 8192, true> {
  static constexpr const char* name = "softmax_8192_spelled";
};
template <class S>
struct softmax_262144_spelled : softmax_of<S, 262144, true> {
  static constexpr const char* name = "softmax_262144_spelled";
};

/// The mean of a line, and the mean of the squared distances from it.
inline std::pair<double, double> moments(const std::vector<double>& v) {
  double sum = 0, squares = 0;
  for (const double a : v) sum += a;
  const double mean = sum / static_cast<double>(v.size());
  for (const double a : v) squares += (a - mean) * (a - mean);
  return {mean, squares / static_cast<double>(v.size())};
}
inline std::vector<double> standardized(std::vector<double> v, double epsilon) {
  const auto [mean, variance] = moments(v);
  for (double& a : v) a = (a - mean) / std::sqrt(variance + epsilon);
  return v;
}

template <class S, bool ByHand>
struct layernorm_of : line_workload<S, rows_of<S, 1024>, 1024> {
  static constexpr double tolerance = 2e-6, scale = 1;
  auto expression() const {
    if constexpr (ByHand) {
      const auto d = this->x - lf::mean(this->x, lf::axis<1>, lf::keepdims);
      return d / lf::sqrt(lf::mean(d * d, lf::axis<1>, lf::keepdims) + 1e-5);
    } else return lf::layer_norm(this->x);
  }
  void evaluate() { this->z = expression(); }
  static std::vector<double> expected(index_t l) { return standardized(layernorm_of::line(l), 1e-5); }
};
template <class S>
struct layernorm_1024 : layernorm_of<S, false> {
  static constexpr const char* name = "layernorm_1024";
};
template <class S>
struct layernorm_1024_spelled : layernorm_of<S, true> {
  static constexpr const char* name = "layernorm_1024_spelled";
};

/// A vector over its length: one row for the whole machine.
template <class S, int N>
struct normalize_of : line_workload<S, 1, N> {
  static constexpr double tolerance = 2e-6, scale = 0;
  auto expression() const { return this->x / lf::sqrt(lf::sum(this->x * this->x)); }
  void evaluate() { this->z = expression(); }
  static std::vector<double> expected(index_t l) {
    std::vector<double> v = normalize_of::line(l);
    double squares = 0;
    for (const double a : v) squares += a * a;
    for (double& a : v) a /= std::sqrt(squares);
    return v;
  }
};
template <class S>
struct normalize_4M : normalize_of<S, 1 << 22> {
  static constexpr const char* name = "normalize_4M";
};
template <class S>
struct normalize_64M : normalize_of<S, 1 << 26> {
  static constexpr const char* name = "normalize_64M";
};

template <class S>
struct standardize_columns : line_workload<S, rows_of<S, 1024>, 1024, true> {
  static constexpr const char* name = "standardize_columns";
  static constexpr double tolerance = 4e-6, scale = 1;
  auto expression() const { return (this->x - lf::mean(this->x, lf::axis<0>)) / lf::std(this->x, lf::axis<0>); }
  void evaluate() { this->z = expression(); }
  static std::vector<double> expected(index_t l) { return standardized(standardize_columns::line(l), 0); }
};

}  // namespace bench
