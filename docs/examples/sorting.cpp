// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting: elements in order, and what is found by order.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/sort.hpp>

namespace lf = lazyfuse;

int main() {
  // [sorted]
  const lf::array<double, 2> x{{3, 1, 2}, {9, 7, 8}};
  const auto rows = lf::sort(x);                                   // {{1, 2, 3}, {7, 8, 9}}
  const auto columns = lf::sort(x * x, lf::axis<0>);               // of any expression, along any axis
  const auto places = lf::argsort(x, lf::descending);              // {{0, 2, 1}, {0, 2, 1}}
  const auto [values, indices] = lf::topk(x, 2);                   // {{3, 2}, {9, 8}}, {{0, 2}, {0, 2}}
  const auto again = lf::take_along_axis(x, places, lf::axis<1>);  // an expression
  // [sorted]
  expect(lf::array_equal(rows, lf::array<double, 2>{{1, 2, 3}, {7, 8, 9}}));
  expect(lf::array_equal(columns(0), x(0) * x(0)));
  expect(lf::array_equal(again, lf::sort(x, lf::descending)));
  expect(lf::array_equal(values, again(lf::all, lf::range(0, 2))));
  expect(lf::array_equal(indices, places(lf::all, lf::range(0, 2))));
  expect(lf::partition(x, 1)(0, 1).item() == 2);

  // [searched]
  const lf::array<double, 1> edges{0, 0.5, 1, 2};
  const auto bin = lf::digitize(x / 4, edges);                         // an expression: {{2, 1, 2}, {4, 3, 4}}
  const lf::array<double, 2> step = lf::take(edges, bin - 1) - x / 4;  // one kernel
  const auto first = lf::searchsorted(edges, 1);                       // 2
  const auto last = lf::searchsorted(edges, 1, lf::side::right);       // 3
  const auto known = lf::isin(x, lf::array<int, 1>{1, 8, 20});         // {{false, true, false}, {false, false, true}}
  // [searched]
  expect(lf::array_equal(bin, lf::array<int, 2>{{2, 1, 2}, {4, 3, 4}}));
  expect(step(0, 0).item() == -0.25);
  expect(first.item() == 2 && last.item() == 3);
  expect(lf::count_nonzero(known).item() == 2);

  // [middle]
  const auto middle = lf::median(x, lf::axis<1>);        // {2, 8}
  const auto quartiles = lf::quantile(x, {0.25, 0.75});  // of all elements
  // [middle]
  expect(middle(1).item() == 8 && quartiles(0).item() == 2.25);
  expect(lf::quantile(x, 0.5).item() == lf::median(x).item());

  // [unique]
  const lf::array<int, 1> v{3, 1, 3, 7, 1, 3};
  const auto u = lf::unique_all(v);                         // .values {1, 3, 7}, .counts {2, 3, 1}, .indices {1, 0, 3}
  const auto back = lf::take(u.values, u.inverse_indices);  // v again
  // [unique]
  expect(lf::array_equal(back, v) && lf::array_equal(lf::unique(v), u.values));
  expect(lf::array_equal(lf::unique_counts(v).counts, u.counts));
  expect(lf::array_equal(lf::unique_inverse(v).inverse_indices, u.inverse_indices));
  expect(u.indices(2).item() == 3);
}
