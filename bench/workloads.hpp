// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured, each workload once, for any space: its arrays, its expression, the fewest bytes it must
// move (each input read once, each output written once) and what every element of the result should be.
#pragma once

#include "workload.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <cmath>
#include <tuple>

namespace bench {

template <class S>
struct saxpy : workload<float, 1, S> {
  static constexpr const char* name = "saxpy";
  static constexpr int n = size<S>(1 << 28, 1 << 24);
  static constexpr double bytes = 12.0 * n, tolerance = 1e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n}), y = numbers<float, S>(2, lf::shape{n});

  saxpy() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = 2.5 * x + y; }
  LAZYFUSE_HD static double expected(index_t i) { return 2.5 * number<float>(1, i) + number<float>(2, i); }
};

template <class S>
struct fma3 : workload<float, 1, S> {
  static constexpr const char* name = "fma3";
  static constexpr int n = size<S>(1 << 27, 1 << 24);
  static constexpr double bytes = 16.0 * n, tolerance = 1e-6;
  lf::array<float, 1, S> a = numbers<float, S>(1, lf::shape{n}), b = numbers<float, S>(2, lf::shape{n}),
                         c = numbers<float, S>(3, lf::shape{n});

  fma3() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = a * b + c; }
  LAZYFUSE_HD static double expected(index_t i) {
    return double(number<float>(1, i)) * number<float>(2, i) + number<float>(3, i);
  }
};

/// Ten multiplications and ten additions, one after the other.
template <class S>
struct chain20 : workload<float, 1, S> {
  static constexpr const char* name = "chain20";
  static constexpr int n = size<S>(1 << 27, 1 << 24);
  static constexpr double bytes = 8.0 * n, tolerance = 1e-5;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});

  template <int Steps, class E>
  static auto chain(const E& e) {
    if constexpr (Steps == 1) return e * 1.0001 + 0.5;
    else return chain<Steps - 1>(e * 1.0001 + 0.5);
  }
  chain20() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = chain<10>(x); }
  LAZYFUSE_HD static double expected(index_t i) {
    double v = number<float>(1, i);
    for (int step = 0; step < 10; ++step) v = v * 1.0001 + 0.5;
    return v;
  }
};

template <class S, class T>
struct pyth_of : workload<T, 1, S> {
  static constexpr int n = size<S>(sizeof(T) == 4 ? 1 << 27 : 1 << 26, sizeof(T) == 4 ? 1 << 24 : 1 << 23);
  static constexpr double bytes = 2.0 * sizeof(T) * n, tolerance = sizeof(T) == 4 ? 1e-6 : 1e-14;
  lf::array<T, 1, S> x = numbers<T, S>(1, lf::shape{n});

  pyth_of() : workload<T, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::square(lf::sin(x)) + lf::square(lf::cos(x)); }
  LAZYFUSE_HD static double expected(index_t) { return 1; }
};
template <class S>
struct pyth : pyth_of<S, float> {
  static constexpr const char* name = "pyth";
};
template <class S>
struct pyth64 : pyth_of<S, double> {
  static constexpr const char* name = "pyth64";
};

template <class S>
struct blackscholes : workload<float, 1, S> {
  static constexpr const char* name = "blackscholes";
  static constexpr int n = size<S>(1 << 26, 1 << 24);
  static constexpr double bytes = 16.0 * n, tolerance = 2e-6;
  lf::array<float, 1, S> price = numbers<float, S>(1, lf::shape{n}), strike = numbers<float, S>(2, lf::shape{n}),
                         time = numbers<float, S>(3, lf::shape{n});

  blackscholes() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() {
    const auto call = lf::fuse([](auto s, auto k, auto t) {  // each array is read once, however often it is used
      const double r = 0.05, v = 0.2;
      const auto deviation = v * lf::sqrt(t);
      const auto d1 = (lf::log(s / k) + (r + 0.5 * v * v) * t) / deviation;
      const auto d2 = d1 - deviation;
      const auto cdf = [](const auto& d) { return 0.5 * (1 + lf::erf(d * 0.7071067811865475)); };
      return s * cdf(d1) - k * lf::exp(-r * t) * cdf(d2);
    });
    this->z = call(price, strike, time);
  }
  LAZYFUSE_HD static double expected(index_t i) {
    const double s = number<float>(1, i), k = number<float>(2, i), t = number<float>(3, i), r = 0.05, v = 0.2;
    const double d1 = (std::log(s / k) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
    return s * 0.5 * (1 + std::erf(d1 * 0.7071067811865475)) -
           k * std::exp(-r * t) * 0.5 * (1 + std::erf(d2 * 0.7071067811865475));
  }
};

/// The haversine formula: distance on a sphere between two points given by their angles.
template <class S>
struct arc_distance : workload<float, 1, S> {
  static constexpr const char* name = "arc_distance";
  static constexpr int n = size<S>(1 << 26, 1 << 24);
  static constexpr double bytes = 20.0 * n, tolerance = 2e-6;
  lf::array<float, 1, S> t1 = numbers<float, S>(1, lf::shape{n}), p1 = numbers<float, S>(2, lf::shape{n}),
                         t2 = numbers<float, S>(3, lf::shape{n}), p2 = numbers<float, S>(4, lf::shape{n});

  arc_distance() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() {
    const auto distance = lf::fuse([](auto a1, auto b1, auto a2, auto b2) {
      const auto h =
          lf::square(lf::sin((a2 - a1) * 0.5)) + lf::cos(a1) * lf::cos(a2) * lf::square(lf::sin((b2 - b1) * 0.5));
      return 2 * lf::atan2(lf::sqrt(h), lf::sqrt(1 - h));
    });
    this->z = distance(t1, p1, t2, p2);
  }
  LAZYFUSE_HD static double expected(index_t i) {
    const double t1 = number<float>(1, i), p1 = number<float>(2, i), t2 = number<float>(3, i), p2 = number<float>(4, i);
    const double st = std::sin((t2 - t1) / 2), sp = std::sin((p2 - p1) / 2);
    const double h = st * st + std::cos(t1) * std::cos(t2) * sp * sp;
    return 2 * std::atan2(std::sqrt(h), std::sqrt(1 - h));
  }
};

/// One step of Adam, in place.
template <class S>
struct adam : workload<float, 1, S> {
  static constexpr const char* name = "adam";
  static constexpr bool in_place = true;
  static constexpr int n = size<S>(1 << 26, 1 << 23);
  static constexpr double bytes = 28.0 * n, tolerance = 2e-6;
  lf::array<float, 1, S> m = numbers<float, S>(2, lf::shape{n}), v = numbers<float, S>(3, lf::shape{n}),
                         g = numbers<float, S>(4, lf::shape{n});

  adam() : workload<float, 1, S>(lf::shape{n}) { this->z = numbers<float, S>(1, lf::shape{n}); }
  void evaluate() {
    const auto step = lf::fuse([](const auto& p, const auto& first, const auto& second, const auto& gradient) {
      const auto f = 0.9 * first + 0.1 * gradient;
      const auto s = 0.999 * second + 0.001 * gradient * gradient;
      return std::tuple(p - 0.01 * f / (lf::sqrt(s) + 1e-8), f, s);
    });
    auto [z2, m2, v2] = step(this->z, m, v, g);
    lf::assign(lf::tie(this->z, m, v), std::move(z2), std::move(m2), std::move(v2));
  }
  LAZYFUSE_HD static double expected(index_t i) {
    const double first = number<float>(2, i), second = number<float>(3, i), gradient = number<float>(4, i);
    return number<float>(1, i) -
           0.01 * (0.9 * first + 0.1 * gradient) / (std::sqrt(0.999 * second + 0.001 * gradient * gradient) + 1e-8);
  }
};

template <class S>
struct sumsq : workload<float, 0, S> {
  static constexpr const char* name = "sumsq";
  static constexpr int n = size<S>(1 << 28, 1 << 25);
  static constexpr double bytes = 4.0 * n, tolerance = 1e-5;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});

  sumsq() : workload<float, 0, S>(lf::shape<0>{}) {}
  void evaluate() { this->z = lf::sum(x * x); }
  static double expected(index_t) {
    double sum = 0;
    for (index_t i = 0; i < n; ++i) sum += double(number<float>(1, i)) * number<float>(1, i);
    return sum;
  }
};

/// Three reductions of one array in one pass.
template <class S>
struct minmaxmean {
  using value_type = float;
  using space = S;
  static constexpr bool few = true;
  static constexpr const char* name = "minmaxmean";
  static constexpr int n = size<S>(1 << 28, 1 << 25);
  static constexpr double bytes = 4.0 * n, tolerance = 1e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});
  lf::array<float, 0, S> low{lf::shape<0>{}}, high{lf::shape<0>{}}, mean{lf::shape<0>{}};

  void evaluate() { std::tie(low, high, mean) = lf::materialize(lf::min(x), lf::max(x), lf::mean(x)); }
  index_t results() const { return 3; }
  float* result(index_t i) { return i == 0 ? low.data() : i == 1 ? high.data() : mean.data(); }
  static double expected(index_t which) {
    double low = 2, high = 0, sum = 0;
    for (index_t i = 0; i < n; ++i) {
      const double v = number<float>(1, i);
      low = v < low ? v : low;
      high = v > high ? v : high;
      sum += v;
    }
    return which == 0 ? low : which == 1 ? high : sum / n;
  }
};

/// Sum over one axis of exp(x) y; the rows are contiguous.
template <class S, int Axis>
struct sum_of_axis : workload<float, 1, S> {
  static constexpr int rows = size<S>(16384, 4096), columns = size<S>(8192, 4096);
  static constexpr double bytes = 8.0 * rows * columns, tolerance = 1e-5;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{rows, columns}),
                         y = numbers<float, S>(2, lf::shape{rows, columns});

  sum_of_axis() : workload<float, 1, S>(lf::shape{Axis == 1 ? rows : columns}) {}
  void evaluate() { this->z = lf::sum(lf::exp(x) * y, lf::axis<Axis>); }
  LAZYFUSE_HD static double expected(index_t i) {
    double sum = 0;
    for (index_t k = 0; k < (Axis == 1 ? columns : rows); ++k) {
      const index_t at = Axis == 1 ? i * columns + k : k * columns + i;
      sum += std::exp(double(number<float>(1, at))) * number<float>(2, at);
    }
    return sum;
  }
};
template <class S>
struct rowsum : sum_of_axis<S, 1> {
  static constexpr const char* name = "rowsum";
};
template <class S>
struct colsum : sum_of_axis<S, 0> {
  static constexpr const char* name = "colsum";
};

/// Rosenbrock's function: a reduction over neighbours.
template <class S>
struct rosen : workload<float, 0, S> {
  static constexpr const char* name = "rosen";
  static constexpr int n = size<S>(1 << 27, 1 << 25);
  static constexpr double bytes = 4.0 * n, tolerance = 1e-5;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});

  rosen() : workload<float, 0, S>(lf::shape<0>{}) {}
  void evaluate() {
    const auto valley = lf::fuse(
        [](auto here, auto next) { return lf::sum(100 * lf::square(next - lf::square(here)) + lf::square(1 - here)); });
    this->z = valley(x(lf::range(lf::none, -1)), x(lf::range(1, lf::none)));
  }
  static double expected(index_t) {
    double sum = 0;
    for (index_t i = 0; i + 1 < n; ++i) {
      const double here = number<float>(1, i), next = number<float>(1, i + 1), step = next - here * here;
      sum += 100 * step * step + (1 - here) * (1 - here);
    }
    return sum;
  }
};

template <class S>
struct laplacian : workload<float, 2, S> {
  static constexpr const char* name = "laplacian";
  static constexpr int n = size<S>(16384, 4096);
  static constexpr double bytes = 8.0 * n * n, tolerance = 1e-6;
  lf::array<float, 2, S> u = numbers<float, S>(1, lf::shape{n, n});

  laplacian() : workload<float, 2, S>(lf::shape{n - 2, n - 2}) {}
  void evaluate() {
    const auto inner = lf::range(1, -1), before = lf::range(lf::none, -2), after = lf::range(2, lf::none);
    this->z = u(before, inner) + u(after, inner) + u(inner, before) + u(inner, after) - 4 * u(inner, inner);
  }
  LAZYFUSE_HD static double expected(index_t k) {
    const index_t at = (k / (n - 2) + 1) * n + k % (n - 2) + 1;
    return double(number<float>(1, at - n)) + number<float>(1, at + n) + number<float>(1, at - 1) +
           number<float>(1, at + 1) - 4.0 * number<float>(1, at);
  }
};

template <class S>
struct broadcast_outer : workload<float, 2, S> {
  static constexpr const char* name = "broadcast_outer";
  static constexpr int n = size<S>(16384, 4096);
  static constexpr double bytes = 4.0 * n * n, tolerance = 1e-6;
  lf::array<float, 1, S> a = numbers<float, S>(1, lf::shape{n}), b = numbers<float, S>(2, lf::shape{n});

  broadcast_outer() : workload<float, 2, S>(lf::shape{n, n}) {}
  void evaluate() { this->z = lf::square(a(lf::all, lf::newaxis) - b(lf::newaxis, lf::all)); }
  LAZYFUSE_HD static double expected(index_t k) {
    const double d = double(number<float>(1, k / n)) - number<float>(2, k % n);
    return d * d;
  }
};

template <class S>
struct transpose_add : workload<float, 2, S> {
  static constexpr const char* name = "transpose_add";
  static constexpr int n = size<S>(16384, 4096);
  static constexpr double bytes = 8.0 * n * n, tolerance = 1e-6;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{n, n});

  transpose_add() : workload<float, 2, S>(lf::shape{n, n}) {}
  void evaluate() { this->z = x + lf::transpose(x); }
  LAZYFUSE_HD static double expected(index_t k) {
    return double(number<float>(1, k)) + number<float>(1, k % n * n + k / n);
  }
};

/// So little work that only the cost of asking for it counts; evaluated back to back.
template <class S>
struct small : workload<float, 1, S> {
  static constexpr const char* name = "small";
  static constexpr int n = 1024;
  static constexpr double bytes = 8.0 * n, tolerance = 1e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});

  small() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::sin(x) * 2 + lf::cos(x); }
  LAZYFUSE_HD static double expected(index_t i) {
    const double v = number<float>(1, i);
    return std::sin(v) * 2 + std::cos(v);
  }
};

/// The same, planned before.
template <class S>
struct small_prepared : small<S> {
  static constexpr const char* name = "small_prepared";
  using vector = lf::array<float, 1, S>;
  static auto prepared(vector& z, const vector& x) { return lf::prepare(z, lf::sin(x) * 2 + lf::cos(x)); }
  decltype(prepared(std::declval<vector&>(), std::declval<const vector&>())) step = prepared(this->z, this->x);
  void evaluate() { step(); }
};

}  // namespace bench
