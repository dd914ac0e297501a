// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A new operation: what a file of include/lazyfuse/op holds per operation, here in a program of the user's.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

// [operation]
namespace op {
/// x on the one side of zero, slope * x on the other.
struct leaky_relu : lf::exact_operation {  // ulp 0, cost 1, defined everywhere
  using rule = lf::rules::number_only;     // operands meet in their promoted type; bool is refused
  static constexpr const char* name = "leaky_relu";
  template <lf::number T>
  LAZYFUSE_HD constexpr T operator()(T x, T slope) const {
    return x > 0 ? x : slope * x;
  }
};
}  // namespace op

template <class X, class Y>
  requires lf::operands<X, Y>
constexpr auto leaky_relu(X&& x, Y&& slope) {
  return lf::map<op::leaky_relu>(static_cast<X&&>(x), static_cast<Y&&>(slope));
}
// [operation]

int main() {
  // [use]
  const lf::array<float, 2> x{{-2, 1}, {4, -8}};
  const lf::kernel_trace trace;
  const lf::array y = leaky_relu(x, 0.5) + 1;
  const lf::array s = lf::sum(leaky_relu(lf::transpose(x), 0.5), lf::axis<0>);
  expect(trace.launches() == 2 && trace.allocations() == 2);  // it fuses, it reduces
  // [use]
  expect(lf::array_equal(y, lf::array<float, 2>{{0, 2}, {5, -3}}));
  expect(lf::array_equal(s, lf::array<float, 1>{0, 0}));
}
