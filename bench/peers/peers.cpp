// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows by lazyfuse and, where they were found, by Eigen and xtensor, in turns within one run. Each is written as its
// users write it, and its result compared with lazyfuse's.
//
//     bench_peers             a table; above 1: lazyfuse is faster by that factor
//     bench_peers --plain     a line "workload library seconds" for each, which peers.py reads
#include "../numbers.hpp"
#include "../samples.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif
#if __has_include(<xtensor/xtensor.hpp>)
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

namespace bench {
namespace {

constexpr index_t rows = 16384, columns = 1024, length = rows * columns;
constexpr double epsilon = 1e-5;

/// One library's way; it reads x and writes z, both of rows * columns.
struct contestant {
  const char* library;
  std::function<void(const float* x, float* z)> evaluate;
};
struct contest {
  const char* name;
  std::vector<contestant> contestants;  // lazyfuse first
};

template <class F>
contestant by_lazyfuse(F f) {
  return {"lazyfuse", [f](const float* x, float* z) {
            lf::into(lf::borrow(z, lf::shape<2>{rows, columns})) = f(lf::borrow(x, lf::shape<2>{rows, columns}));
          }};
}

#if __has_include(<Eigen/Core>)
using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class F>
contestant by_eigen(F f) {
  return {"Eigen", [f](const float* x, float* z) {
            f(Eigen::Map<const matrix>(x, rows, columns), Eigen::Map<matrix>(z, rows, columns));
          }};
}
#endif
#if __has_include(<xtensor/xtensor.hpp>)
template <class F>
contestant by_xtensor(F f) {
  return {"xtensor", [f](const float* x, float* z) {
            const std::array<std::size_t, 2> shape{rows, columns};
            auto out = xt::adapt(z, static_cast<std::size_t>(length), xt::no_ownership(), shape);
            f(xt::adapt(x, static_cast<std::size_t>(length), xt::no_ownership(), shape), out);
          }};
}
#endif

std::vector<contest> contests() {
  std::vector<contest> all = {
      {"softmax", {by_lazyfuse([](const auto& x) { return lf::softmax(x); })}},
      {"layernorm", {by_lazyfuse([](const auto& x) { return lf::layer_norm(x, lf::epsilon{epsilon}); })}},
      {"normalize", {by_lazyfuse([](const auto& x) { return x / lf::sqrt(lf::sum(x * x)); })}},
      {"standardize_columns",
       {by_lazyfuse([](const auto& x) { return (x - lf::mean(x, lf::axis<0>)) / lf::std(x, lf::axis<0>); })}},
  };
#if __has_include(<Eigen/Core>)
  all[0].contestants.push_back(by_eigen([](const auto& x, auto z) {
    z = (x.colwise() - x.rowwise().maxCoeff()).exp();
    z.colwise() /= z.rowwise().sum().eval();
  }));
  all[1].contestants.push_back(by_eigen([](const auto& x, auto z) {
    z = x.colwise() - x.rowwise().mean();
    z.colwise() /= (z.square().rowwise().mean() + static_cast<float>(epsilon)).sqrt().eval();
  }));
  all[2].contestants.push_back(by_eigen([](const auto& x, auto z) { z = x / x.matrix().norm(); }));
  all[3].contestants.push_back(by_eigen([](const auto& x, auto z) {
    z = x.rowwise() - x.colwise().mean();
    z.rowwise() /= z.square().colwise().mean().sqrt().eval();
  }));
#endif
#if __has_include(<xtensor/xtensor.hpp>)
  all[0].contestants.push_back(by_xtensor([](const auto& x, auto& z) {
    xt::noalias(z) = xt::exp(x - xt::amax(x, {1}, xt::keep_dims | xt::evaluation_strategy::immediate));
    z /= xt::sum(z, {1}, xt::keep_dims | xt::evaluation_strategy::immediate);
  }));
  all[1].contestants.push_back(by_xtensor([](const auto& x, auto& z) {
    const xt::xtensor<float, 2> mean =
        xt::sum(x, {1}, xt::keep_dims | xt::evaluation_strategy::immediate) / float(columns);
    xt::noalias(z) = x - mean;
    const xt::xtensor<float, 2> squares =
        xt::sum(xt::square(z), {1}, xt::keep_dims | xt::evaluation_strategy::immediate) / float(columns);
    z /= xt::sqrt(squares + static_cast<float>(epsilon));
  }));
  all[2].contestants.push_back(by_xtensor([](const auto& x, auto& z) {
    const float norm = std::sqrt(xt::sum(xt::square(x), xt::evaluation_strategy::immediate)());
    xt::noalias(z) = x / norm;
  }));
  all[3].contestants.push_back(by_xtensor([](const auto& x, auto& z) {
    const xt::xtensor<float, 2> mean =
        xt::sum(x, {0}, xt::keep_dims | xt::evaluation_strategy::immediate) / float(rows);
    xt::noalias(z) = x - mean;
    const xt::xtensor<float, 2> squares =
        xt::sum(xt::square(z), {0}, xt::keep_dims | xt::evaluation_strategy::immediate) / float(rows);
    z /= xt::sqrt(squares);
  }));
#endif
  return all;
}

double seconds(const contestant& c, const float* x, float* z) {
  const auto before = std::chrono::steady_clock::now();
  c.evaluate(x, z);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

/// The largest difference, as a fraction of the largest result.
double distance(const float* a, const float* b) {
  double most = 0, scale = 0;
  for (index_t i = 0; i < length; ++i) {
    most = std::max(most, std::abs(double(a[i]) - b[i]));
    scale = std::max(scale, std::abs(double(a[i])));
  }
  return most / scale;
}

int run(bool plain) {
  constexpr int rounds = 15;
  // lazyfuse's memory for all, which asks for large pages as NumPy's does.
  lf::array<float, 1, lf::host> x = lf::zeros<float>({length}), z = lf::zeros<float>({length}),
                                first = lf::zeros<float>({length});
  fill(lf::host{}, x.data(), length, 1);
  int wrong = 0;
  for (const contest& c : contests()) {
    std::vector<samples> times(c.contestants.size());
    for (int round = -1; round < rounds; ++round)
      for (std::size_t k = 0; k < times.size(); ++k) {
        const double t = seconds(c.contestants[k], x.data(), k == 0 ? first.data() : z.data());
        if (round >= 0) times[k].add(t);
        // Sums in float of many rows are not exact; a wrong formula is far off.
        else if (k > 0 && !(distance(first.data(), z.data()) < 1e-2)) {
          std::fprintf(stderr, "%s: %s has other results\n", c.name, c.contestants[k].library);
          ++wrong;
        }
      }
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double median = times[k].median();
      if (plain) std::printf("%s %s %.9f\n", c.name, c.contestants[k].library, median);
      else
        std::printf("%-20s %-9s %9.3f ms %7.2f\n", c.name, c.contestants[k].library, median * 1e3,
                    median / times[0].median());
    }
  }
  return wrong;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::run(argc > 1 && std::strcmp(argv[1], "--plain") == 0); }
