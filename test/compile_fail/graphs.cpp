// expected-error: lazyfuse: record takes a function without parameters, as in record
// expected-error: lazyfuse: a graph is rebound to an array of the same element type
// expected-error: lazyfuse: a graph is rebound to an array of the same rank
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/graph.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& y, const lf::array<float, 1>& x, const lf::array<double, 1>& d,
             const lf::array<float, 2>& m) {
#ifdef LAZYFUSE_EXPECT_ERROR
  auto with_parameter = lf::record([&](int n) { y = x * n; });
#endif
  lf::graph g = lf::record([&] { y = x * 2; });
#ifdef LAZYFUSE_EXPECT_ERROR
  g.rebind(x, d);
  g.rebind(x, m);
#else
  g.rebind(x, y);
#endif
}
