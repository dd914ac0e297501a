// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that read one array several times beside others of its type, as people write them. What is equal can be
// told by values alone. Three results of each are checked.
#pragma once

#include "workload.hpp"

#include <cmath>
#include <tuple>

namespace bench {

/// Results along one axis, of which three are checked.
template <class S, int Results>
struct three_of : workload<float, 1, S> {
  static constexpr bool few = true;
  static constexpr double tolerance = 1e-4;
  three_of() : workload<float, 1, S>(lf::shape{Results}) {}
  static constexpr index_t place(index_t which) { return (which + 1) * index_t{Results} / 3 - 1; }
  index_t results() const { return 3; }
  float* result(index_t which) { return this->z.data() + place(which); }
};

/// The accelerations of n bodies: three sums over all pairs, of which z is the first.
template <class S>
struct bodies : three_of<S, size<S>(1 << 15, 1 << 12)> {
  static constexpr const char* name = "bodies";
  static constexpr int n = size<S>(1 << 15, 1 << 12);
  static constexpr double bytes = 28.0 * n;
  using vector = lf::array<float, 1, S>;
  vector x = numbers<float, S>(1, lf::shape{n}), y = numbers<float, S>(2, lf::shape{n}),
         u = numbers<float, S>(3, lf::shape{n}), m = numbers<float, S>(4, lf::shape{n});
  /// Along each axis, of bodies that are arrays, or arguments of a function.
  static auto pulls(const auto& x, const auto& y, const auto& u, const auto& m) {
    using lf::all, lf::newaxis;
    const auto dx = x(newaxis, all) - x(all, newaxis);
    const auto dy = y(newaxis, all) - y(all, newaxis);
    const auto du = u(newaxis, all) - u(all, newaxis);
    const auto i = lf::rsqrt(dx * dx + dy * dy + du * du + 1e-3f);
    const auto w = m(newaxis, all) * i * i * i;
    return std::tuple(lf::sum(w * dx, lf::axis<1>), lf::sum(w * dy, lf::axis<1>), lf::sum(w * du, lf::axis<1>));
  }
  void evaluate_by(const auto& function) {
    const auto [fx, fy, fu] = function(x, y, u, m);
    auto [ax, ay, au] = lf::materialize(fx, fy, fu);
    this->z = ax;
  }
  void evaluate() {
    evaluate_by([](const auto&... a) { return pulls(a...); });
  }
  static double expected(index_t which) {
    const index_t i = bodies::place(which);
    double sum = 0;
    for (index_t j = 0; j < n; ++j) {
      const double dx = double(number<float>(1, j)) - number<float>(1, i),
                   dy = double(number<float>(2, j)) - number<float>(2, i),
                   du = double(number<float>(3, j)) - number<float>(3, i);
      sum += number<float>(4, j) * dx / std::pow(dx * dx + dy * dy + du * du + double(1e-3f), 1.5);
    }
    return sum;
  }
  /// Terms of both signs nearly cancel.
  static constexpr double tolerance = 1e-3;
};

/// The same as a function of its arrays, which then are known to be one wherever they are read.
template <class S>
struct bodies_fused : bodies<S> {
  static constexpr const char* name = "bodies_fused";
  void evaluate() {
    static const auto pull = lf::fuse([](auto... a) { return bodies<S>::pulls(a...); });
    this->evaluate_by(pull);
  }
};

/// The density of points at each of them, with a Gaussian kernel.
template <class S>
struct density : three_of<S, size<S>(1 << 15, 1 << 12)> {
  static constexpr const char* name = "density";
  static constexpr int n = size<S>(1 << 15, 1 << 12);
  static constexpr double bytes = 8.0 * n;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});
  void evaluate() {
    using lf::all, lf::newaxis;
    this->z = lf::sum(lf::exp((x(newaxis, all) - x(all, newaxis)) * (x(all, newaxis) - x(newaxis, all))), lf::axis<1>);
  }
  static double expected(index_t which) {
    double sum = 0;
    for (index_t j = 0; j < n; ++j) {
      const double d = double(number<float>(1, j)) - number<float>(1, density::place(which));
      sum += std::exp(-d * d);
    }
    return sum;
  }
};

/// A sum along rows of two matrices.
template <class S, int Rows, int Columns>
struct of_two : three_of<S, Rows> {
  static constexpr double bytes = 8.0 * Rows * Columns;
  lf::array<float, 2, S> p = numbers<float, S>(1, lf::shape{Rows, Columns}),
                         q = numbers<float, S>(2, lf::shape{Rows, Columns});
  /// f(p, q) of a row's elements.
  template <class F>
  static double sum_of(index_t row, const F& f) {
    double sum = 0;
    for (index_t k = row * Columns; k < (row + 1) * Columns; ++k)
      sum += f(double(number<float>(1, k)), double(number<float>(2, k)));
    return sum;
  }
};
template <class S>
struct kl_rows : of_two<S, size<S>(1 << 16, 1 << 12), 2048> {
  static constexpr const char* name = "kl_rows";
  void evaluate() { this->z = lf::sum(this->p * (lf::log(this->p) - lf::log(this->q)), lf::axis<1>); }
  static double expected(index_t which) {
    return kl_rows::sum_of(kl_rows::place(which), [](double p, double q) { return p * std::log(p / q); });
  }
};
template <class S>
struct cosine_rows : of_two<S, size<S>(1 << 16, 1 << 12), 2048> {
  static constexpr const char* name = "cosine_rows";
  void evaluate() {
    const auto &p = this->p, &q = this->q;
    using lf::axis;
    this->z = lf::sum(p * q, axis<1>) / (lf::sqrt(lf::sum(p * p, axis<1>)) * lf::sqrt(lf::sum(q * q, axis<1>)));
  }
  static double expected(index_t which) {
    const auto sum = [i = cosine_rows::place(which)](const auto& f) { return cosine_rows::sum_of(i, f); };
    return sum([](double p, double q) { return p * q; }) /
           std::sqrt(sum([](double p, double) { return p * p; }) * sum([](double, double q) { return q * q; }));
  }
};
/// Bray and Curtis's distance of rows of an odd length.
template <class S>
struct bray_curtis_rows : of_two<S, size<S>(100003, 6007), 1001> {
  static constexpr const char* name = "bray_curtis_rows";
  void evaluate() {
    const auto &p = this->p, &q = this->q;
    this->z = lf::sum(lf::abs(p - q), lf::axis<1>) / lf::sum(lf::abs(p + q), lf::axis<1>);
  }
  static double expected(index_t which) {
    const auto sum = [i = bray_curtis_rows::place(which)](const auto& f) { return bray_curtis_rows::sum_of(i, f); };
    return sum([](double p, double q) { return std::abs(p - q); }) / sum([](double p, double q) { return p + q; });
  }
};

/// Functions of rows of several matrices, a result for each element.
template <class S, int Rows, int Columns>
struct rows_of_two : workload<float, 2, S> {
  static constexpr index_t columns = Columns;
  static constexpr double bytes = 12.0 * Rows * Columns, tolerance = 1e-4;
  static constexpr bool few = true;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{Rows, Columns}),
                         y = numbers<float, S>(2, lf::shape{Rows, Columns});
  rows_of_two() : workload<float, 2, S>(lf::shape{Rows, Columns}) {}
  /// One of the first row, of one in the middle, and of the last.
  static constexpr index_t place(index_t which) {
    return (which * (Rows - 1) / 2) * columns + which * (columns - 1) / 2;
  }
  index_t results() const { return 3; }
  float* result(index_t which) { return this->z.data() + place(which); }
  /// f(k) over the elements k of the row of a place.
  template <class F>
  static double sum_over(index_t at, const F& f) {
    double sum = 0;
    for (index_t k = at / columns * columns; k < (at / columns + 1) * columns; ++k) sum += f(k);
    return sum;
  }
};
template <class S>
struct two_softmaxes : rows_of_two<S, size<S>(65536, 4096), 1024> {
  static constexpr const char* name = "two_softmaxes";
  void evaluate() { this->z = lf::softmax(this->x) + lf::softmax(this->y); }
  static double expected(index_t which) {
    const index_t at = two_softmaxes::place(which);
    const auto part = [at](int array) {
      const auto e = [array](index_t k) { return std::exp(double(number<float>(array, k))); };
      return e(at) / two_softmaxes::sum_over(at, e);
    };
    return part(1) + part(2);
  }
};
/// Of an odd length.
template <class S>
struct softmax_times_log_softmax : rows_of_two<S, size<S>(100003, 6007), 701> {
  static constexpr const char* name = "softmax_times_log_softmax";
  void evaluate() { this->z = lf::softmax(this->x) * lf::log_softmax(this->y); }
  static double expected(index_t which) {
    const index_t at = softmax_times_log_softmax::place(which);
    const auto sum = [at](int array) {
      return softmax_times_log_softmax::sum_over(
          at, [array](index_t k) { return std::exp(double(number<float>(array, k))); });
    };
    return std::exp(double(number<float>(1, at))) / sum(1) * (double(number<float>(2, at)) - std::log(sum(2)));
  }
};
template <class S>
struct layernorm_backward : rows_of_two<S, size<S>(65536, 4096), 1024> {
  static constexpr const char* name = "layernorm_backward";
  lf::array<float, 1, S> w = numbers<float, S>(3, lf::shape{1024});
  void evaluate() {
    using lf::axis, lf::keepdims;
    const auto s = lf::sqrt(lf::var(this->x, axis<1>, keepdims) + 1e-5f);
    const auto h = (this->x - lf::mean(this->x, axis<1>, keepdims)) / s;
    const auto g = this->y * w;
    this->z = (g - lf::mean(g, axis<1>, keepdims) - h * lf::mean(g * h, axis<1>, keepdims)) / s;
  }
  static double expected(index_t which) {
    const index_t at = layernorm_backward::place(which);
    const auto mean = [at](const auto& f) { return layernorm_backward::sum_over(at, f) / 1024; };
    const auto x = [](index_t k) { return double(number<float>(1, k)); };
    const double m = mean(x);
    const double s = std::sqrt(mean([&](index_t k) { return (x(k) - m) * (x(k) - m); }) + double(1e-5f));
    const auto h = [&](index_t k) { return (x(k) - m) / s; };
    const auto g = [](index_t k) { return double(number<float>(2, k)) * number<float>(3, k % 1024); };
    return (g(at) - mean(g) - h(at) * mean([&](index_t k) { return g(k) * h(k); })) / s;
  }
};

/// A transposed operand, and another one twice.
template <class S>
struct turned_product : workload<float, 2, S> {
  static constexpr const char* name = "turned_product";
  static constexpr int rows = size<S>(11585, 2001), columns = size<S>(8192, 2048);
  static constexpr double bytes = 12.0 * rows * columns, tolerance = 1e-5;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{columns, rows}),
                         y = numbers<float, S>(2, lf::shape{rows, columns});
  turned_product() : workload<float, 2, S>(lf::shape{rows, columns}) {}
  void evaluate() { this->z = x.T() * y + y; }
  LAZYFUSE_HD static double expected(index_t i) {
    const index_t row = i / columns, column = i - row * columns;
    return (double(number<float>(1, column * rows + row)) + 1) * number<float>(2, i);
  }
};

}  // namespace bench
