// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worked examples of docs/architecture.md and docs/design: what each step makes of an expression, checked as types.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <concepts>
#include <iostream>
#include <string_view>

namespace lf = lazyfuse;
namespace ir = lazyfuse::ir;
namespace planning = lazyfuse::planning;
using namespace lf::op;
using ir::apply, ir::arg, ir::constant, ir::memory, ir::reduction;
using lf::index_sequence, lf::list, lf::tree::leaf, lf::tree::map_expr, lf::tree::reduced;

namespace centred {
// [expression]
using x_leaf = leaf<lf::stored<float, lf::host>, 2>;       // a pointer, extents, steps, offset
using sum_leaf = leaf<reduced<sum, 1, x_leaf, false>, 2>;  // still to be computed, from the last axis of x
using number = leaf<constant<float>, 0>;                   // the count of mean, and the 2: already floats
using mean_tree = map_expr<divide, index_sequence<0, 1>, sum_leaf, number>;
using difference = map_expr<subtract, index_sequence<0, 1>, x_leaf, mean_tree>;
using tree = map_expr<divide, index_sequence<0, 1>, difference, number>;
using expression = lf::lazy<tree>;  // the tree, and two handles to the memory of x
// [expression]

// [program]
using lowered = planning::lowering<planning::sharing_of_rows<tree>, tree>;
using total = reduction<sum, arg<0>>;
using program = apply<divide, apply<subtract, arg<0>, apply<divide, total, arg<1>>>, arg<2>>;
static_assert(std::same_as<lowered::programs, list<program>>);
static_assert(std::same_as<lowered::sources, list<memory<float>, constant<float>, constant<float>>>);
static_assert(std::same_as<lowered::slots, index_sequence<0, 0, 1, 2>>);  // both leaves of x are operand 0
// [program]

// [stages]
using stages = ir::staged<ir::schedule<lowered::programs>::simplified, lowered::sources>;
static_assert(stages::count == 1);  // one pass that reduces; one more stores
static_assert(std::same_as<stages::set<0>::reductions, list<total>>);
// [stages]

// [code]
constexpr std::string_view code = ir::code_of<list<program>, stages::set<0>::reductions>.text;
static_assert(code == "x0 sum/1 | x0 r0 x1 //2 -/2 x2 //2 ");
// [code]

// [context]
/// Where a kernel stands: the operands at one element, and the sum of its row.
struct element {
  const float (&operands)[3];
  float sum_of_row;
  template <int I>
  float operand() const {
    return operands[I];
  }
  template <class Reduction>
  float stage_value() const {
    return sum_of_row;
  }
};
/// Where its results go.
struct result {
  static constexpr bool stores = false;  // in memory that operands are read from
  float value;
  template <int I>
  void put(float v) {
    value = v;
  }
};
// [context]

void run() {
  // [user]
  const lf::array<float, 2> x = lf::reshape(lf::linspace(0.0f, 11.0f, 12), {3, 4});
  const auto e = (x - lf::mean(x, lf::axis<1>, lf::keepdims)) / 2;
  const lf::array y = e;  // one kernel
  // [user]
  static_assert(std::same_as<decltype(e), const expression>);
  std::cout << lf::explain(e);
  expect(y(2, 3).item() == 0.75f);

  // [evaluate]
  const float operands[] = {11, 4, 2};  // x(2, 3), the count, the 2
  result to;
  ir::evaluate<ir::schedule<lowered::programs>>(element{operands, 8 + 9 + 10 + 11}, to);
  expect(to.value == y(2, 3).item());
  // [evaluate]
}
}  // namespace centred

namespace sine_and_cosine {
// [leaves]
using x_leaf = leaf<lf::stored<float, lf::host>, 1>;
using two = leaf<constant<float>, 0>;
using sin_times_two = map_expr<multiply, index_sequence<0, 1>, map_expr<sin, index_sequence<0>, x_leaf>, two>;
using tree = map_expr<add, index_sequence<0, 1>, sin_times_two, map_expr<cos, index_sequence<0>, x_leaf>>;
// [leaves]

// [shared]
template <int X>  // the number of the operand that the cosine reads
using program_of = apply<add, apply<multiply, apply<sin, arg<0>>, arg<1>>, apply<cos, arg<X>>>;

using plain = planning::lowering<0, tree>;  // every leaf is an operand
static_assert(std::same_as<plain::programs, list<program_of<2>>>);
static_assert(std::same_as<plain::sources, list<memory<float>, constant<float>, memory<float>>>);

using shared = planning::lowering<1, tree>;  // the cosine's x is taken to be the sine's
static_assert(std::same_as<shared::programs, list<program_of<0>>>);
static_assert(std::same_as<shared::sources, list<memory<float>, constant<float>>>);
static_assert(std::same_as<shared::slots, index_sequence<0, 1, 0>>);  // the third leaf is operand 0 again
// [shared]

// [schedule]
using both = apply<sincos, arg<0>>;
using schedule = ir::schedule<shared::programs>;
static_assert(std::same_as<schedule::roots,
                           list<apply<add, apply<multiply, apply<sine_of, both>, arg<1>>, apply<cosine_of, both>>>>);
static_assert(std::same_as<schedule::shared, list<both>>);  // computed once per element, kept in a register
// [schedule]

void run() {
  const lf::array<float, 1> x = lf::linspace(0.0f, 1.0f, 1000);
  const auto e = lf::sin(x) * 2 + lf::cos(x);
  static_assert(std::same_as<decltype(e), const lf::lazy<tree>>);
  std::cout << lf::explain(e);

  const lf::kernel_trace trace;
  const lf::array z = e;
  expect(trace.launches() == 1 && trace.allocations() == 1);
  expect(trace.bytes_read() == 1000 * sizeof(float));  // x once, though it is written twice
}
}  // namespace sine_and_cosine

int main() {
  centred::run();
  sine_and_cosine::run();

  const lf::array<float, 2> m = lf::reshape(lf::linspace(0.0f, 1.0f, 12), {3, 4});
  const auto mean = lf::mean(m, lf::axis<1>);
  // [mean]
  using mean_program = apply<divide, reduction<sum, arg<0>>, arg<1>>;  // arg<1> is the number of elements
  static_assert(std::same_as<planning::lowering<1, lf::tree_t<decltype(mean)>>::programs, list<mean_program>>);
  // [mean]
  std::cout << lf::explain(mean);
  expect(lf::all(lf::abs(mean - lf::sum(m, lf::axis<1>) / 4) < 1e-6).item());
}
