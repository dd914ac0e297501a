// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of docs/examples/programs that look at neighbours.
#include "examples/programs/evolve.hpp"
#include "examples/programs/grayscott.hpp"
#include "examples/programs/harris.hpp"
#include "examples/programs/laplacien.hpp"
#include "examples/programs/rosen.hpp"
#include "examples/programs/specialconvolve.hpp"
#include "support/program.hpp"

#include <cstdint>

namespace {

template <class Space>
class programs_of_neighbours : public test::program<Space> {};
TYPED_TEST_SUITE(programs_of_neighbours, test::spaces, test::space_name);

TYPED_TEST(programs_of_neighbours, evolve_is_one_kernel) {
  const auto g = this->matrix("square");
  this->expect("evolve", 1, [&] { return programs::evolve(g, 0.1); }, {0, 1e-15});
}
TYPED_TEST(programs_of_neighbours, grayscott_is_one_kernel_at_first_and_one_for_each_step) {
  const auto ru = this->matrix("ru"), rv = this->matrix("rv");
  for (const int steps : {0, 3, 10})
    this->expect("grayscott " + std::to_string(steps), 1 + steps, [&] { return programs::grayscott(ru, rv, steps); },
                 {0, 1e-6});
}
TYPED_TEST(programs_of_neighbours, harris_is_one_kernel) {
  const auto image = this->matrix("m");
  this->expect("harris", 1, [&] { return programs::harris(image); }, {0, 1e-14});  // squares of up to 2, less others
}
TYPED_TEST(programs_of_neighbours, laplacien_is_two_kernels_at_most) {
  const auto x = test::array_of<TypeParam, 3>(this->answers().template get<double>("picture"));
  this->expect("laplacien", 2, [&] { return programs::laplacien(x); }, {0, 1e-14});
}
TYPED_TEST(programs_of_neighbours, rosen_is_one_kernel) {
  const auto x = this->line("x");
  this->expect("rosen", 1, [&] { return programs::rosen(x); }, {64});
}
TYPED_TEST(programs_of_neighbours, specialconvolve_is_one_kernel_of_unsigned_integers) {
  const auto x = test::array_of<TypeParam, 2>(this->answers().template get<std::uint32_t>("whole"));
  this->expect("specialconvolve", 1, [&] { return programs::specialconvolve(x); });
}

}  // namespace
