// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 11000
// A long expression with names that occur dozens of times, and much that is written twice. Its operands are numbered in
// constant expressions, of which compilers allow only so many steps.
#include <lazyfuse/lazyfuse.hpp>
namespace lf = lazyfuse;
using array = lf::array<float, 1>;
void f(array& z, const array& a, const array& b, const array& c) {
  const auto d = a - b;
  const auto g = exp(d * c);
  const auto e1 = where(d > g, g * d + g, sin(d * g) + d);
  const auto e2 = e1 * (g * d + a) + tanh(d - g) * d;
  const auto e3 = e2 * (g * d + a) + tanh(d - g) * d;
  const auto e4 = e3 * (g * d + a) + tanh(d - g) * d;
  const auto e5 = e4 * (g * d + a) + tanh(d - g) * d;
  const auto e6 = e5 * (g * d + a) + tanh(d - g) * d;
  const auto e7 = e6 * (g * d + a) + tanh(d - g) * d;
  const auto e8 = e7 * (g * d + a) + tanh(d - g) * d;
  const auto e9 = e8 * (g * d + a) + tanh(d - g) * d;
  const auto e10 = e9 * (g * d + a) + tanh(d - g) * d;
  z = e10;
}
