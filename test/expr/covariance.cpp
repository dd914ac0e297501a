// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Covariance and correlation against NumPy's answers in double. Precision is in epsilons of the element type.
#include "support/rows.hpp"

namespace {

template <class Space>
class covariance : public test::on<Space> {};
TYPED_TEST_SUITE(covariance, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("statistics");
  return data;
}
test::tensor<double> want(const std::string& name) { return answers().get<double>(name); }

// The terms cancel: relative to the spread of the data, which is about 20, or 1 for the correlation.
constexpr test::precision covariance_precision{16, 16 * 20};
constexpr test::precision correlation_precision{16, 16};

TYPED_TEST(covariance, of_two_operands_along_an_axis_is_beside_the_diagonal_of_numpys) {
  const auto f = [](const auto& x, const auto& y, auto a) { return lf::cov(x, y, a); };
  test::check_rows<TypeParam, float, true>(answers(), "cov", f, covariance_precision);
  test::check_rows<TypeParam, double, false>(answers(), "cov", f, covariance_precision);
}
TYPED_TEST(covariance, correlation_along_an_axis_is_numpys) {
  const auto f = [](const auto& x, const auto& y, auto a) { return lf::corrcoef(x, y, a); };
  test::check_rows<TypeParam, float, false>(answers(), "corrcoef", f, correlation_precision);
}
TYPED_TEST(covariance, matrix_of_variables_in_rows_is_numpys) {
  const auto x = test::array_of<TypeParam, 2>(test::between_tensor<double>(0, {5, 40}));
  EXPECT_TRUE(test::is_near<double>(lf::cov(x), want("cov/matrix"), covariance_precision));
  EXPECT_TRUE(test::is_near<double>(lf::cov(x, lf::ddof{0}), want("cov/matrix/ddof=0"), covariance_precision));
  EXPECT_TRUE(test::is_near<double>(lf::cov(lf::transpose(x).T(), lf::ddof{0}), want("cov/matrix/ddof=0"),
                                    covariance_precision));
}
TYPED_TEST(covariance, of_one_operand_with_itself_is_its_variance) {
  const auto x = test::array_of<TypeParam, 2>(test::between_tensor<float>(0, {5, 40}));
  const auto variance = test::tensor_of(lf::var(x, lf::axis<1>, lf::ddof{1}));
  EXPECT_TRUE(test::evaluates_to(lf::cov(x, x, lf::axis<1>), variance, test::within{16}));
}
TYPED_TEST(covariance, operands_are_broadcast_or_refused_by_name) {
  const auto x = test::array_of<TypeParam, 2>(test::between_tensor<float>(0, {5, 40}));
  const lf::array row = x(0);
  const lf::array rows = lf::broadcast_to(row, {5, 40});
  EXPECT_TRUE(test::evaluates_to(lf::cov(x, row, lf::axis<1>), test::tensor_of(lf::cov(x, rows, lf::axis<1>))));
  try {
    (void)lf::cov(x, x(lf::all, lf::range(1, lf::end)));
    FAIL() << "shapes that do not broadcast were taken";
  } catch (const lf::shape_error& e) {
    EXPECT_NE(std::string(e.what()).find("cov: shapes (5, 40) and (5, 39)"), std::string::npos) << e.what();
  }
}

}  // namespace
