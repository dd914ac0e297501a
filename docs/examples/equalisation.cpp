// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram equalisation: the grey levels of a picture are moved so that all of them are used about as often.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/select.hpp>

namespace lf = lazyfuse;

int main() {
  // A dark picture without contrast.
  const lf::array<lf::uint8, 2> picture =
      lf::cast<lf::uint8>(lf::clip(lf::random::normal<float>({120, 160}, lf::seed{1}, 60, 12), 0, 255));

  // [equalised]
  const auto counts = lf::bincount(lf::reshape(picture, {-1}), 256);        // how many pixels have each level
  const auto share = lf::cast<float>(lf::cumsum(counts)) / picture.size();  // how many have that one or a darker one
  const lf::array<lf::uint8, 1> level = lf::cast<lf::uint8>(lf::round(255 * share));
  const lf::array<lf::uint8, 2> equalised = lf::take(level, picture);
  // [equalised]

  // A quarter of the pixels, or so, is in each quarter of the levels.
  const auto quarters = lf::histogram(equalised, 4, {0, 256}).counts;
  expect(lf::all(lf::abs(lf::cast<float>(quarters) / picture.size() - 0.25f) < 0.04f).item());
  expect(lf::max(lf::cast<int>(picture)).item() < 130 && lf::max(equalised).item() == 255);
}
