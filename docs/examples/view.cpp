// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A new view: what a function of include/lazyfuse/expr/view.hpp holds, here in a program of the user's.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <iostream>

namespace lf = lazyfuse;

// [composed]
/// Every other element along the last axis of x.
template <class X>
  requires lf::expression<X>
constexpr auto every_other(X&& x) { return static_cast<X&&>(x)(lf::ellipsis, lf::range(lf::none, lf::none, 2)); }
// [composed]

// [swapaxes]
/// x with axes A and B exchanged.
template <int A, int B, class X>
  requires lf::expression<X>
constexpr auto swapaxes(X&& x) {
  constexpr int R = lf::rank_of<X>;
  const auto& e = x.tree;
  lf::index_map<R, R> m;
  for (int k = 0; k < R; ++k) {
    m.source[k] = k == A ? B : k == B ? A : k;  // the axis of x that axis k of the view walks along
    m.factor[k] = 1;                            // by how many of its elements at a time
    m.extents[k] = e.shape()[m.source[k]];
  }
  return lf::over(lf::view_detail::remap(e, m), static_cast<X&&>(x));
}
// [swapaxes]

// [windows]
/// All runs of `length` neighbours along the last axis of x: element (..., i, j) is element (..., i + j) of x.
template <class X>
  requires lf::expression<X>
constexpr auto windows(X&& x, lf::index_t length) {
  constexpr int R = lf::rank_of<X>;
  const auto& e = x.tree;
  const lf::index_t n = e.shape()[R - 1];
  if (length < 1 || length > n) lf::throw_value("windows: the length is not between 1 and that of the last axis");
  lf::index_map<R, R + 1> m;
  for (int k = 0; k <= R; ++k) {
    m.source[k] = k < R ? k : R - 1;  // the last two walk along the same axis
    m.factor[k] = 1;
    m.extents[k] = k < R - 1 ? e.shape()[k] : k == R - 1 ? n - length + 1 : length;
  }
  return lf::over(lf::view_detail::remap(e, m), static_cast<X&&>(x));
}
// [windows]

int main() {
  const lf::array x = lf::reshape(lf::arange<int>(12), {3, 4});
  // [use]
  const lf::kernel_trace trace;
  const auto v = every_other(swapaxes<0, 1>(x * x));  // of an expression: nothing is computed
  expect(v.shape() == lf::shape{4, 2} && trace.launches() == 0 && trace.allocations() == 0);
  const lf::array z = v + 1;  // one kernel
  expect(trace.launches() == 1);
  // [use]
  expect(lf::array_equal(z, lf::array<int, 2>{{1, 65}, {2, 82}, {5, 101}, {10, 122}}));

  // [moving]
  const lf::array<double, 1> signal{1, 2, 6, 4, 0};
  const lf::array moving = lf::mean(windows(signal, 3), lf::axis<1>);
  std::cout << moving << '\n';
  // [moving]
  expect(lf::array_equal(moving, lf::array<double, 1>{3, 4, 10.0 / 3}));
  expect(windows(x, 2).shape() == lf::shape{3, 3, 2} && windows(x, 2)(2, 1, 1).item() == 10);

  // Broadcast operands keep an own step of 0.
  const lf::array<int, 1> row{1, 2, 3, 4};
  expect(lf::array_equal(swapaxes<0, 1>(x + row), lf::transpose(x) + row(lf::all, lf::newaxis)));
  expect(lf::array_equal(lf::sum(windows(x + row, 4), lf::axis<2>)(lf::all, 0), lf::sum(x, lf::axis<1>) + 10));
  bool refused = false;
  try {
    windows(signal, 6);
  } catch (const lf::error&) {
    refused = true;
  }
  expect(refused);
}
