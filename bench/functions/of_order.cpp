// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting, searching, quantiles and unique elements.
#include "run.hpp"

#include <lazyfuse/sort.hpp>

namespace bench {

namespace {
constexpr index_t long_row = 10'000'000, few = 1'000'000;
template <class T>
auto row(index_t n) {
  return [=] { return line<T>(n); };
}
template <class T>
auto rows(index_t count, index_t n) {
  return [=] { return matrix<T>(count, n); };
}
}  // namespace

std::vector<function> of_order() {
  using lf::axis;
  const auto sorted = [](const auto& x) { (void)lf::sort(x); };
  const auto places = [](const auto& x) { (void)lf::argsort(x); };
  return {
      of("sort, 1e7 float", sorted, row<float>(long_row)),
      of("sort, 1e7 double", sorted, row<double>(long_row)),
      of("sort, 1e7 int32", sorted, row<int>(long_row)),
      of("sort, 1e7 int64", sorted, row<lf::int64>(long_row)),
      of("sort, 1e7 int16", sorted, row<lf::int16>(long_row)),
      of("sort, 1e7 half", sorted, row<lf::half>(long_row)),
      of("sort, 1e6 float", sorted, row<float>(few)),
      of("sort, 1e6 double", sorted, row<double>(few)),
      of("sort, 1e5 float", sorted, row<float>(few / 10)),
      of("sort, 1e5 double", sorted, row<double>(few / 10)),
      of("sort, 1e4 float", sorted, row<float>(few / 100)),
      of("sort, 1e4 double", sorted, row<double>(few / 100)),
      of("sort, 1e3 float", sorted, row<float>(few / 1000)),
      of("sort, 1e3 double", sorted, row<double>(few / 1000)),
      of("sort, 1000 x 1000 float", sorted, rows<float>(1000, 1000)),
      of("sort, 1000 x 1000 double", sorted, rows<double>(1000, 1000)),
      of("sort, 100 x 10000 double", sorted, rows<double>(100, 10000)),
      of("sort, 10000 x 100 float", sorted, rows<float>(10000, 100)),
      of(
          "sort axis 0, 1000 x 1000 double", [](const auto& x) { (void)lf::sort(x, axis<0>); },
          rows<double>(1000, 1000)),
      of("argsort, 1e7 float", places, row<float>(long_row)),
      of("argsort, 1e6 float", places, row<float>(few)),
      of("argsort, 1e6 double", places, row<double>(few)),
      of("argsort, 1000 x 1000 float", places, rows<float>(1000, 1000)),
      of(
          "partition, 1e6 double", [](const auto& x) { (void)lf::partition(x, 1000); }, row<double>(few)),
      of(
          "median, 1e6 double", [](const auto& x) { (void)lf::median(x); }, row<double>(few)),
      of(
          "median, 1e7 float", [](const auto& x) { (void)lf::median(x); }, row<float>(long_row)),
      of(
          "median axis 1, 1000 x 1000 double", [](const auto& x) { (void)lf::median(x, axis<1>); },
          rows<double>(1000, 1000)),
      of(
          "quantile 0.25 0.75, 1e6 double",
          [](const auto& x) {
            (void)lf::quantile(x, {0.25, 0.75});
          },
          row<double>(few)),
      of(
          "unique, 1e6 double", [](const auto& x) { (void)lf::unique(x); }, row<double>(few)),
      of(
          "unique, 1e6 int32 of 1000", [](const auto& x) { (void)lf::unique(x); },
          [] { return lf::materialize(remainder(line<int>(few), 1000)); }),
      of(
          "unique_inverse, 1e6 int32 of 1000", [](const auto& x) { (void)lf::unique_inverse(x); },
          [] { return lf::materialize(remainder(line<int>(few), 1000)); }),
      lazily(
          "searchsorted, 1e6 in 1e6 double", [](const auto& v, const auto& x) { return lf::searchsorted(v, x); },
          [] { return lf::sort(line<double>(few)); }, [] { return line<double>(few, 2); }),
      lazily(
          "searchsorted, 1e6 in 1000 float", [](const auto& v, const auto& x) { return lf::searchsorted(v, x); },
          [] { return lf::sort(line<float>(1000)); }, [] { return line<float>(few, 2); }),
      lazily(
          "isin, 1e6 in 1000 int32", [](const auto& v, const auto& x) { return lf::isin(x, v); },
          [] { return line<int>(1000, 2); }, row<int>(few)),
  };
}

}  // namespace bench
