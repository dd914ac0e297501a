// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of two operands, every number type, against NumPy's answers: all pairs of special values among them.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class elementwise_binary : public test::on<Space> {};
TYPED_TEST_SUITE(elementwise_binary, test::device_spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("elementwise");
  return data;
}

template <class Space, class T, class R, class F>
void check(const std::string& operation, F f, const test::within& tolerance = {}, const std::string& inputs = "") {
  const std::string type = test::name_of<T>();
  const auto a = test::array_of<Space, 1>(answers().get<T>(inputs + "a/" + type));
  const auto b = test::array_of<Space, 1>(answers().get<T>(inputs + "b/" + type));
  const std::string answer = (inputs == "edge_" ? inputs : "") + operation + "/" + type;
  EXPECT_TRUE(test::evaluates_to(f(a, b), answers().get<R>(answer), tolerance)) << answer;
}

template <class Space, class F>
void check_reals(const std::string& operation, F f, const test::within& tolerance = {}) {
  check<Space, float, float>(operation, f, tolerance);
  check<Space, double, double>(operation, f, tolerance);
}
template <class Space, class F>
void check_numbers(const std::string& operation, F f, const test::within& tolerance = {}) {
  check_reals<Space>(operation, f, tolerance);
  check<Space, std::int32_t, std::int32_t>(operation, f);
  check<Space, std::int64_t, std::int64_t>(operation, f);
}

TYPED_TEST(elementwise_binary, add_is_numpys) {
  check_numbers<TypeParam>("add", [](const auto& x, const auto& y) { return x + y; });
  check<TypeParam, float, float>("add", [](const auto& x, const auto& y) { return lf::add(x, y); });
}
TYPED_TEST(elementwise_binary, subtract_is_numpys) {
  check_numbers<TypeParam>("subtract", [](const auto& x, const auto& y) { return x - y; });
  check<TypeParam, float, float>("subtract", [](const auto& x, const auto& y) { return lf::subtract(x, y); });
}
TYPED_TEST(elementwise_binary, multiply_is_numpys) {
  check_numbers<TypeParam>("multiply", [](const auto& x, const auto& y) { return x * y; });
  check<TypeParam, float, float>("multiply", [](const auto& x, const auto& y) { return lf::multiply(x, y); });
}
TYPED_TEST(elementwise_binary, divide_is_numpys) {
  check_reals<TypeParam>("divide", [](const auto& x, const auto& y) { return x / y; });
  check<TypeParam, float, float>("divide", [](const auto& x, const auto& y) { return lf::divide(x, y); });
}
TYPED_TEST(elementwise_binary, minimum_propagates_nan) {
  check_numbers<TypeParam>(
      "minimum", [](const auto& x, const auto& y) { return lf::minimum(x, y); }, test::any_zero);
}
TYPED_TEST(elementwise_binary, maximum_propagates_nan) {
  check_numbers<TypeParam>(
      "maximum", [](const auto& x, const auto& y) { return lf::maximum(x, y); }, test::any_zero);
}
TYPED_TEST(elementwise_binary, floor_divide_rounds_towards_minus_infinity) {
  check_numbers<TypeParam>("floor_divide", [](const auto& x, const auto& y) { return lf::floor_divide(x, y); });
}
TYPED_TEST(elementwise_binary, remainder_has_the_sign_of_the_divisor) {
  check_numbers<TypeParam>("remainder", [](const auto& x, const auto& y) { return lf::remainder(x, y); });
}
TYPED_TEST(elementwise_binary, integer_quotients_of_the_extremes_do_not_trap) {
  const auto quotient = [](const auto& x, const auto& y) { return lf::floor_divide(x, y); };
  const auto rest = [](const auto& x, const auto& y) { return lf::remainder(x, y); };
  check<TypeParam, std::int32_t, std::int32_t>("floor_divide", quotient, {}, "edge_");
  check<TypeParam, std::int64_t, std::int64_t>("floor_divide", quotient, {}, "edge_");
  check<TypeParam, std::int32_t, std::int32_t>("remainder", rest, {}, "edge_");
  check<TypeParam, std::int64_t, std::int64_t>("remainder", rest, {}, "edge_");
}
TYPED_TEST(elementwise_binary, pow_is_numpys) {
  const auto power = [](const auto& x, const auto& y) { return lf::pow(x, y); };
  check_reals<TypeParam>("pow", power, test::four_ulps);
  check<TypeParam, std::int32_t, std::int32_t>("pow", power, {}, "pow_");
  check<TypeParam, std::int64_t, std::int64_t>("pow", power, {}, "pow_");
}
TYPED_TEST(elementwise_binary, atan2_is_numpys) {
  const auto angle = [](const auto& y, const auto& x) { return lf::atan2(y, x); };
  check_reals<TypeParam>("atan2", angle, test::four_ulps);
  check<TypeParam, std::int32_t, double>("atan2", angle, test::four_ulps);
  check<TypeParam, std::int64_t, double>("atan2", angle, test::four_ulps);
}

TYPED_TEST(elementwise_binary, in_place_forms_are_the_operators) {
  const auto a = answers().get<double>("a/float64"), b = answers().get<double>("b/float64");
  const auto y = test::array_of<TypeParam, 1>(b);
  auto x = test::array_of<TypeParam, 1>(a);
  x += y;
  EXPECT_TRUE(test::evaluates_to(x, answers().get<double>("add/float64")));
  x = test::array_of<TypeParam, 1>(a);
  x -= y;
  EXPECT_TRUE(test::evaluates_to(x, answers().get<double>("subtract/float64")));
  x = test::array_of<TypeParam, 1>(a);
  x *= y;
  EXPECT_TRUE(test::evaluates_to(x, answers().get<double>("multiply/float64")));
  x = test::array_of<TypeParam, 1>(a);
  x /= y;
  EXPECT_TRUE(test::evaluates_to(x, answers().get<double>("divide/float64")));
}

}  // namespace
