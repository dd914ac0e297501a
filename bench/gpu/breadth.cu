// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gathers, sorts, counts, multiplies and transforms: each beside the part of it that a library's kernel
// does, or does alone (counter of_alone: its time over ours), in the same run.
#include "measure.cuh"

#include "examples/programs/evolve.hpp"
#include "examples/programs/repeating.hpp"

#include <lazyfuse/fft.hpp>
#include <lazyfuse/select.hpp>
#include <lazyfuse/sort.hpp>

#include <cmath>

namespace bench {
namespace {

using line = lf::array<float, 1, lf::cuda>;

/// The first elements of an array, and others far from these, on the host.
template <class A>
auto some(const A& a) {
  using T = typename A::value_type;
  constexpr index_t count = 4096;
  const auto flat = lf::reshape(a, lf::shape{a.size()});
  const index_t step = std::max<index_t>(1, a.size() / count);
  return lf::to<lf::host>(lf::array<T, 1, lf::cuda>(flat(lf::range(lf::none, lf::none, step))));
}
bool near(double value, double expected, double tolerance) { return !differs(value, expected, tolerance); }

/// A gather by a random permutation.
struct gather_random {
  static constexpr const char* name = "gather_random";
  static constexpr index_t n = index_t{1} << 26;
  line x = numbers<float, lf::cuda>(1, lf::shape{n}), y{lf::shape{n}};
  lf::array<lf::int32, 1, lf::cuda> i = lf::cast<lf::int32>(lf::argsort(numbers<float, lf::cuda>(2, lf::shape{n})));
  double bytes() const { return 12.0 * n; }
  void evaluate() { y = lf::take(x, i); }
  bool is_right() const {
    const auto got = some(y);
    const auto from = some(i);
    for (index_t k = 0; k < got.size(); ++k)
      if (got(k).item() != number<float>(1, from(k).item())) return false;
    return true;
  }
};

/// The program evolve over 20000 x 20000 doubles.
struct evolve {
  static constexpr const char* name = "evolve";
  static constexpr index_t n = 20000;
  lf::array<double, 2, lf::cuda> x = numbers<double, lf::cuda>(1, lf::shape{n, n}), y{lf::shape{n, n}};
  double bytes() const { return 16.0 * n * n; }
  void evaluate() { y = programs::evolve(x, 0.1); }
  bool is_right() const {
    const auto got = some(y);
    const index_t step = n * n / 4096;
    for (index_t k = 0; k < got.size(); ++k) {
      const index_t at = k * step, i = at / n, j = at % n;
      const auto u = [](index_t a, index_t b) { return number<double>(1, (a + n) % n * n + (b + n) % n); };
      const double around = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1);
      if (!near(got(k).item(), u(i, j) + 0.1 * (around - 4 * u(i, j)), 1e-14)) return false;
    }
    return true;
  }
};

/// The program repeating: x, and behind it each of its elements five times.
struct repeating {
  static constexpr const char* name = "repeating";
  static constexpr index_t n = 50'000'000, times = 5;
  lf::array<double, 1, lf::cuda> x = numbers<double, lf::cuda>(1, lf::shape{n}), y{lf::shape{n * (times + 1)}};
  double bytes() const { return 8.0 * n * (times + 2); }
  void evaluate() { y = programs::repeating(x, times); }
  bool is_right() const {
    const auto got = some(y);
    const index_t step = y.size() / 4096;
    for (index_t k = 0; k < got.size(); ++k) {
      const index_t at = k * step;
      if (got(k).item() != number<double>(1, at < n ? at : (at - n) / times)) return false;
    }
    return true;
  }
};

/// sort(2 * x + 1); alone: the sort of an array.
struct sort_of_key {
  static constexpr const char* name = "sort_of_key";
  static constexpr index_t n = index_t{1} << 27;
  line x = numbers<float, lf::cuda>(1, lf::shape{n}), y;
  double bytes() const { return 8.0 * n; }
  void evaluate() { y = lf::sort(2 * x + 1); }
  void alone() { y = lf::sort(x); }
  bool is_right() const {
    return !lf::any(y(lf::range(1, n)) < y(lf::range(0, n - 1))).item() &&
           near(lf::sum(lf::cast<double>(y)).item(), lf::sum(lf::cast<double>(2 * x + 1)).item(), 1e-12);
  }
};

/// topk(x, 1024); alone: a sort, which need not be faster than a third.
struct topk_1024 {
  static constexpr const char* name = "topk_1024";
  static constexpr index_t n = index_t{1} << 26, k = 1024;
  line x = numbers<float, lf::cuda>(1, lf::shape{n}), values;
  double bytes() const { return 4.0 * n; }
  void evaluate() { values = lf::topk(x, k).values; }
  void alone() { (void)lf::sort(x); }
  bool is_right() const {
    const line sorted = lf::sort(x);
    const line last = sorted(lf::range(lf::none, lf::none, -1))(lf::range(0, k));
    return lf::all(last == values).item();
  }
};

template <int Bins, bool Constant = false>
struct histogram_of {
  static constexpr const char* name = Constant       ? "histogram_4096_of_one_value"
                                      : Bins == 100  ? "histogram_100"
                                      : Bins == 4096 ? "histogram_4096"
                                                     : "histogram_16384";
  static constexpr index_t n = index_t{1} << 27;
  line x = Constant ? line(lf::full<float>({n}, 0.75f)) : numbers<float, lf::cuda>(1, lf::shape{n});
  lf::array<lf::int64, 1, lf::cuda> counts;
  double bytes() const { return 4.0 * n; }
  void evaluate() { counts = lf::histogram(x, Bins, {0.5, 1.5}).counts; }
  bool is_right() const {
    const auto got = lf::to<lf::host>(counts);
    index_t total = 0, largest = 0;
    for (index_t i = 0; i < Bins; ++i) {
      total += got(i).item();
      largest = std::max<index_t>(largest, got(i).item());
    }
    return total == n && (Constant ? largest == n : largest < 2 * n / Bins);
  }
};

/// matmul(x, y) + bias, gelu; alone: the product, by the library that multiplies.
template <class T>
struct product_bias_gelu {
  static constexpr const char* name = sizeof(T) == 2 ? "product_bias_gelu_bfloat16" : "product_bias_gelu_float32";
  static constexpr index_t n = 4096;
  using matrix = lf::array<T, 2, lf::cuda>;
  matrix x = lf::cast<T>(numbers<float, lf::cuda>(1, lf::shape{n, n}) - 1.0f),
         y = lf::cast<T>(numbers<float, lf::cuda>(2, lf::shape{n, n}) - 1.0f), z{lf::shape{n, n}};
  lf::array<T, 1, lf::cuda> bias = lf::cast<T>(numbers<float, lf::cuda>(3, lf::shape{n}));
  double bytes() const { return 3.0 * sizeof(T) * n * n; }
  void evaluate() { z = lf::gelu(lf::matmul(x, y) + bias); }
  void alone() { z = lf::matmul(x, y); }
  bool is_right() const {
    const auto got = lf::to<lf::host>(lf::array<float, 1, lf::cuda>(lf::cast<float>(z(5, lf::range(0, 64)))));
    const auto row = lf::to<lf::host>(lf::array<float, 1, lf::cuda>(lf::cast<float>(x(5, lf::all))));
    const auto columns = lf::to<lf::host>(lf::array<float, 2, lf::cuda>(lf::cast<float>(y(lf::all, lf::range(0, 64)))));
    const auto added = lf::to<lf::host>(lf::array<float, 1, lf::cuda>(lf::cast<float>(bias)));
    for (index_t j = 0; j < 64; ++j) {
      double sum = added(j).item();
      for (index_t k = 0; k < n; ++k) sum += static_cast<double>(row(k).item()) * columns(k, j).item();
      if (!near(got(j).item(), 0.5 * sum * std::erfc(-sum / std::sqrt(2.0)), sizeof(T) == 2 ? 2e-2 : 1e-5))
        return false;
    }
    return true;
  }
};

/// abs(fft(x * w)) of 4096 lines of 16384; alone: the transform.
struct spectrum {
  static constexpr const char* name = "spectrum";
  static constexpr index_t rows = 1 << 12, n = 1 << 14;
  using complexes = lf::array<lf::complex<float>, 2, lf::cuda>;
  complexes x = lf::cast<lf::complex<float>>(numbers<float, lf::cuda>(1, lf::shape{rows, n})), whole;
  line w = numbers<float, lf::cuda>(2, lf::shape{n});
  lf::array<float, 2, lf::cuda> y{lf::shape{rows, n}};
  double bytes() const { return 12.0 * rows * n; }
  void evaluate() { y = lf::abs(lf::fft::fft(x * w)); }
  void alone() { whole = lf::fft::fft(x); }
  bool is_right() const {
    for (const index_t i : {index_t{0}, rows - 1}) {
      const auto got = lf::to<lf::host>(lf::array<float, 1, lf::cuda>(y(i, lf::range(0, 3))));
      for (index_t k = 0; k < 3; ++k) {
        double re = 0, im = 0;
        for (index_t j = 0; j < n; ++j) {
          const double v = static_cast<double>(number<float>(1, i * n + j)) * number<float>(2, j);
          const double angle = -2 * 3.14159265358979323846 * static_cast<double>(j * k) / n;
          re += v * std::cos(angle);
          im += v * std::sin(angle);
        }
        if (std::abs(got(k).item() - std::hypot(re, im)) > 1e-4 * n) return false;
      }
    }
    return true;
  }
};

template <class W>
void run_breadth(benchmark::State& state) {
  W w;
  w.evaluate();
  if (!w.is_right()) {
    ++failures();
    state.SkipWithError("results are wrong");
    return;
  }
  const double copy = copy_speed();
  for (auto _ : state) {
    const timing t = measure([&] { w.evaluate(); });
    const double speed = w.bytes() / t.device.median();
    state.SetIterationTime(t.device.median());
    state.counters["GB/s"] = speed * 1e-9;
    state.counters["of_copy"] = speed / copy;
    state.counters["spread"] = t.device.spread();
    if constexpr (requires { w.alone(); }) {
      const double other = measure([&] { w.alone(); }).device.median();
      state.counters["alone_us"] = other * 1e6;
      state.counters["of_alone"] = other / t.device.median();
    }
  }
  lf::kernel_trace trace;
  w.evaluate();
  state.counters["kernels"] = static_cast<double>(trace.launches());
  state.counters["allocated"] = static_cast<double>(trace.allocated_bytes());
  if (trace.launches() > 0) state.SetLabel(trace.kernels().back().path);
}

template <class... W>
bool breadth_rows() {
  return (row(W::name, run_breadth<W>) && ...);
}

const bool registered = breadth_rows<gather_random, evolve, repeating, sort_of_key, topk_1024, histogram_of<100>,
                                     histogram_of<4096>, histogram_of<16384>, histogram_of<4096, true>,
                                     product_bias_gelu<float>, product_bias_gelu<lf::bfloat16>, spectrum>();

}  // namespace
}  // namespace bench
