// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worked example of docs/architecture.md: what each step makes of an expression, checked as types.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <concepts>
#include <iostream>

namespace lf = lazyfuse;
using namespace lf::op;
using lf::apply, lf::arg, lf::constant, lf::index_sequence, lf::leaf, lf::list, lf::map_expr, lf::memory, lf::reduction;

// [expression]
using x_leaf = leaf<lf::stored<float, lf::host>, 1>;  // a pointer, extents, steps, offset
using two = leaf<constant<float>, 0>;                 // the 2, already a float
using sin_times_two = map_expr<multiply, index_sequence<0, 1>, map_expr<sin, index_sequence<0>, x_leaf>, two>;
using tree = map_expr<add, index_sequence<0, 1>, sin_times_two, map_expr<cos, index_sequence<0>, x_leaf>>;
using expression = lf::lazy<tree>;  // the tree, and two handles to the memory of x
// [expression]

// [program]
template <int X>  // the number of the operand that the cosine reads
using program_of = apply<add, apply<multiply, apply<sin, arg<0>>, arg<1>>, apply<cos, arg<X>>>;

using plain = lf::lowering<false, tree>;  // every leaf is an operand
static_assert(std::same_as<plain::programs, list<program_of<2>>>);
static_assert(std::same_as<plain::sources, list<memory<float>, constant<float>, memory<float>>>);

using shared = lf::lowering<true, tree>;  // the cosine's x is taken to be the sine's
static_assert(std::same_as<shared::programs, list<program_of<0>>>);
static_assert(std::same_as<shared::sources, list<memory<float>, constant<float>>>);
static_assert(std::same_as<shared::slots, index_sequence<0, 1, 0>>);  // the third leaf is operand 0 again
// [program]

// [schedule]
using both = apply<sincos, arg<0>>;
using schedule = lf::schedule<shared::programs>;
static_assert(std::same_as<schedule::roots,
                           list<apply<add, apply<multiply, apply<sine_of, both>, arg<1>>, apply<cosine_of, both>>>>);
static_assert(std::same_as<schedule::shared, list<both>>);  // computed once per element, kept in a register
// [schedule]

int main() {
  const lf::array<float, 1> x = lf::linspace(0.0f, 1.0f, 1000);
  const auto e = lf::sin(x) * 2 + lf::cos(x);
  static_assert(std::same_as<decltype(e), const expression>);
  std::cout << lf::explain(e);

  const lf::trace trace;
  const lf::array z = e;
  expect(trace.launches() == 1 && trace.allocations() == 1);
  expect(trace.bytes_read() == 1000 * sizeof(float));  // x once, though it is written twice

  const lf::array<float, 2> m = lf::reshape(lf::linspace(0.0f, 1.0f, 12), {3, 4});
  const auto mean = lf::mean(m, lf::axis<1>);
  // [mean]
  using mean_program = apply<divide, reduction<sum, arg<0>>, arg<1>>;  // arg<1> is the number of elements
  static_assert(std::same_as<lf::lowering<true, lf::tree_t<decltype(mean)>>::programs, list<mean_program>>);
  // [mean]
  std::cout << lf::explain(mean);
  expect(lf::all(lf::abs(mean - lf::sum(m, lf::axis<1>) / 4) < 1e-6).item());
}
