// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements by masks and indices: chosen, reduced, written, added up, counted.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/select.hpp>

#include <string>

namespace lf = lazyfuse;

int main() {
  // [select]
  lf::array<double, 1> x{0.5, 2, -1, 3, 1.5};
  auto s = x(x > 1) * 2 + 1;               // a selection: nothing has run
  lf::array a = s;                         // {5, 7, 4}: one pass over x
  const double total = lf::sum(s).item();  // 16: one pass as well, and nothing is moved
  auto few = s(s > 4);                     // those of s that are above 4: {5, 7}
  auto places = lf::nonzero(x > 1);        // of each axis the indices, here {1, 3, 4}
  // [select]
  expect(lf::array_equal(a, lf::array<double, 1>{5, 7, 4}) && total == 16 && few.size() == 2);
  expect(lf::array_equal(lf::array(lf::compress(x > 1, x)), x(places[0])));
  expect(lf::array_equal(lf::array(lf::flatnonzero(x > 1)), places[0]));

  // [write]
  x(x < 0) = 0;  // one kernel, in place
  const lf::array<int, 1> i{4, 0, 4};
  x(i) = lf::array<double, 1>{7, 8, 9};        // {8, 2, 0, 3, 9}: the last one wins
  lf::add_at(x, i, 1);                         // {9, 2, 0, 3, 11}: each of them counts
  lf::put(x, i, -1);                           // {-1, 2, 0, 3, -1}
  const lf::array<double, 1> read = x(i) * 2;  // a gather, which fuses
  // [write]
  expect(lf::array_equal(x, lf::array<double, 1>{-1, 2, 0, 3, -1}) && read(0).item() == -2);

  // [count]
  const lf::array<double, 1> drawn = lf::random::normal<double>({10000}, lf::seed{1}, 0, 1);
  const auto h = lf::histogram(drawn * drawn, 20, {0, 10});  // h.counts, h.edges: drawn * drawn is never in memory
  const auto often = lf::bincount(lf::array<int, 1>{1, 3, 3, 0});  // {1, 1, 0, 2}
  // [count]
  expect(h.counts.size() == 20 && h.edges.size() == 21 && often(3).item() == 2);
}
