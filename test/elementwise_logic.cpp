// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, truth, choice and conversion, every element type, against NumPy's answers.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class elementwise_logic : public test::on<Space> {};
TYPED_TEST_SUITE(elementwise_logic, test::device_spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("elementwise");
  return data;
}

template <class Space, class T, class F>
void check(const std::string& operation, F f) {
  const std::string type = test::name_of<T>();
  const auto a = test::array_of<Space, 1>(answers().get<T>("a/" + type));
  const auto b = test::array_of<Space, 1>(answers().get<T>("b/" + type));
  EXPECT_TRUE(test::evaluates_to(f(a, b), answers().get<bool>(operation + "/" + type))) << operation << " of " << type;
}

template <class Space, class F>
void check_numbers(const std::string& operation, F f) {
  check<Space, float>(operation, f);
  check<Space, double>(operation, f);
  check<Space, std::int32_t>(operation, f);
  check<Space, std::int64_t>(operation, f);
}

TYPED_TEST(elementwise_logic, equal_is_numpys) {
  check_numbers<TypeParam>("equal", [](const auto& x, const auto& y) { return x == y; });
  check<TypeParam, bool>("equal", [](const auto& x, const auto& y) { return lf::equal(x, y); });
}
TYPED_TEST(elementwise_logic, not_equal_is_numpys) {
  check_numbers<TypeParam>("not_equal", [](const auto& x, const auto& y) { return x != y; });
  check<TypeParam, bool>("not_equal", [](const auto& x, const auto& y) { return lf::not_equal(x, y); });
}
TYPED_TEST(elementwise_logic, less_is_numpys) {
  check_numbers<TypeParam>("less", [](const auto& x, const auto& y) { return x < y; });
  check<TypeParam, float>("less", [](const auto& x, const auto& y) { return lf::less(x, y); });
}
TYPED_TEST(elementwise_logic, less_equal_is_numpys) {
  check_numbers<TypeParam>("less_equal", [](const auto& x, const auto& y) { return x <= y; });
  check<TypeParam, float>("less_equal", [](const auto& x, const auto& y) { return lf::less_equal(x, y); });
}
TYPED_TEST(elementwise_logic, greater_is_numpys) {
  check_numbers<TypeParam>("greater", [](const auto& x, const auto& y) { return x > y; });
  check<TypeParam, float>("greater", [](const auto& x, const auto& y) { return lf::greater(x, y); });
}
TYPED_TEST(elementwise_logic, greater_equal_is_numpys) {
  check_numbers<TypeParam>("greater_equal", [](const auto& x, const auto& y) { return x >= y; });
  check<TypeParam, float>("greater_equal", [](const auto& x, const auto& y) { return lf::greater_equal(x, y); });
}
TYPED_TEST(elementwise_logic, truth_tables_are_numpys) {
  check<TypeParam, bool>("logical_and", [](const auto& x, const auto& y) { return lf::logical_and(x, y); });
  check<TypeParam, bool>("logical_or", [](const auto& x, const auto& y) { return lf::logical_or(x, y); });
  check<TypeParam, bool>("logical_not", [](const auto& x, const auto&) { return lf::logical_not(x); });
}

template <class Space, class T>
void check_where() {
  const std::string type = test::name_of<T>();
  const auto a = answers().get<T>("a/" + type), b = answers().get<T>("b/" + type);
  auto condition = test::tensor<bool>(a.shape);
  for (std::size_t n = 0; n < condition.values.size(); ++n)
    condition.values[n] = std::is_same_v<T, bool> ? n == 0 || n == 3 : n % 3 == 0;
  const auto e =
      lf::where(test::array_of<Space, 1>(condition), test::array_of<Space, 1>(a), test::array_of<Space, 1>(b));
  EXPECT_TRUE(test::evaluates_to(e, answers().get<T>("where/" + type))) << type;
}
TYPED_TEST(elementwise_logic, where_chooses_and_keeps_the_bits) {
  check_where<TypeParam, bool>();
  check_where<TypeParam, std::int32_t>();
  check_where<TypeParam, std::int64_t>();
  check_where<TypeParam, float>();
  check_where<TypeParam, double>();
}

template <class Space, class From, class To>
void check_cast() {
  const std::string from = test::name_of<From>(), to = test::name_of<To>();
  const auto x = test::array_of<Space, 1>(answers().get<From>("cast_from/" + from));
  EXPECT_TRUE(test::evaluates_to(lf::cast<To>(x), answers().get<To>("cast/" + from + "/" + to)))
      << from << " to " << to;
}
template <class Space, class From>
void check_casts() {
  check_cast<Space, From, bool>();
  check_cast<Space, From, std::int32_t>();
  check_cast<Space, From, std::int64_t>();
  check_cast<Space, From, float>();
  check_cast<Space, From, double>();
}
TYPED_TEST(elementwise_logic, casts_truncate_round_and_test_as_numpys) {
  check_casts<TypeParam, bool>();
  check_casts<TypeParam, std::int32_t>();
  check_casts<TypeParam, std::int64_t>();
  check_casts<TypeParam, float>();
  check_casts<TypeParam, double>();
}
TYPED_TEST(elementwise_logic, casts_carry_nan_infinity_and_minus_zero) {
  const auto x = test::array_of<TypeParam, 1>(answers().get<float>("cast_special/float32"));
  EXPECT_TRUE(test::evaluates_to(lf::cast<double>(x), answers().get<double>("cast_special/float32/float64")));
  EXPECT_TRUE(test::evaluates_to(lf::cast<bool>(x), answers().get<bool>("cast_special/float32/bool")));
}
TYPED_TEST(elementwise_logic, casts_to_integers_saturate_the_same_everywhere) {
  const test::tensor<float> x(
      {7}, {3e9f, -3e9f, 1e30f, -1e30f, HUGE_VALF, -HUGE_VALF, std::numeric_limits<float>::quiet_NaN()});
  const auto a = test::array_of<TypeParam, 1>(x);
  constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min(),
                         high = std::numeric_limits<std::int32_t>::max();
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int32_t>(a),
                                 test::tensor<std::int32_t>({7}, {high, low, high, low, high, low, 0})));
  constexpr std::int64_t low64 = std::numeric_limits<std::int64_t>::min(),
                         high64 = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(
      test::evaluates_to(lf::cast<std::int64_t>(a),
                         test::tensor<std::int64_t>({7}, {3000000000, -3000000000, high64, low64, high64, low64, 0})));
}

}  // namespace
