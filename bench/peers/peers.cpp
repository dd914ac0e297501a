// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All workloads by lazyfuse and, where they were found, by Eigen and xtensor, in turns within one run, over the same
// memory, and each result checked. Each library's way is written as its users write it.
//
//     bench_peers [workload ...]    a table; above 1: lazyfuse is faster by that factor
//     bench_peers --plain           for peers.py: lines "workload library seconds", before them "version library
//     number"
#include "../row_workloads.hpp"
#include "../samples.hpp"
#include "../workloads.hpp"

#if __has_include(<Eigen/Core>)
#include "eigen.hpp"
#else
namespace bench {
struct eigen {};
}  // namespace bench
#endif
#if __has_include(<xtensor/xtensor.hpp>)
#include "xtensor.hpp"
#else
namespace bench {
struct xtensor {};
}  // namespace bench
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace bench {
namespace {

struct contestant {
  const char* name;
  std::function<void()> evaluate;
};

template <class Library, class W>
void add(std::vector<contestant>& all, W& w) {
  if constexpr (requires { by(Library{}, w); }) all.push_back({Library::name, [&w] { by(Library{}, w); }});
}

/// Poisons the destination, evaluates, and compares a sample of the results with the workload's own definition. Sums of
/// many floats in one float are not exact; a wrong formula is far off.
template <class W>
bool right(W& w, const contestant& c) {
  const index_t n = w.results(), step = n > 10000 ? 99991 : 1;
  for (index_t i = 0; i < n; ++i) *w.result(i) = std::numeric_limits<typename W::value_type>::quiet_NaN();
  c.evaluate();
  if constexpr (requires { W::lines; }) return wrong_in_lines<W>(w.z.data(), 3000) == 0;
  else {
    for (index_t i = n - 1; i >= 0; i -= step) {
      const double expected = W::expected(i);
      if (!(std::abs(*w.result(i) - expected) <= 1e-2 * (1 + std::abs(expected)))) return false;
    }
    return true;
  }
}

double seconds(const contestant& c, int evaluations) {
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < evaluations; ++i) c.evaluate();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / evaluations;
}

template <class W>
int compare(bool plain) {
  constexpr int rounds = 31;
  W w;
  std::vector<contestant> contestants{{"lazyfuse", [&w] { w.evaluate(); }}};
  add<eigen>(contestants, w);
  add<xtensor>(contestants, w);
  int wrong = 0;
  for (const contestant& c : contestants)
    if (!right(w, c)) {
      std::fprintf(stderr, "%s: %s has other results\n", W::name, c.name);
      ++wrong;
    }
  const int evaluations = W::bytes < 1e6 ? 10000 : 1;
  std::vector<samples> times(contestants.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < times.size(); ++k) {
      contestants[k].evaluate();  // the threads and caches it finds are its own, not those of who came before
      times[k].add(seconds(contestants[k], evaluations));
    }
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double median = times[k].median();
    if (plain) std::printf("%s %s %.9f\n", W::name, contestants[k].name, median);
    else
      std::printf("%-20s %-9s %9.4f ms %7.2f\n", W::name, contestants[k].name, median * 1e3,
                  median / times[0].median());
  }
  return wrong;
}

/// Those of the workloads that are named; all, if none is.
template <class... W>
int compare_all(bool plain, const std::vector<std::string_view>& names) {
  const auto named = [&](std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  return ((named(W::name) ? compare<W>(plain) : 0) + ...);
}

int run(bool plain, const std::vector<std::string_view>& names) {
  using S = lf::host;
  return compare_all<saxpy<S>, fma3<S>, chain20<S>, pyth<S>, pyth64<S>, blackscholes<S>, arc_distance<S>, sumsq<S>,
                     minmaxmean<S>, rowsum<S>, colsum<S>, rosen<S>, laplacian<S>, broadcast_outer<S>, transpose_add<S>,
                     small<S>, softmax_128<S>, softmax_1024<S>, softmax_8192<S>, softmax_262144<S>, layernorm_1024<S>,
                     normalize_4M<S>, normalize_64M<S>, standardize_columns<S>>(plain, names);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool plain = !words.empty() && words.front() == "--plain";
  if (plain) {
#ifdef EIGEN_WORLD_VERSION
    std::printf("version Eigen %d.%d.%d\n", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
#endif
#ifdef XTENSOR_VERSION_MAJOR
    std::printf("version xtensor %d.%d.%d\n", XTENSOR_VERSION_MAJOR, XTENSOR_VERSION_MINOR, XTENSOR_VERSION_PATCH);
#endif
  }
  return bench::run(plain, {words.begin() + plain, words.end()});
}
