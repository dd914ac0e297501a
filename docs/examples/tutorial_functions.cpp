// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one's own: the blocks of docs/tutorial/6_functions.md.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <cmath>
#include <iostream>

namespace lf = lazyfuse;

// [function]
/// (x - mean) / deviation, along the last axis: any expression goes in, an expression comes out.
template <lf::expression X>
auto standard_score(const X& x) {
  return (x - lf::mean(x, lf::axis<-1>, lf::keepdims)) / lf::std(x, lf::axis<-1>, lf::keepdims);
}
// [function]

// [callable]
/// Celsius to Fahrenheit, but for what is missing.
struct fahrenheit {
  float missing;
  LAZYFUSE_HD float operator()(float celsius) const { return celsius == missing ? missing : celsius * 1.8f + 32; }
};
// [callable]

// [longest]
struct longer {
  LAZYFUSE_HD float operator()(float a, float b) const { return a * a > b * b ? a : b; }
};
// [longest]

int main() {
  const lf::array<float, 2> x{{1, 2, 3}, {10, 20, 60}};

  // [score]
  std::cout << standard_score(x) << '\n' << standard_score(lf::log(x)) << '\n';
  // [score]

  // [map]
  const lf::array<float, 1> t{-40, 0, 100, -999};
  std::cout << lf::map(fahrenheit{-999}, t) << '\n' << lf::mean(lf::map(fahrenheit{-999}, t(lf::range(0, 3)))) << '\n';
  // [map]

  // [reduce]
  std::cout << lf::reduce(longer{}, 0, t) << '\n';
  // [reduce]

  // [fuse]
  const auto distance = lf::fuse([](auto latitude1, auto longitude1, auto latitude2, auto longitude2) {
    const auto a = lf::square(lf::sin((latitude2 - latitude1) / 2)) +
                   lf::cos(latitude1) * lf::cos(latitude2) * lf::square(lf::sin((longitude2 - longitude1) / 2));
    return 2 * lf::atan2(lf::sqrt(a), lf::sqrt(1 - a));
  });
  const lf::array<double, 1> north = lf::linspace(0.0, 1.5, 4), east = lf::linspace(0.0, 3.0, 4);
  std::cout << distance(north, east, 0.5 * north, east) << '\n';
  // [fuse]
  expect(lf::all(lf::abs(distance(north, east, 0.5 * north, east) - 0.5 * north) < 1e-12).item());

  // [barrier]
  const lf::array<float, 2> table = lf::random::uniform<float>({512, 512}, lf::seed{3});
  const auto costly = lf::barrier(lf::log(table + 1));              // computed once, into memory
  const lf::array<float, 2> both = costly + lf::transpose(costly);  // without the barrier: two logarithms an element
  // [barrier]
  expect(lf::array_equal(both, lf::transpose(both)));

  // [tune]
  const auto rows = lf::softmax(table);
  const lf::tuned found = lf::tune(rows);  // measures the plans of this expression, here and now
  std::cout << (found.rows_us < found.cut_us ? "one kernel is faster\n" : "several kernels are faster\n");
  // [tune]
}
