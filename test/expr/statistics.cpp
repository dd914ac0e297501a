// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variances and standard deviations against NumPy's answers in double. Precision is in epsilons of the element
// type.
#include "support/rows.hpp"

namespace {

template <class Space>
class statistics : public test::on<Space> {};
TYPED_TEST_SUITE(statistics, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("statistics");
  return data;
}
test::tensor<double> want(const std::string& name) { return answers().get<double>(name); }

// A lane adds a thousand squares one after the other, each of which is rounded.
constexpr test::precision variance_precision{64};

const auto var_of = [](const auto& x, const auto&, auto a) { return lf::var(x, a); };

TYPED_TEST(statistics, var_of_rows_of_every_length_and_layout_is_numpys) {
  test::check_rows<TypeParam, float, true>(answers(), "var", var_of, variance_precision);
  test::check_rows<TypeParam, double, false>(answers(), "var", var_of, variance_precision);
}
TYPED_TEST(statistics, std_of_rows_of_every_length_and_layout_is_numpys) {
  const auto f = [](const auto& x, const auto&, auto a) { return lf::std(x, a, lf::ddof{1}); };
  test::check_rows<TypeParam, float, false>(answers(), "std", f, variance_precision);
}
TYPED_TEST(statistics, var_of_a_small_spread_around_a_large_mean_loses_nothing) {
  // Their mean in float is off by up to a five-hundredth, and so are NumPy's deviations in float32.
  const auto far = [](std::uint32_t stream, std::int64_t i) { return test::between(stream, i) + 32768; };
  test::check_rows<TypeParam, float, false>(answers(), "far", var_of, variance_precision, far);
}
TYPED_TEST(statistics, var_survives_a_first_element_far_from_the_others) {
  for (const std::int64_t n : {33, 1000, 12345, 262144}) {
    const std::int64_t rows = n < 20000 ? 4 : 2;
    test::tensor<float> t({rows, n});
    for (std::int64_t i = 0; i < rows * n; ++i)
      t.values[static_cast<std::size_t>(i)] = static_cast<float>(test::between(0, i) + (i % n == 0 ? 1e6 : 0));
    const auto x = test::array_of<TypeParam, 2>(t);
    EXPECT_TRUE(
        test::is_near<float>(lf::var(x, lf::axis<1>), want("outlier/" + std::to_string(n)), variance_precision));
  }
}
TYPED_TEST(statistics, of_rows_with_infinities_nan_and_huge_numbers_are_numpys) {
  test::check_special_rows<TypeParam>(
      answers(), "var", [](const auto& x) { return lf::var(x, lf::axis<1>); }, variance_precision);
  test::check_special_rows<TypeParam>(
      answers(), "std", [](const auto& x) { return lf::std(x, lf::axis<1>, lf::ddof{1}); }, variance_precision);
}

template <class T, int... A, class X>
void check_axes(const X& x, const std::string& axes) {
  const auto named = [&](const std::string& name) { return want(name + "/axis=" + axes); };
  EXPECT_TRUE(test::is_near<T>(lf::var(x, lf::axis<A...>), named(std::string("var/") + test::name_of<T>()),
                               variance_precision));
  EXPECT_TRUE(test::is_near<T>(lf::var(x, lf::axis<A...>, lf::ddof{2}), named("var/ddof=2"), variance_precision));
  EXPECT_TRUE(test::is_near<T>(lf::std(x, lf::keepdims, lf::axis<A...>), named("std/keepdims"), variance_precision));
}
TYPED_TEST(statistics, over_every_subset_of_axes_with_ddof_and_keepdims) {
  const auto x = test::array_of<TypeParam, 3>(test::between_tensor<float>(5, {3, 4, 5}));
  check_axes<float>(x, "all");
  check_axes<float, 0>(x, "0");
  check_axes<float, 1>(x, "1");
  check_axes<float, -1>(x, "2");
  check_axes<float, 0, 1>(x, "0,1");
  check_axes<float, 0, -1>(x, "0,2");
  check_axes<float, 2, 1>(x, "1,2");
  check_axes<float, 0, 1, 2>(x, "0,1,2");
}
TYPED_TEST(statistics, of_integers_and_bool_are_in_double) {
  const auto check = [](auto element) {
    using T = decltype(element);
    const std::string name = test::name_of<T>();
    const auto x = test::array_of<TypeParam, 3>(answers().get<T>("x/" + name));
    EXPECT_TRUE(test::is_near<double>(lf::var(x, lf::axis<1>), want("var/" + name), variance_precision));
  };
  check(bool{});
  check(lf::int32{});
  check(lf::int64{});
}
TYPED_TEST(statistics, fewer_elements_than_ddof_give_nan_or_infinity) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<double>({2, 4}, {1, 2, 4, 8, 3, 3, 3, 3}));
  for (int k = 0; k <= 5; ++k)
    EXPECT_TRUE(test::is_near<double>(lf::var(x, lf::axis<1>, lf::ddof{k}), want("ddof/" + std::to_string(k)),
                                      variance_precision));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto none = test::array_of<TypeParam, 2>(test::tensor<double>({2, 0}));
  EXPECT_TRUE(test::is_near<double>(lf::var(none, lf::axis<1>), test::tensor<double>({2}, {nan, nan}), {0}));
  EXPECT_TRUE(test::is_near<double>(lf::var(none, lf::axis<0>), test::tensor<double>({0}), {0}));
  EXPECT_TRUE(test::is_near<double>(lf::var(none), test::tensor<double>({}, {nan}), {0}));
  const auto one = test::array_of<TypeParam, 0>(test::tensor<double>({}, {7}));
  EXPECT_TRUE(test::is_near<double>(lf::var(one), test::tensor<double>({}, {0}), {0}));
}
TYPED_TEST(statistics, var_of_an_expression_is_one_kernel) {
  const auto x = test::array_of<TypeParam, 2>(test::between_tensor<float>(5, {3, 40}));
  const auto spread = lf::var(x * 2 + 1, lf::axis<1>);
  EXPECT_NE(lf::explain(spread).find("1 kernel,"), std::string::npos) << lf::explain(spread);
  EXPECT_TRUE(test::evaluates_to(spread, test::tensor_of(4 * lf::var(x, lf::axis<1>)), test::within{16}));
}

}  // namespace
