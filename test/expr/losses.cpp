// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Similarity, cross entropy and divergence against NumPy's answers in double. Precision is in epsilons of the element
// type.
#include "support/rows.hpp"

namespace {

template <class Space>
class losses : public test::on<Space> {};
TYPED_TEST_SUITE(losses, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("losses");
  return data;
}

// Terms of both signs up to 1.
constexpr test::precision similarity_precision{16, 16};
// Logarithms of up to a million, and the elements' own 16.
constexpr test::precision log_precision{16, 16};
// Terms of both signs, whose sum is a tenth of that of their absolute values.
constexpr test::precision divergence_precision{160, 4};

/// The classes of the rows of x: integers in its shape without the axis.
template <class X, int A>
auto classes_of(const X& x, lf::axes<A>) {
  constexpr int axis = A < 0 ? 1 : A;
  lf::array<lf::int64, 1, lf::host> t(lf::shape(x.shape().size() / x.shape()[axis]));
  for (lf::index_t r = 0; r < t.size(); ++r) t.data()[r] = test::grid(7, r) % x.shape()[axis];
  return lf::to<typename X::space>(t);
}

TYPED_TEST(losses, cosine_similarity_of_rows_of_every_length_and_layout_is_numpys) {
  const auto f = [](const auto& x, const auto& y, auto a) { return lf::cosine_similarity(x, y, a); };
  test::check_rows<TypeParam, float, true>(answers(), "cosine_similarity", f, similarity_precision);
  test::check_rows<TypeParam, double, false>(answers(), "cosine_similarity", f, similarity_precision);
}
TYPED_TEST(losses, cross_entropy_with_probabilities_is_numpys) {
  const auto f = [](const auto& x, const auto& p, auto a) { return lf::cross_entropy(x, p, a); };
  test::check_rows<TypeParam, float, false>(answers(), "cross_entropy", f, log_precision, test::between,
                                            test::positive);
  test::check_rows<TypeParam, double, false>(answers(), "cross_entropy", f, log_precision, test::between,
                                             test::positive);
}
TYPED_TEST(losses, cross_entropy_with_classes_is_numpys) {
  const auto f = [](const auto& x, const auto&, auto a) { return lf::cross_entropy(x, classes_of(x, a), a); };
  test::check_rows<TypeParam, float, false>(answers(), "cross_entropy/classes", f, log_precision);
  test::check_rows<TypeParam, double, false>(answers(), "cross_entropy/classes", f, log_precision);
}
TYPED_TEST(losses, kl_div_of_rows_of_every_length_and_layout_is_scipys) {
  const auto f = [](const auto& p, const auto& q, auto a) { return lf::kl_div(p, q, a); };
  test::check_rows<TypeParam, float, false>(answers(), "kl_div", f, divergence_precision, test::positive,
                                            test::positive);
}
TYPED_TEST(losses, rel_entr_at_zero_and_beyond_is_scipys) {
  const auto p = test::array_of<TypeParam, 1>(answers().get<double>("rel_entr/p"));
  const auto q = test::array_of<TypeParam, 1>(answers().get<double>("rel_entr/q"));
  EXPECT_TRUE(test::is_near<double>(lf::rel_entr(p, q), answers().get<double>("rel_entr"), {8}));
}

TYPED_TEST(losses, similarity_of_a_zero_vector_is_zero_and_operands_are_broadcast) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 2}, {0, 0, 3, 4, -3, 4}));
  const auto y = test::array_of<TypeParam, 1>(test::tensor<float>({2}, {4, 3}));
  EXPECT_TRUE(test::is_near<float>(lf::cosine_similarity(x, y), test::tensor<double>({3}, {0, 0.96, 0}), {4, 4}));
}
TYPED_TEST(losses, a_class_out_of_range_costs_nothing_and_masked_classes_are_free) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 2}, {1, 1, 5, -inf, 1e30F, -1e30F}));
  const auto t = test::array_of<TypeParam, 1>(test::tensor<lf::int32>({3}, {-100, 0, 1}));
  EXPECT_TRUE(test::is_near<float>(lf::cross_entropy(x, t), test::tensor<double>({3}, {0, 0, 2e30}), {4}));
  const auto p = test::array_of<TypeParam, 2>(test::tensor<float>({3, 2}, {0.5, 0.5, 1, 0, 1, 0}));
  const auto want = test::tensor<double>({3}, {0.69314718055994531, 0, 0});
  EXPECT_TRUE(test::is_near<float>(lf::cross_entropy(x, p), want, {4}));
}

TYPED_TEST(losses, a_class_of_probability_zero_costs_infinity_and_nan_spreads_over_its_row_alone) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = test::array_of<TypeParam, 2>(
      test::tensor<float>({5, 3}, {0, 0, -inf, -0.0F, -0.0F, -inf, nan, 1, 2, 1, nan, 2, -2, -2, -inf}));
  const auto t = test::array_of<TypeParam, 1>(test::tensor<lf::int64>({5}, {2, 1, 0, 2, 0}));
  const double log_2 = 0.69314718055994531;
  EXPECT_TRUE(
      test::is_near<float>(lf::cross_entropy(x, t), test::tensor<double>({5}, {inf, log_2, nan, nan, log_2}), {4}));
}

TYPED_TEST(losses, targets_that_do_not_fit_are_refused_by_name) {
  const lf::array<float, 2, TypeParam> x(lf::shape(2, 4)), p(lf::shape(2, 3));
  const lf::array<lf::int64, 1, TypeParam> t(lf::shape(3));
  test::expect_refusal([&] { return lf::cross_entropy(x, t); }, "cross_entropy: shapes (2, 4) and (3,)");
  test::expect_refusal([&] { return lf::cross_entropy(x, p); },
                       "cross_entropy: shapes (2, 3) and (2, 4) do not broadcast");
  test::expect_refusal([&] { return lf::cosine_similarity(x, p); }, "cosine_similarity: shapes (2, 4) and (2, 3)");
}

}  // namespace
