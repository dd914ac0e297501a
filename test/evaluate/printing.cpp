// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::cout << x shows what NumPy's print(x) shows.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <sstream>
#include <thread>

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
/// With options, as numpy.array2string.
template <class Space, class T, int R>
void check(const std::string& name, const lf::print_options& options) {
  const auto x = test::array_of<Space, R>(answers().get<T>("options/x/" + name));
  EXPECT_EQ(lf::format(x, options), answers().text("options/" + name)) << name;
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
TYPED_TEST(printing, gives_exponents_one_width) { check<TypeParam, double, 1>("exponents of three digits"); }
TYPED_TEST(printing, has_exponents_sooner_for_types_of_fewer_digits) {
  check<TypeParam, float, 1>("millions");
  check<TypeParam, lf::half, 1>("thousands of halves");
}
TYPED_TEST(printing, of_powers_of_two_has_the_digits_of_the_wider_side) {
  check<TypeParam, lf::half, 1>("powers of two in half");
}
TYPED_TEST(printing, leaves_room_for_false) { check<TypeParam, bool, 1>("only true"); }
TYPED_TEST(printing, of_rank_0_is_that_of_a_scalar) {
  check<TypeParam, bool, 0>("boolean scalar");
  check<TypeParam, double, 0>("float64 scalar");
  check<TypeParam, float, 0>("large float32 scalar");
  check<TypeParam, double, 0>("small float64 scalar");
  check<TypeParam, lf::half, 0>("half scalar");
  check<TypeParam, lf::complex<double>, 0>("complex scalar");
  check<TypeParam, lf::complex<float>, 0>("imaginary scalar");
}
TEST(printing_of_values, is_pythons_of_shapes_and_of_what_item_gives) {
  EXPECT_EQ(text(lf::shape(3, 4)), "(3, 4)");
  EXPECT_EQ(text(lf::shape(5)), "(5,)");
  EXPECT_EQ(text(lf::shape<0>()), "()");
  const lf::array<lf::complex<float>, 1, lf::host> z{{1, 2}, {0, 2}, {1.5f, -2}};
  EXPECT_EQ(text(z.shape()), "(3,)");
  EXPECT_EQ(text(z(0).item()), "(1+2j)");
  EXPECT_EQ(text(z(1).item()), "2j");
  EXPECT_EQ(text(lf::complex<double>(1.5, -2)), "(1.5-2j)");
  EXPECT_EQ(text(lf::vec{1, 2, 3}), "[1 2 3]");
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
  check<TypeParam, float, 2>("wrapped matrix");
  check<TypeParam, lf::int8, 4>("long axes of rank 4");
}
TYPED_TEST(printing, has_as_many_digits_as_asked_for) {
  check<TypeParam, double, 2>("precision", {.precision = 3});
  check<TypeParam, float, 2>("precision of float32", {.precision = 2});
  check<TypeParam, double, 2>("precision 0", {.precision = 0});
  check<TypeParam, double, 1>("precision 20", {.precision = 20});
  check<TypeParam, lf::half, 1>("precision of halves", {.precision = 3});
  check<TypeParam, lf::complex<double>, 1>("precision of complex numbers", {.precision = 3});
  check<TypeParam, double, 0>("precision of rank 0", {.precision = 3});
}
TYPED_TEST(printing, leaves_out_the_middle_of_more_elements_than_the_threshold) {
  check<TypeParam, lf::int8, 2>("threshold", {.threshold = 20, .edgeitems = 2});
  check<TypeParam, lf::int64, 1>("threshold of a vector", {.threshold = 20});
  check<TypeParam, lf::int64, 1>("threshold that is met", {.threshold = 20});
  check<TypeParam, lf::int8, 2>("one edge item", {.threshold = 20, .edgeitems = 1});
  const lf::array<float, 1, TypeParam> x = lf::arange<float>(9);
  EXPECT_EQ(lf::format(x, {.threshold = 0, .edgeitems = 0}), "[0. ... 8.]") << "at least one is shown";
}
TYPED_TEST(printing, wraps_lines_at_the_width) {
  check<TypeParam, double, 2>("line width", {.linewidth = 30});
  check<TypeParam, lf::int8, 1>("narrow line", {.linewidth = 20});
}
TYPED_TEST(printing, suppresses_exponents_of_small_numbers) {
  check<TypeParam, double, 1>("without suppression", {});
  check<TypeParam, double, 1>("suppression", {.suppress = true});
  check<TypeParam, double, 1>("suppression of tiny numbers", {.suppress = true});
  check<TypeParam, double, 1>("suppression does not hide large numbers", {.suppress = true});
}
TYPED_TEST(printing, in_the_fixed_and_the_scientific_notation) {
  check<TypeParam, double, 2>("fixed", {.precision = 3, .reals = lf::notation::fixed});
  check<TypeParam, double, 1>("fixed, of whole numbers", {.precision = 2, .reals = lf::notation::fixed});
  check<TypeParam, lf::half, 1>("fixed, of halves", {.precision = 5, .reals = lf::notation::fixed});
  check<TypeParam, lf::complex<double>, 1>("fixed, of complex numbers", {.precision = 2, .reals = lf::notation::fixed});
  check<TypeParam, double, 2>("scientific", {.precision = 3, .reals = lf::notation::scientific});
  const lf::array<double, 1, TypeParam> large{1e15, 2};
  EXPECT_EQ(lf::format(large, {.precision = 1, .reals = lf::notation::fixed}),
            "[1000000000000000.0                2.0]");
}
TYPED_TEST(printing, takes_several_options_at_once) {
  check<TypeParam, double, 2>("all together",
                              {.precision = 3, .threshold = 20, .edgeitems = 2, .linewidth = 75, .suppress = true});
}
TYPED_TEST(printing, uses_the_options_of_the_innermost_scope_then_of_the_program) {
  const lf::array<double, 1, TypeParam> x{1.0 / 3, 2};
  EXPECT_EQ(text(x), "[0.33333333 2.        ]");
  lf::use_print_options({.precision = 2});
  EXPECT_EQ(text(x), "[0.33 2.  ]");
  EXPECT_EQ(lf::format(x), "[0.33 2.  ]");
  EXPECT_EQ(lf::format(x, {}), "[0.33333333 2.        ]") << "options that are not named have their defaults";
  {
    const lf::print_scope outer({.precision = 4});
    {
      const lf::print_scope inner({.precision = 1});
      EXPECT_EQ(text(x), "[0.3 2. ]");
    }
    EXPECT_EQ(text(x), "[0.3333 2.    ]");
    std::string of_another_thread;
    std::thread([&] { of_another_thread = text(x); }).join();
    EXPECT_EQ(of_another_thread, "[0.33 2.  ]");
  }
  EXPECT_EQ(lf::current_print_options().precision, 2);
  lf::use_print_options({});
  EXPECT_EQ(text(x), "[0.33333333 2.        ]");
}
TYPED_TEST(printing, evaluates_expressions) {
  const lf::array<std::int32_t, 1, TypeParam> x{1, 2, 3};
  EXPECT_EQ(text(x * 2), "[2 4 6]");
  EXPECT_EQ(text(lf::sum(x)), "6");
  EXPECT_EQ(text(x(lf::range(lf::none, lf::none, -1))), "[3 2 1]");
  EXPECT_EQ(lf::format(lf::cast<double>(x) / 2, {.precision = 1}), "[0.5 1.  1.5]");
}

}  // namespace
