// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LU and Cholesky's factor by slices: what linalg does by a library, as it is written on a blackboard. Views are
// written in place, also where they are read.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
using lf::all, lf::end, lf::range;

int main() {
  constexpr lf::index_t n = 12;
  const lf::array<double, 2> b = lf::random::uniform<double>({n, n}, lf::seed{1});
  const lf::array<double, 2> a = lf::matmul(b, b.T()) + lf::eye(n);

  // [lu]
  lf::array<double, 2> lu = a;  // L below the diagonal, whose own is 1, and U above
  for (lf::index_t k = 0; k + 1 < n; ++k) {
    const auto below = range(k + 1, end);
    lu(below, k) /= lu(k, k);
    lu(below, below) -= lf::outer(lu(below, k), lu(k, below));
  }
  // [lu]
  const auto lower = lf::tril(lu, -1) + lf::eye(n);
  expect(lf::max(lf::abs(lf::matmul(lower, lf::triu(lu)) - a)).item() < 1e-12);

  // [cholesky]
  lf::array<double, 2> l = lf::tril(a);
  for (lf::index_t k = 0; k < n; ++k) {
    const auto below = range(k + 1, end);
    l(range(k, end), k) /= lf::sqrt(l(k, k));
    l(below, below) -= lf::tril(lf::outer(l(below, k), l(below, k)));
  }
  // [cholesky]
  expect(lf::max(lf::abs(lf::matmul(l, l.T()) - a)).item() < 1e-12);
}
