// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What g++ makes slow unless it is kept from it: choices between expensive sides, powers known when it runs, masks,
// random numbers, reductions along short axes, places of extremes.
#pragma once

#include "row_workloads.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace bench {

/// A cheap side and an expensive one; a plain conditional operator computes each in a branch.
template <class S>
struct choice : workload<float, 1, S> {
  static constexpr const char* name = "choice";
  static constexpr int n = size<S>(1 << 27, 1 << 24);
  static constexpr double bytes = 12.0 * n, tolerance = 1e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n}), y = numbers<float, S>(2, lf::shape{n});

  choice() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::where(x > 1, 2 * x, lf::exp(-y)); }
  LAZYFUSE_HD static double expected(index_t i) {
    const double v = number<float>(1, i);
    return v > 1 ? 2 * v : std::exp(-double(number<float>(2, i)));
  }
};

/// x to a power that is known when it runs.
template <class S, int Tenths>
struct power_of : workload<float, 1, S> {
  static constexpr int n = size<S>(1 << 27, 1 << 24);
  static constexpr double bytes = 8.0 * n, tolerance = 2e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});
  double exponent = Tenths / 10.0;

  power_of() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::pow(x, exponent); }
  LAZYFUSE_HD static double expected(index_t i) { return std::pow(double(number<float>(1, i)), Tenths / 10.0); }
};
template <class S>
struct power_two : power_of<S, 20> {
  static constexpr const char* name = "power_two";
};
template <class S>
struct power_any : power_of<S, 23> {
  static constexpr const char* name = "power_any";
};

template <class S>
struct complex_abs : workload<float, 1, S> {
  static constexpr const char* name = "complex_abs";
  static constexpr int n = size<S>(1 << 27, 1 << 23);
  static constexpr double bytes = 12.0 * n, tolerance = 1e-6;
  lf::array<lf::complex<float>, 1, S> x;

  complex_abs() : workload<float, 1, S>(lf::shape{n}) {
    const auto re = numbers<float, S>(1, lf::shape{n}), im = numbers<float, S>(2, lf::shape{n});
    x = re + im * lf::complex<float>(0, 1);
  }
  void evaluate() { this->z = lf::abs(x); }
  LAZYFUSE_HD static double expected(index_t i) { return std::hypot(number<float>(1, i), number<float>(2, i)); }
};

/// Every element kept with probability 0.9, and divided by it.
template <class S>
struct dropout : workload<float, 1, S> {
  static constexpr const char* name = "dropout";
  static constexpr int n = size<S>(1 << 27, 1 << 24);
  static constexpr double bytes = 8.0 * n, tolerance = 1e-6, keep = 0.9;
  static constexpr lf::seed from{42};
  static constexpr lf::philox_key key = lf::philox_key::of(from.key, from.stream);
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});

  dropout() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::where(lf::random::bernoulli({n}, keep, from), x * (1 / keep), 0); }
  static double expected(index_t i) {
    const auto w = lf::philox(key.counter(static_cast<lf::uint64>(i / 4)), key);
    return w.pick(static_cast<int>(i % 4)) * 0x1p-32 < keep ? number<float>(1, i) / keep : 0;
  }
};

/// softmax beside a mask of columns, of which every fifth is -infinity.
template <class S>
struct softmax_masked : line_workload<S, rows_of<S, 1024>, 1024> {
  static constexpr const char* name = "softmax_masked";
  static constexpr double tolerance = 4e-6, scale = 1e-6;
  lf::array<float, 1, S> mask = lf::cast<float>(
      lf::where(lf::remainder(lf::arange<int>(1024), 5) == 3, -std::numeric_limits<double>::infinity(), 0.0));

  void evaluate() { this->z = lf::softmax(this->x + mask); }
  static std::vector<double> expected(index_t l) {
    std::vector<double> v = softmax_masked::line(l);
    double sum = 0;
    for (std::size_t k = 0; k < v.size(); ++k) sum += v[k] = k % 5 == 3 ? 0 : std::exp(v[k]);
    for (double& a : v) a /= sum;
    return v;
  }
};

/// One loss per row, by the number of its class.
template <class S>
struct cross_entropy : workload<float, 1, S> {
  static constexpr const char* name = "cross_entropy";
  static constexpr int rows = rows_of<S, 1024>, columns = 1024;
  static constexpr double bytes = 4.0 * rows * columns, tolerance = 4e-6;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape<2>{rows, columns});
  lf::array<int, 1, S> classes = lf::remainder(lf::arange<int>(rows) * 7, columns);

  cross_entropy() : workload<float, 1, S>(lf::shape{rows}) {}
  void evaluate() { this->z = lf::cross_entropy(x, classes); }
  static double expected(index_t i) {
    double sum = 0;
    for (index_t k = 0; k < columns; ++k) sum += std::exp(double(number<float>(1, i * columns + k)));
    return std::log(sum) - number<float>(1, i * columns + i * 7 % columns);
  }
};

/// What cross_entropy is without classes.
template <class S>
struct logsumexp : workload<float, 1, S> {
  static constexpr const char* name = "logsumexp";
  static constexpr int rows = rows_of<S, 1024>, columns = 1024;
  static constexpr double bytes = 4.0 * rows * columns, tolerance = 4e-6;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape<2>{rows, columns});

  logsumexp() : workload<float, 1, S>(lf::shape{rows}) {}
  void evaluate() { this->z = lf::logsumexp(x, lf::axis<1>); }
  static double expected(index_t i) {
    double sum = 0;
    for (index_t k = 0; k < columns; ++k) sum += std::exp(double(number<float>(1, i * columns + k)));
    return std::log(sum);
  }
};

/// A reduction by Of along an axis of K elements, of 2^24.
template <class S, int K, class Of>
struct short_axis : workload<float, 1, S> {
  static constexpr int columns = K, rows = (1 << 24) / K;
  static constexpr double bytes = 4.0 * rows * (columns + 1), tolerance = 2e-6;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape<2>{rows, columns});

  short_axis() : workload<float, 1, S>(lf::shape{rows}) {}
  void evaluate() { this->z = Of::along(x); }
  static double expected(index_t i) {
    double result = number<float>(1, i * K);
    for (index_t k = 1; k < K; ++k) result = Of::both(result, number<float>(1, i * K + k));
    return result;
  }
};
struct by_sum {
  static auto along(const auto& x) { return lf::sum(x, lf::axis<1>); }
  static double both(double a, double b) { return a + b; }
};
struct by_max {
  static auto along(const auto& x) { return lf::max(x, lf::axis<1>); }
  static double both(double a, double b) { return std::max(a, b); }
};
template <class S, int K>
using sum_of = short_axis<S, K, by_sum>;
template <class S, int K>
using max_of = short_axis<S, K, by_max>;
template <class S>
struct sum_of_2 : sum_of<S, 2> {
  static constexpr const char* name = "sum_of_2";
};
template <class S>
struct sum_of_4 : sum_of<S, 4> {
  static constexpr const char* name = "sum_of_4";
};
template <class S>
struct sum_of_8 : sum_of<S, 8> {
  static constexpr const char* name = "sum_of_8";
};
template <class S>
struct sum_of_16 : sum_of<S, 16> {
  static constexpr const char* name = "sum_of_16";
};
template <class S>
struct max_of_3 : max_of<S, 3> {
  static constexpr const char* name = "max_of_3";
};
template <class S>
struct max_of_16 : max_of<S, 16> {
  static constexpr const char* name = "max_of_16";
};

/// The place of the largest element of each row.
template <class S, int Rows, int Columns>
struct argmax_of : workload<std::int64_t, 1, S> {
  static constexpr int rows = Rows, columns = Columns;
  static constexpr double bytes = 4.0 * rows * columns, tolerance = 0;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape<2>{rows, columns});

  argmax_of() : workload<std::int64_t, 1, S>(lf::shape{rows}) {}
  void evaluate() { this->z = lf::argmax(x, lf::axis<1>); }
  static double expected(index_t i) {
    index_t place = 0;
    for (index_t k = 1; k < columns; ++k)
      if (number<float>(1, i * columns + k) > number<float>(1, i * columns + place)) place = k;
    return static_cast<double>(place);
  }
};
template <class S>
struct argmax_of_10 : argmax_of<S, 1 << 20, 10> {
  static constexpr const char* name = "argmax_of_10";
};
template <class S>
struct argmax_of_1000 : argmax_of<S, 1 << 14, 1000> {
  static constexpr const char* name = "argmax_of_1000";
};
template <class S>
struct argmax_of_16M : argmax_of<S, 1, 1 << 24> {
  static constexpr const char* name = "argmax_of_16M";
};

}  // namespace bench
