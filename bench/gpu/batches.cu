// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many arrays of unlike lengths in one kernel: steps of optimizers over many parameters, and softmax of rows, beside
// copies of as many bytes; and short kernels of unlike shapes in one launch. Chains of operations and batches of images
// are in bench/paper.
#include "measure.cuh"

#include <lazyfuse/batch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace bench {
namespace {

template <class W>
void run_fused(benchmark::State& state, W& w) {
  w.evaluate();
  if (!w.is_right()) {
    ++failures();
    state.SkipWithError("results are wrong");
    return;
  }
  for (auto _ : state) {
    const timing t = measure([&] { w.evaluate(); });
    state.SetIterationTime(t.device.median());
    state.counters["spread"] = t.device.spread();
    state.counters["GB/s"] = w.bytes() / t.device.median() * 1e-9;
    state.counters["host_us"] = t.host.median() * 1e6;
  }
  lf::kernel_trace trace;
  w.evaluate();
  state.counters["kernels"] = static_cast<double>(trace.launches());
  if (trace.launches() > 0) state.SetLabel(trace.kernels().back().path);
}

/// Elements of so many parameters of 1 KB to 16 MB, as many of 1 to 2 KB as of 8 to 16 MB, in no order.
std::vector<index_t> parameter_sizes(index_t count) {
  std::vector<index_t> sizes;
  for (index_t i = 0; i < count; ++i) {
    const double place = std::fmod(double(i) * 0.6180339887498949, 1.0);  // the golden ratio: even, and mixed
    sizes.push_back(static_cast<index_t>(256 * std::exp2(14 * place)));
  }
  return sizes;
}
using vectors = std::vector<lf::array<float, 1, lf::cuda>>;
vectors vectors_of(const std::vector<index_t>& sizes, float value) {
  vectors all;
  for (const index_t n : sizes) all.emplace_back(lf::full({n}, value));
  return all;
}

/// A step of gradient descent with momentum (two arrays of state), or of Adam (three).
template <bool Adam>
struct optimizer {
  std::vector<index_t> sizes;
  vectors p = vectors_of(sizes, 1), m = vectors_of(sizes, 0), v = vectors_of(Adam ? sizes : std::vector<index_t>(), 0),
          g = vectors_of(sizes, 0.5f);
  double expected_p = 1, expected_m = 0, expected_v = 0;

  explicit optimizer(index_t count) : sizes(parameter_sizes(count)) {}
  double bytes() const {
    double elements = 0;
    for (const index_t n : sizes) elements += double(n);
    return elements * (Adam ? 28 : 20);
  }
  void evaluate() {
    if constexpr (Adam) {
      lf::for_each_zip(p, m, v, g, [](auto p, auto m, auto v, auto g) {
        const auto next_m = 0.9f * m + 0.1f * g;
        const auto next_v = 0.999f * v + 0.001f * (g * g);
        return std::tuple(p - 1e-3f * next_m / (lf::sqrt(next_v) + 1e-8f), next_m, next_v);
      });
      expected_m = 0.9 * expected_m + 0.1 * 0.5;
      expected_v = 0.999 * expected_v + 0.001 * 0.25;
      expected_p -= 1e-3 * expected_m / (std::sqrt(expected_v) + 1e-8);
    } else {
      lf::for_each_zip(p, m, g, [](auto p, auto m, auto g) {
        const auto next = 0.9f * m + g;
        return std::tuple(p - 1e-3f * next, next);
      });
      expected_m = 0.9 * expected_m + 0.5;
      expected_p -= 1e-3 * expected_m;
    }
  }
  bool is_right() const {
    for (std::size_t i = 0; i < p.size(); i += 7) {
      const auto got = lf::to<lf::host>(p[i]);
      for (index_t k : {index_t{0}, got.size() / 3, got.size() - 1})
        if (differs(got.data()[k], expected_p, 1e-3)) return false;
    }
    return true;
  }
};
/// As many bytes by a copy, which negates.
struct copy_of_bytes {
  double all;
  lf::array<float, 1, lf::cuda> x{lf::full({static_cast<index_t>(all / 8)}, 2.0f)}, y{lf::shape{x.size()}};
  explicit copy_of_bytes(double n) : all(n) {}
  double bytes() const { return 8.0 * double(x.size()); }
  void evaluate() { y = -x; }
  bool is_right() const { return y(-1).item() == -2; }
};

/// Softmax of rows of 1 to 50,000, each an array.
struct ragged_softmax {
  std::vector<index_t> sizes;
  vectors x, y;
  explicit ragged_softmax(index_t rows) {
    for (index_t i = 0; i < rows; ++i)
      sizes.push_back(1 + static_cast<index_t>(49999 * std::fmod(double(i) * 0.6180339887498949, 1.0)));
    x = vectors_of(sizes, 1);
    y = vectors_of(sizes, 0);
  }
  double bytes() const {
    double elements = 0;
    for (const index_t n : sizes) elements += double(n);
    return 8 * elements;
  }
  void evaluate() {
    lf::for_each_zip(y, x, [](auto, auto x) { return lf::softmax(x); });
  }
  bool is_right() const {
    for (std::size_t i = 0; i < y.size(); i += 97)
      if (differs(y[i](-1).item() * double(sizes[i]), 1, 1e-4)) return false;
    return true;
  }
};

/// Eight expressions of unlike shapes, of 1,000 to 100,000 elements: in one call, whose kernels are made at run time
/// and share a launch, or each by itself.
template <bool Together>
struct unlike {
  using vector = lf::array<float, 1, lf::cuda>;
  using matrix = lf::array<float, 2, lf::cuda>;
  vector a = lf::full({1000}, 2.0f), b = lf::full({3000}, 2.0f), c = lf::full({9000}, 2.0f),
         d = lf::full({27000}, 2.0f), e = lf::full({81000}, 2.0f);
  matrix f = lf::full({10, 500}, 2.0f), g = lf::full({300, 333}, 2.0f), h = lf::full({100, 400}, 2.0f);
  std::tuple<vector, vector, vector, vector, vector, matrix, matrix, matrix> results;
  lf::jit before = lf::current_jit();

  unlike() {
    if (Together) lf::use_jit(lf::jit::always);
  }
  ~unlike() { lf::use_jit(before); }
  unlike(const unlike&) = delete;
  unlike& operator=(const unlike&) = delete;

  auto expressions() const {
    return std::tuple(a * 2.0f + 1.0f, lf::sqrt(b) - 1.0f, c * c, lf::exp(d) / 3.0f, lf::abs(e - 5.0f), f * f + f,
                      g * 0.5f, h - h(0));
  }
  double bytes() const { return 8.0 * (1000 + 3000 + 9000 + 27000 + 81000 + 5000 + 99900 + 40000); }
  void evaluate() {
    const auto all = expressions();
    if constexpr (Together) results = std::apply([](const auto&... x) { return lf::materialize(x...); }, all);
    else results = std::apply([](const auto&... x) { return std::tuple(lf::materialize(x)...); }, all);
  }
  bool is_right() const {
    const auto last = [](const auto& x) { return double(lf::max(x).item()); };
    const double expected[] = {5, std::sqrt(2.0) - 1, 4, std::exp(2.0) / 3, 3, 6, 1, 0};
    const double got[] = {last(std::get<0>(results)), last(std::get<1>(results)), last(std::get<2>(results)),
                          last(std::get<3>(results)), last(std::get<4>(results)), last(std::get<5>(results)),
                          last(std::get<6>(results)), last(std::get<7>(results))};
    return std::equal(std::begin(expected), std::end(expected), std::begin(got),
                      [](double x, double y) { return std::abs(x - y) <= 1e-5 * std::abs(x); });
  }
};

template <bool Adam>
bool optimizers(const char* name, std::initializer_list<index_t> counts) {
  return std::all_of(counts.begin(), counts.end(), [&](index_t n) {
    return row(name + std::to_string(n),
               [n](benchmark::State& state) {
                 optimizer<Adam> w(n);
                 run_fused(state, w);
               }) &&
           row(name + std::to_string(n) + "_copy", [n](benchmark::State& state) {
             copy_of_bytes w(optimizer<Adam>(n).bytes());
             run_fused(state, w);
           });
  });
}

const bool registered = optimizers<false>("SGD_", {50, 500}) && optimizers<true>("Adam_", {50, 500}) &&
                        row("ragged_softmax_10000",
                            [](benchmark::State& state) {
                              ragged_softmax w(10000);
                              run_fused(state, w);
                            }) &&
                        row("ragged_softmax_10000_copy",
                            [](benchmark::State& state) {
                              copy_of_bytes w(ragged_softmax(10000).bytes());
                              run_fused(state, w);
                            }) &&
                        row("unlike_8_together",
                            [](benchmark::State& state) {
                              unlike<true> w;
                              run_fused(state, w);
                            }) &&
                        row("unlike_8_apart", [](benchmark::State& state) {
                          unlike<false> w;
                          run_fused(state, w);
                        });

}  // namespace
}  // namespace bench
