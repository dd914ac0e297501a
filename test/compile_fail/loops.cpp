// expected-error: lazyfuse: the condition of a while_loop is a function, as in
// expected-error: lazyfuse: a condition is one bool, without axes
// expected-error: lazyfuse: a condition is an expression of one bool, as in error > 1e-6f
// expected-error: lazyfuse: the body of a while_loop or cond is a function without parameters
// expected-error: lazyfuse: call takes a function without parameters, and the arrays that it uses
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/graph.hpp>

namespace lf = lazyfuse;

void mistake(lf::array<float, 1>& x) {
  const auto body = [&] { x = x / 2; };
#ifdef LAZYFUSE_EXPECT_ERROR
  lf::while_loop(lf::max(x) > 1.0f, body);
  lf::while_loop([&] { return x > 1.0f; }, body);
  lf::while_loop([&] { return (lf::max(x) > 1.0f).item(); }, body);
  lf::cond(lf::max(x) > 1.0f, [&](int n) { x = x / n; });
  lf::call([](int) {}, x);
#else
  lf::while_loop([&] { return lf::max(x) > 1.0f; }, body);
  lf::cond(lf::max(x) > 1.0f, body);
  lf::call([] {}, x);
#endif
}
