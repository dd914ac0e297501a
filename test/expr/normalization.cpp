// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalizations by mean and variance against NumPy's answers in double. Precision is in epsilons of the element type.
#include "support/rows.hpp"

namespace {

template <class Space>
class normalization : public test::on<Space> {};
TYPED_TEST_SUITE(normalization, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("normalization");
  return data;
}
test::tensor<double> want(const std::string& name) { return answers().get<double>(name); }

// The scale is as exact as the root of a variance; the mean is so to the spread of the data, which becomes 1.
constexpr test::precision standard_precision{32, 32};
// Weights go up to 8.
constexpr test::precision weighted_precision{32, 8 * 32};

/// Row r of y as a weight along the axis: its extent is 1 along the others.
template <class Y>
auto weight(const Y& y, int r, lf::axes<-1>) {
  return y(lf::range(r, r + 1), lf::all);
}
template <class Y>
auto weight(const Y& y, int r, lf::axes<0>) {
  return y(lf::all, lf::range(r, r + 1));
}
template <class Y>
auto weight(const Y& y, int r, lf::axes<1>) {  // rows 0 and 1 of 4 lie side by side
  return y(lf::range(0, 1), lf::all, lf::range(r, r + 1));
}

TYPED_TEST(normalization, layer_norm_of_rows_of_every_length_and_layout_is_numpys) {
  const auto f = [](const auto& x, const auto&, auto a) { return lf::layer_norm(x, a); };
  test::check_rows<TypeParam, float, false>(answers(), "layer_norm", f, standard_precision);
  test::check_rows<TypeParam, double, false>(answers(), "layer_norm", f, standard_precision);
}
TYPED_TEST(normalization, layer_norm_with_weight_and_bias_is_numpys) {
  const auto f = [](const auto& x, const auto& y, auto a) {
    return lf::layer_norm(x, a, weight(y, 0, a), weight(y, 1, a));
  };
  test::check_rows<TypeParam, float, true>(answers(), "layer_norm/weighted", f, weighted_precision);
}
TYPED_TEST(normalization, standardize_of_rows_of_every_length_and_layout_is_scipys) {
  const auto f = [](const auto& x, const auto&, auto a) { return lf::standardize(x, a, lf::ddof{1}); };
  test::check_rows<TypeParam, float, false>(answers(), "standardize", f, standard_precision);
}
TYPED_TEST(normalization, written_by_hand_is_the_same) {
  const auto f = [](const auto& x, const auto&, auto a) {
    const auto d = x - lf::mean(x, a, lf::keepdims);
    return d / lf::sqrt(lf::mean(d * d, a, lf::keepdims) + 1e-5);
  };
  test::check_rows<TypeParam, float, false>(answers(), "layer_norm", f, standard_precision);
}
TYPED_TEST(normalization, of_rows_with_infinities_nan_and_huge_numbers_is_numpys) {
  const auto check = [](const char* name, auto f) {
    test::check_special_rows<TypeParam>(answers(), name, f, standard_precision);
  };
  check("layer_norm", [](const auto& x) { return lf::layer_norm(x); });
  check("standardize", [](const auto& x) { return lf::standardize(x, lf::axis<1>); });
}

TYPED_TEST(normalization, of_several_axes_and_of_integers) {
  const auto t = test::between_tensor<float>(5, {3, 4, 5});
  const auto x = test::array_of<TypeParam, 3>(t);
  const auto whole = test::array_of<TypeParam, 3>(test::transform<lf::int32>(t, [](float v) { return v; }));
  const auto w = test::array_of<TypeParam, 2>(test::between_tensor<float>(1, {4, 5}));
  const auto b = test::array_of<TypeParam, 2>(test::between_tensor<float>(2, {4, 5}));
  EXPECT_TRUE(test::is_near<float>(lf::layer_norm(x, lf::axis<1, 2>, w, b, lf::epsilon{1e-3}),
                                   want("layer_norm/axis=1,2"), weighted_precision));
  EXPECT_TRUE(test::is_near<double>(lf::layer_norm(whole), want("layer_norm/int32"), standard_precision));
  EXPECT_TRUE(test::is_near<float>(lf::standardize(x), want("standardize/axis=all"), standard_precision));
}

template <class Space, int R>
void check_batch_norm(const test::extents& shape) {
  const auto x = test::array_of<Space, R>(test::between_tensor<float>(5, shape));
  const auto w = test::array_of<Space, 1>(test::between_tensor<float>(1, {3}));
  const auto b = test::array_of<Space, 1>(test::between_tensor<float>(2, {3}));
  const std::string name = "batch_norm/rank=" + std::to_string(R);
  EXPECT_TRUE(test::is_near<float>(lf::batch_norm(x), want(name), standard_precision));
  EXPECT_TRUE(test::is_near<float>(lf::batch_norm(x, w, b), want(name + "/weighted"), weighted_precision));
}
TYPED_TEST(normalization, batch_norm_standardizes_every_channel) {
  check_batch_norm<TypeParam, 2>({6, 3});
  check_batch_norm<TypeParam, 4>({2, 3, 4, 5});
}

TYPED_TEST(normalization, of_an_expression_is_that_of_its_values) {
  const auto x = test::array_of<TypeParam, 2>(test::between_tensor<float>(3, {4, 50}));
  const lf::array y = x * 2 + 1;
  const auto once = test::tensor_of(lf::layer_norm(y));
  EXPECT_TRUE(test::evaluates_to(lf::layer_norm(x * 2 + 1), once, test::within{8, 1e-6}));
}

TYPED_TEST(normalization, of_nothing_is_nothing) {
  EXPECT_EQ(lf::layer_norm(test::array_of<TypeParam, 2>(test::tensor<float>({3, 0}))).shape(), lf::shape(3, 0));
  const auto none = test::array_of<TypeParam, 2>(test::tensor<float>({0, 3}));
  EXPECT_TRUE(test::evaluates_to(lf::layer_norm(none), test::tensor<float>({0, 3})));
  EXPECT_TRUE(test::evaluates_to(lf::batch_norm(none), test::tensor<float>({0, 3})));
}

TYPED_TEST(normalization, weights_that_do_not_fit_are_refused_by_name) {
  const lf::array<float, 2, TypeParam> x(lf::shape(2, 4));
  const lf::array<float, 1, TypeParam> w(lf::shape(3));
  test::expect_refusal([&] { return lf::layer_norm(x, w); }, "layer_norm: shapes (3,) and (2, 4) do not broadcast");
  test::expect_refusal([&] { return lf::rms_norm(x, w); }, "rms_norm: shapes (3,) and (2, 4) do not broadcast");
  test::expect_refusal([&] { return lf::batch_norm(x, w); }, "batch_norm: shapes (1, 3) and (2, 4) do not broadcast");
}

}  // namespace
