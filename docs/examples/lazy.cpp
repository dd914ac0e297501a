// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that grow while the program runs: in a loop, in a container, through functions.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <iostream>
#include <vector>

namespace lf = lazyfuse;
using vector = lf::array<double, 1>;

// [polynomial]
/// The polynomial of these coefficients, the highest power first. Nothing runs here.
lf::lazy_array<double, 1> polynomial(const vector& x, const std::vector<double>& coefficients) {
  lf::lazy_array<double, 1> p = lf::zeros<double>({x.extent(0)});
  for (const double c : coefficients) p = p * x + c;
  return p;
}
// [polynomial]

int main() {
  // [evaluate]
  const vector x = lf::linspace(0.0, 1.0, 5);
  const std::vector<double> coefficients{1, 0, -2, 1};  // known at run time
  const auto p = polynomial(x, coefficients);
  const vector y = p;                                                  // one loop: x is read once
  const vector z = p(lf::range(0, 3)) / (1 + p * p)(lf::range(0, 3));  // and is an expression as others
  std::cout << y << '\n' << z << '\n' << lf::explain(p);
  // [evaluate]
  expect(lf::plan(p).kernels.size() == 1);
}
