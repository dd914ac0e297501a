// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// softmax, its logarithm and logsumexp against SciPy's answers in double. Precision is in epsilons of the element type.
#include "support/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

template <class Space>
class softmax : public test::on<Space> {};
TYPED_TEST_SUITE(softmax, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("softmax");
  return data;
}

// exp is good to 4 ulp, the sum adds some, the product with the reciprocal one.
constexpr test::precision softmax_precision{16};
// Logarithms of up to a million, and the elements' own 16.
constexpr test::precision log_precision{4, 16};

const auto softmax_of = [](const auto& x, const auto&, auto a) { return lf::softmax(x, a); };
const auto log_softmax_of = [](const auto& x, const auto&, auto a) { return lf::log_softmax(x, a); };
const auto logsumexp_of = [](const auto& x, const auto&, auto a) { return lf::logsumexp(x, a); };

TYPED_TEST(softmax, of_rows_of_every_length_and_layout_is_scipys) {
  test::check_rows<TypeParam, float, true>(answers(), "softmax", softmax_of, softmax_precision);
  test::check_rows<TypeParam, double, false>(answers(), "softmax", softmax_of, softmax_precision);
}
TYPED_TEST(softmax, written_by_hand_is_the_same) {
  const auto by_hand = [](const auto& x, const auto&, auto a) {
    const auto e = lf::exp(x - lf::max(x, a, lf::keepdims));
    return e / lf::sum(e, a, lf::keepdims);
  };
  test::check_rows<TypeParam, float, false>(answers(), "softmax", by_hand, softmax_precision);
}
TYPED_TEST(softmax, logarithm_of_rows_of_every_length_and_layout_is_scipys) {
  test::check_rows<TypeParam, float, false>(answers(), "log_softmax", log_softmax_of, log_precision);
  test::check_rows<TypeParam, double, false>(answers(), "log_softmax", log_softmax_of, log_precision);
}
TYPED_TEST(softmax, logsumexp_of_rows_of_every_length_and_layout_is_scipys) {
  test::check_rows<TypeParam, float, true>(answers(), "logsumexp", logsumexp_of, log_precision);
  test::check_rows<TypeParam, double, false>(answers(), "logsumexp", logsumexp_of, log_precision);
}

TYPED_TEST(softmax, of_rows_with_infinities_nan_and_huge_numbers_is_scipys) {
  const auto check = [](const char* name, auto f) {
    const auto along_last = [&](const auto& x) { return f(x, x, lf::axis<-1>); };
    test::check_special_rows<TypeParam>(answers(), name, along_last, {16, 16});
  };
  check("softmax", softmax_of);
  check("log_softmax", log_softmax_of);
  check("logsumexp", logsumexp_of);
}

TYPED_TEST(softmax, of_several_axes_and_of_integers) {
  const auto t = test::between_tensor<float>(5, {3, 4, 5});
  const auto x = test::array_of<TypeParam, 3>(t);
  const auto whole = test::array_of<TypeParam, 3>(test::transform<lf::int32>(t, [](float v) { return v; }));
  const auto want = [](const std::string& name) { return answers().get<double>(name); };
  EXPECT_TRUE(test::is_near<float>(lf::softmax(x, lf::axis<0, 2>), want("softmax/axis=0,2"), softmax_precision));
  EXPECT_TRUE(test::is_near<float>(lf::log_softmax(x, lf::axis<0, 2>), want("log_softmax/axis=0,2"), log_precision));
  EXPECT_TRUE(test::is_near<float>(lf::logsumexp(x, lf::axis<0, 2>), want("logsumexp/axis=0,2"), log_precision));
  EXPECT_TRUE(test::is_near<float>(lf::logsumexp(x, lf::keepdims, lf::axis<1>), want("logsumexp/axis=1/keepdims"),
                                   log_precision));
  EXPECT_TRUE(test::is_near<float>(lf::logsumexp(x), want("logsumexp/axis=all"), log_precision));
  EXPECT_TRUE(test::is_near<double>(lf::softmax(whole), want("softmax/int32"), softmax_precision));
  EXPECT_TRUE(test::is_near<double>(lf::logsumexp(whole, lf::axis<-1>), want("logsumexp/int32"), log_precision));
}

TYPED_TEST(softmax, of_an_expression_is_that_of_its_values) {
  const auto x = test::array_of<TypeParam, 2>(test::between_tensor<float>(3, {4, 50}));
  const lf::array y = x * 2 + 1;
  EXPECT_TRUE(test::evaluates_to(lf::softmax(x * 2 + 1), test::tensor_of(lf::softmax(y)), test::four_ulps));
}

/// softmax of x plus a mask of 0 and -infinity, by loops in double; rows of the last axis.
TYPED_TEST(softmax, beside_masks_of_every_form_is_that_of_what_they_leave) {
  const float inf = std::numeric_limits<float>::infinity();
  const test::extents shape{2, 3, 5, 37};
  const auto t = test::between_tensor<float>(11, shape);
  const auto x = test::array_of<TypeParam, 4>(t);
  const auto masked = [](const test::extents& i) { return (i[3] * 7 + i[2] + i[1] + i[0]) % 5 < 2; };
  for (int form = 0; form < 16; ++form) {
    const auto axis_of = [&](const test::extents& i) {
      test::extents at(4);
      for (std::size_t k = 0; k < 4; ++k) at[k] = ((form >> k) & 1) != 0 ? i[k] : 0;
      return at;
    };
    test::extents mask_shape(4);
    for (std::size_t k = 0; k < 4; ++k) mask_shape[k] = ((form >> k) & 1) != 0 ? shape[k] : 1;
    const auto m = test::array_of<TypeParam, 4>(
        test::generate<float>(mask_shape, [&](const test::extents& i) { return masked(i) ? -inf : 0.5F; }));
    const auto want = test::generate<double>(shape, [&](const test::extents& i) {
      double largest = -inf, sum = 0;
      test::extents j = i;
      const auto at = [&] { return double(t[j]) + (masked(axis_of(j)) ? -double(inf) : 0.5); };
      for (j[3] = 0; j[3] < shape[3]; ++j[3]) largest = std::max(largest, at());
      for (j[3] = 0; j[3] < shape[3]; ++j[3]) sum += std::exp(at() - largest);
      j[3] = i[3];
      return std::exp(at() - largest) / sum;
    });
    SCOPED_TRACE(form);
    EXPECT_TRUE(test::is_near<float>(lf::softmax(x + m), want, {16, 16}));
    EXPECT_TRUE(test::is_near<float>(lf::softmax(lf::where(m < 0, -inf, x)), want, {16, 16}));
  }
}

TYPED_TEST(softmax, of_nothing_is_nothing_but_rows_without_elements_are_an_error) {
  const auto none = test::array_of<TypeParam, 2>(test::tensor<float>({0, 3}));
  EXPECT_TRUE(test::evaluates_to(lf::softmax(none), test::tensor<float>({0, 3})));
  EXPECT_TRUE(test::evaluates_to(lf::logsumexp(none, lf::axis<1>), test::tensor<float>({0})));
  const auto empty_rows = test::array_of<TypeParam, 2>(test::tensor<float>({3, 0}));
  EXPECT_THROW(lf::softmax(empty_rows), lf::shape_error);
  EXPECT_THROW(lf::logsumexp(empty_rows, lf::axis<1>), lf::shape_error);
}

}  // namespace
