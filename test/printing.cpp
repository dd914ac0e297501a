// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::cout << x shows what NumPy's print(x) shows.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <sstream>

namespace {

template <class Space>
class printing : public test::on<Space> {};
TYPED_TEST_SUITE(printing, test::every_space, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("printing");
  return data;
}

template <class E>
std::string text(const E& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}
template <class Space, class T, int R>
void check(const std::string& name) {
  const auto x = test::array_of<Space, R>(answers().get<T>("x/" + name));
  EXPECT_EQ(text(x), answers().text("text/" + name)) << name;
}

TYPED_TEST(printing, of_integers_and_booleans) {
  check<TypeParam, std::int32_t, 1>("integers");
  check<TypeParam, std::int64_t, 2>("negative integers");
  check<TypeParam, bool, 1>("booleans");
  check<TypeParam, std::int32_t, 3>("rank 3");
}
TYPED_TEST(printing, of_floating_point_numbers) {
  check<TypeParam, float, 0>("rank 0");
  check<TypeParam, float, 2>("whole floats");
  check<TypeParam, float, 1>("floats");
  check<TypeParam, float, 1>("float32 thirds");
  check<TypeParam, double, 1>("float64 thirds");
  check<TypeParam, double, 1>("special values");
}
TYPED_TEST(printing, of_bytes_halves_and_complex_numbers) {
  check<TypeParam, lf::uint8, 2>("bytes");
  check<TypeParam, lf::int8, 1>("small integers");
  check<TypeParam, lf::uint64, 1>("large unsigned");
  check<TypeParam, lf::half, 1>("halves");
  check<TypeParam, lf::half, 1>("half thirds");
  check<TypeParam, lf::complex<float>, 1>("complex");
  check<TypeParam, lf::complex<double>, 1>("complex thirds");
  check<TypeParam, lf::complex<double>, 1>("complex special values");
}
TYPED_TEST(printing, chooses_the_scientific_format_as_numpy) {
  check<TypeParam, double, 1>("large and small");
  check<TypeParam, double, 1>("tiny");
  check<TypeParam, double, 1>("large");
}
TYPED_TEST(printing, of_nothing) {
  check<TypeParam, float, 1>("empty");
  check<TypeParam, float, 2>("empty matrix");
}
TYPED_TEST(printing, wraps_lines_and_summarises_what_is_long) {
  check<TypeParam, std::int32_t, 1>("wrapped");
  check<TypeParam, std::int32_t, 1>("exactly the threshold");
  check<TypeParam, std::int32_t, 1>("long");
  check<TypeParam, std::int32_t, 2>("wide matrix");
}
TYPED_TEST(printing, evaluates_expressions) {
  const lf::array<std::int32_t, 1, TypeParam> x{1, 2, 3};
  EXPECT_EQ(text(x * 2), "[2 4 6]");
  EXPECT_EQ(text(lf::sum(x)), "6");
  EXPECT_EQ(text(x(lf::range(lf::none, lf::none, -1))), "[3 2 1]");
}

}  // namespace
