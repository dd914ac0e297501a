// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of many points, over one, two and three axes of one array and of several, written by slices.
#pragma once

#include "workload.hpp"

#include <cmath>

namespace bench {

/// The inner part of an array of this extent along each axis; array 1 is the operand of all.
template <class T, class S, int Planes, int Rows, int Columns, int Border>
struct stencil_of : workload<T, 3, S> {
  static constexpr int planes = Planes, rows = Rows, columns = Columns, border = Border;
  static constexpr index_t inner_rows = rows - 2 * border, inner_columns = columns - 2 * border;
  static constexpr double bytes = 2.0 * sizeof(T) * planes * rows * columns, tolerance = 1e-4;
  lf::array<T, 3, S> x = numbers<T, S>(1, lf::shape{planes, rows, columns});
  stencil_of() : workload<T, 3, S>(lf::shape{planes - 2 * border, inner_rows, inner_columns}) {}
  static auto moved(const auto& a, int i, int j, int k) {
    const auto along = [](int n, int by) { return lf::range(border + by, n - border + by); };
    return a(along(planes, i), along(rows, j), along(columns, k));
  }
  auto at(int i, int j, int k) const { return moved(x, i, j, k); }
  /// Element `which` of the result's, of an array's that is as large as the operand, and moved by so much.
  LAZYFUSE_HD static double number_at(int array, index_t which, int i, int j, int k) {
    const index_t row = which / inner_columns, plane = row / inner_rows;
    return number<T>(array, ((plane + border + i) * rows + row - plane * inner_rows + border + j) * columns + which -
                                row * inner_columns + border + k);
  }
};
template <class S, int Side>
using cube = stencil_of<float, S, Side, Side, Side, 1>;

template <class S>
struct points_7 : cube<S, size<S>(640, 130)> {
  static constexpr const char* name = "points_7";
  void evaluate() {
    const auto at = [this](int i, int j, int k) { return cube<S, size<S>(640, 130)>::at(i, j, k); };
    this->z = at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) + at(0, 0, -1) - 6 * at(0, 0, 0);
  }
  LAZYFUSE_HD static double expected(index_t n) {
    const auto at = [n](int i, int j, int k) { return points_7::number_at(1, n, i, j, k); };
    return at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) + at(0, 0, -1) - 6 * at(0, 0, 0);
  }
};

template <class T, class S, int Planes, int Rows, int Columns>
struct box : stencil_of<T, S, Planes, Rows, Columns, 1> {
  auto plane(int i) const {
    const auto at = [&](int j, int k) { return box::at(i, j, k); };
    return at(-1, -1) + at(-1, 0) + at(-1, 1) + at(0, -1) + at(0, 0) + at(0, 1) + at(1, -1) + at(1, 0) + at(1, 1);
  }
  void evaluate() { this->z = (plane(-1) + plane(0) + plane(1)) * (T{1} / 27); }
  LAZYFUSE_HD static double expected(index_t n) {
    double sum = 0;
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -1; k <= 1; ++k) sum += box::number_at(1, n, i, j, k);
    return sum / 27;
  }
};
template <class S>
struct points_27 : box<float, S, size<S>(640, 130), size<S>(640, 130), size<S>(640, 130)> {
  static constexpr const char* name = "points_27";
};
/// Of four planes inside.
template <class S>
struct points_27_of_6_planes : box<float, S, 6, size<S>(6000, 1000), size<S>(5001, 701)> {
  static constexpr const char* name = "points_27_of_6_planes";
};
/// Of odd extents, in double.
template <class S>
struct points_27_float64 : box<double, S, size<S>(301, 61), size<S>(401, 81), size<S>(501, 101)> {
  static constexpr const char* name = "points_27_float64";
};

template <class S>
struct gradient_norm : cube<S, size<S>(600, 120)> {
  static constexpr const char* name = "gradient_norm";
  void evaluate() {
    const auto at = [this](int i, int j, int k) { return cube<S, size<S>(600, 120)>::at(i, j, k); };
    this->z = lf::sqrt(lf::square(at(1, 0, 0) - at(-1, 0, 0)) + lf::square(at(0, 1, 0) - at(0, -1, 0)) +
                       lf::square(at(0, 0, 1) - at(0, 0, -1)));
  }
  LAZYFUSE_HD static double expected(index_t n) {
    const auto along = [n](int i, int j, int k) {
      const double d = gradient_norm::number_at(1, n, i, j, k) - gradient_norm::number_at(1, n, -i, -j, -k);
      return d * d;
    };
    return std::sqrt(along(1, 0, 0) + along(0, 1, 0) + along(0, 0, 1));
  }
};

/// A step of a wave whose speed depends on the place: three arrays are read, of which one in seven places.
template <class S>
struct wave_step : cube<S, size<S>(600, 120)> {
  static constexpr const char* name = "wave_step";
  static constexpr int n = size<S>(600, 120);
  static constexpr double bytes = 16.0 * n * n * n;
  lf::array<float, 3, S> before = numbers<float, S>(2, lf::shape{n, n, n}),
                         c = numbers<float, S>(3, lf::shape{n, n, n});
  void evaluate() {
    const auto at = [this](int i, int j, int k) { return cube<S, n>::at(i, j, k); };
    this->z = 2 * at(0, 0, 0) - wave_step::moved(before, 0, 0, 0) +
              wave_step::moved(c, 0, 0, 0) * (at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) +
                                              at(0, 0, -1) - 6 * at(0, 0, 0));
  }
  LAZYFUSE_HD static double expected(index_t e) {
    const auto at = [e](int i, int j, int k) { return wave_step::number_at(1, e, i, j, k); };
    return 2 * at(0, 0, 0) - wave_step::number_at(2, e, 0, 0, 0) +
           wave_step::number_at(3, e, 0, 0, 0) *
               (at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) + at(0, 0, -1) - 6 * at(0, 0, 0));
  }
};

/// 25 points of a picture.
template <class S>
struct gaussian_25 : workload<float, 2, S> {
  static constexpr const char* name = "gaussian_25";
  static constexpr int rows = size<S>(16001, 2001), columns = rows;
  static constexpr double bytes = 8.0 * rows * columns, tolerance = 1e-4;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{rows, columns});
  gaussian_25() : workload<float, 2, S>(lf::shape{rows - 4, columns - 4}) {}
  void evaluate() {
    const auto at = [&](int i, int j) { return x(lf::range(2 + i, rows - 2 + i), lf::range(2 + j, columns - 2 + j)); };
    const auto row = [&](int i) { return at(i, -2) + 4 * at(i, -1) + 6 * at(i, 0) + 4 * at(i, 1) + at(i, 2); };
    this->z = (row(-2) + 4 * row(-1) + 6 * row(0) + 4 * row(1) + row(2)) * (1.0f / 256);
  }
  LAZYFUSE_HD static double expected(index_t e) {
    constexpr int weight[] = {1, 4, 6, 4, 1};
    const index_t row = e / (columns - 4), column = e - row * (columns - 4);
    double sum = 0;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) sum += weight[i] * weight[j] * number<float>(1, (row + i) * columns + column + j);
    return sum / 256;
  }
};

/// Nine points of each of many pictures.
template <class S, int Pictures, int Rows, int Columns>
struct blurred : workload<float, 3, S> {
  static constexpr int pictures = Pictures, rows = Rows, columns = Columns;
  static constexpr double bytes = 8.0 * pictures * rows * columns, tolerance = 1e-4;
  lf::array<float, 3, S> x = numbers<float, S>(1, lf::shape{pictures, rows, columns});
  blurred() : workload<float, 3, S>(lf::shape{pictures, rows - 2, columns - 2}) {}
  void evaluate() {
    const auto at = [&](int i, int j) {
      return x(lf::all, lf::range(1 + i, rows - 1 + i), lf::range(1 + j, columns - 1 + j));
    };
    this->z = (at(-1, -1) + at(-1, 0) + at(-1, 1) + at(0, -1) + at(0, 0) + at(0, 1) + at(1, -1) + at(1, 0) + at(1, 1)) *
              (1.0f / 9);
  }
  LAZYFUSE_HD static double expected(index_t e) {
    const index_t line = e / (columns - 2), column = e - line * (columns - 2), picture = line / (rows - 2);
    const index_t row = picture * rows + line - picture * (rows - 2);
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += number<float>(1, (row + i) * columns + column + j);
    return sum / 9;
  }
};
template <class S>
struct blurred_pictures : blurred<S, size<S>(64, 4), size<S>(1999, 499), size<S>(2001, 501)> {
  static constexpr const char* name = "blurred_pictures";
};
/// One that is long and narrow.
template <class S>
struct blurred_strip : blurred<S, 1, size<S>(8'000'000, 100'000), 18> {
  static constexpr const char* name = "blurred_strip";
};

}  // namespace bench
