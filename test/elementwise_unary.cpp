// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of one operand, every element type, against NumPy's answers.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class elementwise_unary : public test::on<Space> {};
TYPED_TEST_SUITE(elementwise_unary, test::device_spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("elementwise");
  return data;
}

/// f of x in T against the answer in R.
template <class Space, class T, class R, class F>
void check(const std::string& operation, F f, const test::within& tolerance) {
  const std::string type = test::name_of<T>();
  auto x = answers().get<T>("x/" + type);
  if (operation == "square" && std::is_integral_v<T>)
    for (auto& v : x.values) v = std::abs(v) < 30000 ? v : 7;
  const auto a = test::array_of<Space, 1>(x);
  EXPECT_TRUE(test::evaluates_to(f(a), answers().get<R>(operation + "/" + type), tolerance))
      << operation << " of " << type;
}

/// Integers keep their type.
template <class Space, class F>
void check_numbers(const std::string& operation, F f) {
  check<Space, float, float>(operation, f, {});
  check<Space, double, double>(operation, f, {});
  check<Space, std::int32_t, std::int32_t>(operation, f, {});
  check<Space, std::int64_t, std::int64_t>(operation, f, {});
}

/// Integers are computed in double.
template <class Space, class F>
void check_floating(const std::string& operation, F f, const test::within& tolerance = test::four_ulps) {
  check<Space, float, float>(operation, f, tolerance);
  check<Space, double, double>(operation, f, tolerance);
  check<Space, std::int32_t, double>(operation, f, tolerance);
  check<Space, std::int64_t, double>(operation, f, tolerance);
}

TYPED_TEST(elementwise_unary, negative_is_numpys) {
  check_numbers<TypeParam>("negative", [](const auto& x) { return -x; });
  check<TypeParam, float, float>("negative", [](const auto& x) { return lf::negative(x); }, {});
}
TYPED_TEST(elementwise_unary, abs_is_numpys) {
  check_numbers<TypeParam>("abs", [](const auto& x) { return lf::abs(x); });
}
TYPED_TEST(elementwise_unary, square_is_numpys) {
  check_numbers<TypeParam>("square", [](const auto& x) { return lf::square(x); });
}
TYPED_TEST(elementwise_unary, floor_is_numpys) {
  check_numbers<TypeParam>("floor", [](const auto& x) { return lf::floor(x); });
}
TYPED_TEST(elementwise_unary, sqrt_is_correctly_rounded) {
  check_floating<TypeParam>("sqrt", [](const auto& x) { return lf::sqrt(x); }, {});
}
TYPED_TEST(elementwise_unary, exp_is_numpys) {
  check_floating<TypeParam>("exp", [](const auto& x) { return lf::exp(x); });
}
TYPED_TEST(elementwise_unary, log_is_numpys) {
  check_floating<TypeParam>("log", [](const auto& x) { return lf::log(x); });
}
TYPED_TEST(elementwise_unary, sin_is_numpys) {
  check_floating<TypeParam>("sin", [](const auto& x) { return lf::sin(x); });
}
TYPED_TEST(elementwise_unary, cos_is_numpys) {
  check_floating<TypeParam>("cos", [](const auto& x) { return lf::cos(x); });
}
TYPED_TEST(elementwise_unary, tan_is_numpys) {
  check_floating<TypeParam>("tan", [](const auto& x) { return lf::tan(x); });
}
TYPED_TEST(elementwise_unary, tanh_is_numpys) {
  check_floating<TypeParam>("tanh", [](const auto& x) { return lf::tanh(x); });
}
TYPED_TEST(elementwise_unary, erf_is_that_of_the_c_library) {
  check_floating<TypeParam>("erf", [](const auto& x) { return lf::erf(x); });
}

}  // namespace
