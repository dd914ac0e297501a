// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families of expressions of which no other file has an instance: products and least sums over pairs, sums over the
// ends of an array, functions of columns and of the middle axis of pictures. Names are those of
// generality/instances.py.
#pragma once

#include "workload.hpp"

#include <cmath>
#include <limits>

namespace bench {

/// A matrix product, spelled as a sum of products.
template <class S>
struct product : workload<float, 2, S> {
  static constexpr const char* name = "product";
  static constexpr int n = size<S>(2048, 512);
  static constexpr double bytes = 12.0 * n * n, tolerance = 1e-5;
  lf::array<float, 2, S> a = numbers<float, S>(1, lf::shape{n, n}), b = numbers<float, S>(2, lf::shape{n, n});
  product() : workload<float, 2, S>(lf::shape{n, n}) {}
  void evaluate() {
    using lf::all, lf::newaxis;
    this->z = lf::sum(a(all, newaxis, all) * b.T()(newaxis, all, all), lf::axis<2>);
  }
  static double expected(index_t i) {
    double sum = 0;
    for (index_t k = 0; k < n; ++k) sum += double(number<float>(1, i / n * n + k)) * number<float>(2, k * n + i % n);
    return sum;
  }
};

/// The same with something to do for each product, which no library of matrix products does.
template <class S>
struct product_in_tiles : product<S> {
  static constexpr const char* name = "product_in_tiles";
  float nothing = 0;
  void evaluate() {
    using lf::all, lf::newaxis;
    this->z = lf::sum(this->a(all, newaxis, all) * this->b.T()(newaxis, all, all) + nothing, lf::axis<2>);
  }
};

/// Which of the centres is nearest to each point.
template <class S>
struct nearest_centre : workload<lf::int64, 1, S> {
  static constexpr const char* name = "nearest_centre";
  static constexpr int points = size<S>(1 << 20, 1 << 16), centres = 64, axes = 16;
  static constexpr double bytes = 4.0 * points * axes + 8.0 * points, tolerance = 0;
  lf::array<float, 2, S> p = numbers<float, S>(1, lf::shape{points, axes}),
                         c = numbers<float, S>(2, lf::shape{centres, axes});
  nearest_centre() : workload<lf::int64, 1, S>(lf::shape{points}) {}
  void evaluate() {
    using lf::all, lf::newaxis;
    this->z = lf::argmin(lf::sum(lf::square(p(all, newaxis, all) - c(newaxis, all, all)), lf::axis<2>), lf::axis<1>);
  }
  static double expected(index_t i) {
    double least = std::numeric_limits<double>::infinity(), nearest = 0;
    for (index_t j = 0; j < centres; ++j) {
      double sum = 0;
      for (index_t k = 0; k < axes; ++k) {
        const double d = double(number<float>(1, i * axes + k)) - number<float>(2, j * axes + k);
        sum += d * d;
      }
      if (sum < least) least = sum, nearest = double(j);
    }
    return nearest;
  }
};

/// Sums over the first and the last of three axes.
template <class S>
struct sums_over_ends : workload<float, 1, S> {
  static constexpr const char* name = "sums_over_ends";
  static constexpr int n = size<S>(512, 250);
  static constexpr double bytes = 4.0 * n * n * n, tolerance = 1e-5;
  lf::array<float, 3, S> x = numbers<float, S>(1, lf::shape{n, n, n});
  sums_over_ends() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::sum(x, lf::axis<0, 2>); }
  static double expected(index_t j) {
    double sum = 0;
    for (index_t i = 0; i < n; ++i)
      for (index_t k = 0; k < n; ++k) sum += number<float>(1, (i * n + j) * n + k);
    return sum;
  }
};

/// Pictures of several channels: (pictures, channels, pixels).
template <class S>
struct of_pictures : workload<float, 3, S> {
  static constexpr int pictures = size<S>(64, 16), channels = size<S>(256, 64), pixels = size<S>(56 * 56, 56 * 56);
  static constexpr double bytes = 8.0 * pictures * channels * pixels, tolerance = 1e-5;
  static constexpr bool few = true;
  lf::array<float, 3, S> x = numbers<float, S>(1, lf::shape{pictures, channels, pixels});
  of_pictures() : workload<float, 3, S>(lf::shape{pictures, channels, pixels}) {}
  static constexpr index_t place(index_t which) { return (this_size() - 1) * which / 2; }
  static constexpr index_t this_size() { return index_t{pictures} * channels * pixels; }
  index_t results() const { return 3; }
  float* result(index_t which) { return this->z.data() + place(which); }
};
template <class S>
struct batch_norm : of_pictures<S> {
  static constexpr const char* name = "batch_norm";
  void evaluate() {
    using lf::axis, lf::keepdims;
    const auto& x = this->x;
    this->z = (x - lf::mean(x, axis<0, 2>, keepdims)) / lf::sqrt(lf::var(x, axis<0, 2>, keepdims) + 1e-5f);
  }
  static double expected(index_t which) {
    const index_t at = batch_norm::place(which), channel = at / batch_norm::pixels % batch_norm::channels;
    double sum = 0, squares = 0;
    for (index_t i = 0; i < batch_norm::pictures; ++i)
      for (index_t k = 0; k < batch_norm::pixels; ++k) {
        const double v = number<float>(1, (i * batch_norm::channels + channel) * batch_norm::pixels + k) - 1.0;
        sum += v;
        squares += v * v;
      }
    const double n = double(batch_norm::pictures) * batch_norm::pixels, mean = sum / n;
    return (number<float>(1, at) - 1.0 - mean) / std::sqrt(squares / n - mean * mean + double(1e-5f));
  }
};
template <class S>
struct softmax_of_channels : of_pictures<S> {
  static constexpr const char* name = "softmax_of_channels";
  void evaluate() { this->z = lf::softmax(this->x, lf::axis<1>); }
  static double expected(index_t which) {
    constexpr index_t pixels = softmax_of_channels::pixels, step = pixels * softmax_of_channels::channels;
    const index_t at = softmax_of_channels::place(which), first = at / step * step + at % pixels;
    double sum = 0;
    for (index_t c = 0; c < softmax_of_channels::channels; ++c)
      sum += std::exp(double(number<float>(1, first + c * pixels)));
    return std::exp(double(number<float>(1, at))) / sum;
  }
};

/// Along the columns of a matrix.
template <class S>
struct softmax_down : workload<float, 2, S> {
  static constexpr const char* name = "softmax_down";
  static constexpr int rows = size<S>(32768, 4096), columns = size<S>(4096, 1024);
  static constexpr double bytes = 8.0 * rows * columns, tolerance = 1e-5;
  static constexpr bool few = true;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{rows, columns});
  softmax_down() : workload<float, 2, S>(lf::shape{rows, columns}) {}
  static constexpr index_t place(index_t which) { return which * (index_t{rows} * columns - 1) / 2; }
  index_t results() const { return 3; }
  float* result(index_t which) { return this->z.data() + place(which); }
  void evaluate() { this->z = lf::softmax(x, lf::axis<0>); }
  static double expected(index_t which) {
    double sum = 0;
    for (index_t i = 0; i < rows; ++i) sum += std::exp(double(number<float>(1, i * columns + place(which) % columns)));
    return std::exp(double(number<float>(1, place(which)))) / sum;
  }
};

}  // namespace bench
