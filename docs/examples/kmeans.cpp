// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// k-means: points are divided among the centres that they are nearest to, and centres move to the mean of theirs.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/select.hpp>

namespace lf = lazyfuse;
using lf::all, lf::axis, lf::newaxis;

int main() {
  constexpr lf::index_t n = 600, k = 3;
  const lf::array<double, 2> around{{0, 0}, {8, 1}, {-3, 9}};
  const lf::array<lf::index_t, 1> drawn = lf::remainder(lf::arange(n), k);
  const lf::array<double, 2> points = around(drawn) + lf::random::normal<double>({n, 2}, lf::seed{1}, 0, 1);

  // [kmeans]
  lf::array<double, 2> centres = points(lf::range(0, k), all);
  lf::array<lf::index_t, 1> nearest;
  for (double moved = 1; moved > 1e-12;) {
    const auto apart = points(all, newaxis) - centres;                   // (n, k, 2), never in memory
    nearest = lf::argmin(lf::sum(lf::square(apart), axis<2>), axis<1>);  // one kernel
    lf::array<double, 2> sums = lf::zeros<double>({k, 2});
    lf::add_at(sums, nearest, points);  // each point is added to its centre's row
    const lf::array<double, 2> means = sums / lf::cast<double>(lf::bincount(nearest, k))(all, newaxis);
    moved = lf::max(lf::abs(means - centres)).item();
    centres = means;
  }
  // [kmeans]
  expect(lf::max(lf::abs(centres - around)).item() < 0.3);
  expect(lf::count_nonzero(nearest != drawn).item() < 6);
}
