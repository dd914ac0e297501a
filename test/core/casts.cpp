// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion from every element type to every other, against NumPy's answers where it has one.
#include "support/arrays.hpp"
#include "support/gather.hpp"
#include "support/reference_data.hpp"
#include "support/registry.hpp"

#include <utility>

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
template <class Space, class From, class... To>
void check_every_cast(lf::list<To...>) {
  const std::string from = test::name_of<From>();
  const auto x = test::array_of<Space, 1>(answers().get<From>("every/x/" + from));
  const auto together = lf::to<lf::host>(lf::materialize(lf::map(test::gather{}, lf::cast<To>(x)...)));
  const auto check = [&]<class T, int I>(lf::list<T>, lf::index_sequence<I>) {
    test::tensor<T> got{{x.size()}};
    for (std::size_t i = 0; i < got.values.size(); ++i)
      got.values[i] = static_cast<test::stored<T>>(lf::get<I>(std::as_const(together).data()[i]));
    EXPECT_TRUE(test::same(got, answers().get<T>("every/" + from + "/" + test::name_of<T>()))) << from;
  };
  [&]<int... I>(lf::index_sequence<I...>) { (check(lf::list<To>{}, lf::index_sequence<I>{}), ...); }
  (lf::make_index_sequence<sizeof...(To)>{});
}
TYPED_TEST(casts, of_every_type_to_every_other_are_numpys) {
  test::for_each_type(test::every_element_type{}, [&](auto t) {
    using from = typename decltype(t)::value_type;
    if constexpr (lf::complex_number<from>)
      check_every_cast<TypeParam, from>(lf::concat_t<lf::list<bool>, test::complex_types>{});
    else check_every_cast<TypeParam, from>(test::every_element_type{});
  });
}
TYPED_TEST(casts, from_double_to_half_round_once) {
  const auto x = test::array_of<TypeParam, 1>(answers().get<double>("halves"));
  EXPECT_TRUE(test::agrees(lf::cast<lf::half>(x), answers(), "halves/float16"));
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
