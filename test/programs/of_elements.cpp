// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of docs/examples/programs that compute element by element, move elements, and scan.
#include "examples/programs/arc_distance.hpp"
#include "examples/programs/create_grid.hpp"
#include "examples/programs/hasting.hpp"
#include "examples/programs/pythagorean_id.hpp"
#include "examples/programs/repeating.hpp"
#include "examples/programs/reverse_cumsum.hpp"
#include "examples/programs/vibr_energy.hpp"
#include "support/program.hpp"

namespace {

template <class Space>
class programs_of_elements : public test::program<Space> {};
TYPED_TEST_SUITE(programs_of_elements, test::spaces, test::space_name);

TYPED_TEST(programs_of_elements, arc_distance_is_one_kernel) {
  const auto x = this->line("x"), y = this->line("y"), z = this->line("z"), w = this->line("w");
  this->expect("arc_distance", 1, [&] { return programs::arc_distance(x, y, z, w); }, {64});
}
TYPED_TEST(programs_of_elements, create_grid_is_one_kernel) {
  const lf::array<double, 1, TypeParam> x = this->line("x")(lf::range(0, 35));
  this->expect(
      "create_grid", 1, [&] { return programs::create_grid(x); }, {}, true);
}
TYPED_TEST(programs_of_elements, hasting_is_one_kernel) {
  const auto y = this->line("food");
  this->expect("hasting", 1, [&] { return programs::hasting(y, 5, 0.1, 3, 2, 0.4, 0.01); },
               {16, 1e-16});  // of 0.08 - 0.08 a multiply-add keeps what rounding loses
}
TYPED_TEST(programs_of_elements, pythagorean_id_is_one_kernel) {
  const auto x = this->line("x");
  this->expect(
      "pythagorean_id", 1, [&] { return programs::pythagorean_id(x); }, test::four_ulps);
}
TYPED_TEST(programs_of_elements, repeating_is_one_kernel) {
  const auto x = this->line("x");
  this->expect("repeating", 1, [&] { return programs::repeating(x, 5); });
}
TYPED_TEST(programs_of_elements, reverse_cumsum_is_one_kernel) {
  const auto x = this->line("x");
  this->expect("reverse_cumsum", 1, [&] { return programs::reverse_cumsum(x); }, {64});
}
TYPED_TEST(programs_of_elements, vibr_energy_is_one_kernel) {
  const auto x = this->line("x"), y = this->line("y"), z = this->line("z");
  this->expect("vibr_energy", 1, [&] { return programs::vibr_energy(x, z, y); }, {16});
}

}  // namespace
