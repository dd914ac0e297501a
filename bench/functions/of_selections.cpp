// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers, masks, scatters and histograms.
#include "run.hpp"

#include <lazyfuse/select.hpp>

namespace bench {

namespace {
auto indices(index_t n, index_t below) {
  return
      [=] { return lf::array<lf::int64, 1>(lf::random::integers<lf::int64>(lf::shape<1>{n}, 0, below, lf::seed{7})); };
}
}  // namespace

std::vector<function> of_selections() {
  using lf::axis;
  const auto joined = [](const auto& x, const auto& y) { return concat(x, y); };
  return {
      lazily("concat(x, y), float", joined, one<float>(), one<float>(2)),
      lazily("concat(x, y), double", joined, one<double>(), one<double>(2)),
      lazily("concat(x, y), int8", joined, one<lf::int8>(), one<lf::int8>(2)),
      lazily("concat(x, y) axis 0, double", joined, square<double>(), square<double>(side, 2)),
      lazily(
          "concat(x, y) axis 1, double", [](const auto& x, const auto& y) { return lf::concat<1>(x, y); },
          square<double>(), square<double>(side, 2)),
      lazily(
          "concat(x, y) axis 1, float", [](const auto& x, const auto& y) { return lf::concat<1>(x, y); },
          square<float>(), square<float>(side, 2)),
      lazily(
          "concat of 4 axis 0, float", [](const auto& x, const auto& y) { return concat(x, y, x, y); }, square<float>(),
          square<float>(side, 2)),
      lazily(
          "stack(x, y), double", [](const auto& x, const auto& y) { return stack(x, y); }, one<double>(),
          one<double>(2)),
      lazily(
          "stack(x, y) axis 1, double", [](const auto& x, const auto& y) { return lf::stack<1>(x, y); }, one<double>(),
          one<double>(2)),
      lazily(
          "stack(x, y) axis 1, float", [](const auto& x, const auto& y) { return lf::stack<1>(x, y); }, one<float>(),
          one<float>(2)),
      lazily(
          "repeat(x, 5), double", [](const auto& x) { return repeat(x, 5); }, one<double>()),
      lazily(
          "repeat(x, 2) axis 0, float", [](const auto& x) { return repeat(x, 2, axis<0>); }, square<float>()),
      lazily(
          "tile(x, 3), double", [](const auto& x) { return tile(x, {3}); }, one<double>()),
      lazily(
          "tile(x, (2, 2)), float",
          [](const auto& x) {
            return tile(x, {2, 2});
          },
          square<float>()),
      lazily(
          "pad(x, 1), double",
          [](const auto& x) {
            return pad(x, {{1, 1}, {1, 1}}, 0);
          },
          square<double>()),
      lazily(
          "pad(x, 3) reflect, float",
          [](const auto& x) {
            return lf::pad<lf::padding::reflect>(x, {{3, 3}, {3, 3}});
          },
          square<float>()),
      lazily(
          "take(x, i), double", [](const auto& x, const auto& i) { return take(x, i); }, one<double>(),
          indices(elements, elements)),
      lazily(
          "take(x, i), float of 1000", [](const auto& x, const auto& i) { return take(x, i); },
          [] { return line<float>(1000); }, indices(elements, 1000)),
      lazily(
          "take(x, i, 0), double", [](const auto& x, const auto& i) { return take(x, i, axis<0>); }, square<double>(),
          indices(side, side)),
      lazily(
          "take(x, i, 1), double", [](const auto& x, const auto& i) { return take(x, i, axis<1>); }, square<double>(),
          indices(side, side)),
      of(
          "x(x > 0), double", [](const auto& x) { const lf::array<double, 1> a = x(x > 0); }, one<double>()),
      of(
          "x(b), float", [](const auto& x, const auto& b) { const lf::array<float, 1> a = x(b); }, one<float>(),
          [] { return lf::materialize(line<double>() > 0); }),
      of(
          "x(b) few, float", [](const auto& x, const auto& b) { const lf::array<float, 1> a = x(b); }, one<float>(),
          [] { return lf::materialize(line<double>() > 2.5); }),
      of(
          "nonzero(b), bool", [](const auto& b) { (void)nonzero(b); },
          [] { return lf::materialize(line<double>() > 0); }),
      of(
          "flatnonzero(b) few, bool", [](const auto& b) { const lf::array<lf::int64, 1> a = flatnonzero(b); },
          [] { return lf::materialize(line<double>() > 2.5); }),
      of(
          "argwhere(b), bool 2-D", [](const auto& b) { (void)argwhere(b); },
          [] { return lf::materialize(matrix<double>() > 0); }),
      {"x(b) = 0, double",
       [] {
         return std::function<void()>(
             [x = line<double>(), b = lf::materialize(line<double>() > 0)]() mutable { x(b) = 0; });
       }},
      {"x(i) = v, double",
       [] {
         return std::function<void()>([x = line<double>(), i = indices(elements, elements)(),
                                       v = line<double>(elements, 3)]() mutable { x(i) = v; });
       }},
      {"add_at(x, i, v), double",
       [] {
         return std::function<void()>([x = line<double>(), i = indices(elements, 1000)(),
                                       v = line<double>(elements, 3)]() mutable { lf::add_at(x, i, v); });
       }},
      of(
          "bincount(i), of 1000", [](const auto& i) { (void)lf::bincount(i); }, indices(elements, 1000)),
      of(
          "bincount(i, w), of 1000", [](const auto& i, const auto& w) { (void)lf::bincount(i, w); },
          indices(elements, 1000), one<double>()),
      of(
          "histogram(x, 100), double", [](const auto& x) { (void)lf::histogram(x, 100); }, one<double>()),
      of(
          "histogram(x, edges), float", [](const auto& x, const auto& e) { (void)lf::histogram(x, e); }, one<float>(),
          [] { return lf::materialize(lf::cast<float>(lf::linspace(-5.0, 5.0, 101))); }),
  };
}

}  // namespace bench
