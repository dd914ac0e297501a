// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion from every element type to every other, against NumPy's answers where it has one.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class casts : public test::on<Space> {};
TYPED_TEST_SUITE(casts, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("casts");
  return data;
}

template <class Space, class From, class To>
void check_cast() {
  const std::string from = test::name_of<From>();
  const auto x = test::array_of<Space, 1>(answers().get<From>("x/" + from));
  EXPECT_TRUE(test::agrees(lf::cast<To>(x), answers(), from + "/" + test::name_of<To>()));
}
template <class Space, class From>
void check_casts() {
  check_cast<Space, From, bool>();
  check_cast<Space, From, std::int32_t>();
  check_cast<Space, From, std::int64_t>();
  check_cast<Space, From, float>();
  check_cast<Space, From, double>();
}
TYPED_TEST(casts, truncate_round_and_test_as_numpys) {
  check_casts<TypeParam, bool>();
  check_casts<TypeParam, std::int32_t>();
  check_casts<TypeParam, std::int64_t>();
  check_casts<TypeParam, float>();
  check_casts<TypeParam, double>();
}
TYPED_TEST(casts, carry_nan_infinity_and_minus_zero) {
  const auto x = test::array_of<TypeParam, 1>(answers().get<float>("special/float32"));
  EXPECT_TRUE(test::agrees(lf::cast<double>(x), answers(), "special/float32/float64"));
  EXPECT_TRUE(test::agrees(lf::cast<bool>(x), answers(), "special/float32/bool"));
}
TYPED_TEST(casts, to_integers_saturate_the_same_everywhere) {
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
