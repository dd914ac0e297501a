// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are broadcast back or reduced again, where it is easy to take one array, axis or element for another.
// What looks like rows and is not must give the same values, in however many kernels.
#include "support/line_reference.hpp"

namespace {

using lf::all, lf::axis, lf::keepdims;
using test::any_numbers, test::positive_numbers, test::real_tensor;

template <class Space>
class rows_values : public test::rows_on<Space> {};
TYPED_TEST_SUITE(rows_values, test::spaces, test::space_name);

TYPED_TEST(rows_values, of_reductions_along_different_axes) {
  const auto t = positive_numbers(1, {6, 6});
  const auto x = this->template array<2>(t);
  const auto columns = test::sum_of(t, {0}), rows = test::sum_of(t, {1});
  this->expect(x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims), t / columns / rows, "columns, then rows");
  this->expect(x - lf::sum(x, axis<1>), t - test::shaped(rows, {6}), "row sums along the columns of a square");
  this->expect(x * lf::sum(x), t * test::shaped(test::sum_of(t, {0, 1}), {}), "all");
  this->expect(x / lf::sum(x, axis<0>) * lf::sum(x), t / columns * test::shaped(test::sum_of(t, {0, 1}), {}),
               "columns and all");
}

TYPED_TEST(rows_values, of_reductions_of_reductions) {
  const auto t = any_numbers(1, {6, 9});
  const auto x = this->template array<2>(t);
  const auto rows = test::sum_of(t, {1});
  const auto most = test::shaped(test::max_of(rows, {0}), {});
  this->expect(lf::max(lf::sum(x, axis<1>)), most, "along the other axis");
  this->expect(x - lf::max(lf::sum(x, axis<1>)), t - most, "along the other axis, broadcast back");
  this->expect(lf::mean(x - lf::mean(x, axis<1>, keepdims), axis<0>),
               test::shaped(test::mean_of(t - test::mean_of(t, {1}), {0}), {9}),
               "of a broadcast, along the other axis");
  const auto twice = test::sum_of(test::exp_of(t - test::max_of(t, {1})), {1});
  const auto e = lf::sum(lf::exp(x - lf::max(x, axis<1>, keepdims)), axis<1>, keepdims);
  this->expect(e, twice, "twice");
  this->expect(lf::max(x / e, axis<1>, keepdims), test::max_of(t / twice, {1}), "thrice");
  this->expect(lf::softmax(lf::softmax(lf::softmax(x))),
               test::softmax_of(test::softmax_of(test::softmax_of(t, {1}), {1}), {1}), "softmax thrice");
}

template <class Space, class A>
void check_extents(A a, const std::vector<int>& axes) {
  for (int mask = 0; mask < 8; ++mask) {
    const auto t = any_numbers(1, {mask & 1 ? 1 : 3, mask & 2 ? 1 : 4, mask & 4 ? 1 : 5});
    const auto x = test::array_from<Space, 3>(t);
    EXPECT_TRUE(test::is_near<float>(lf::softmax(x, a), test::softmax_of(t, axes), test::few)) << test::text(t.shape);
    EXPECT_TRUE(test::is_near<float>(lf::sum(x - lf::mean(x, a, keepdims), a, keepdims),
                                     test::sum_of(t - test::mean_of(t, axes), axes), {16, 64}))
        << test::text(t.shape);
  }
}
TYPED_TEST(rows_values, of_extents_1_in_every_position) {
  check_extents<TypeParam>(axis<0>, {0});
  check_extents<TypeParam>(axis<1>, {1});
  check_extents<TypeParam>(axis<2>, {2});
  check_extents<TypeParam>(axis<0, 2>, {0, 2});
}
TYPED_TEST(rows_values, of_columns_of_one_element) {
  const auto t = any_numbers(1, {1, 5000});
  const real_tensor zeros({1, 5000});
  const auto ones = test::each(zeros, [](double) { return 1.0; });
  const auto x = this->template array<2>(t);
  EXPECT_TRUE(test::is_near<float>(x - lf::mean(x, axis<0>), zeros, {0}));
  EXPECT_TRUE(test::is_near<float>(lf::standardize(x, axis<0>, lf::epsilon{1}), zeros, {0}));
  EXPECT_TRUE(test::is_near<float>(lf::softmax(x, axis<0>), ones, {1}));
  EXPECT_TRUE(test::is_near<float>(lf::logsumexp(x, axis<0>), test::shaped(t, {5000}), {1}));
  const auto above = test::each(t, [](double v) { return v > 0 ? 1.0 : 0.0; });
  const auto b = test::array_from<TypeParam, 2, bool>(above);
  EXPECT_TRUE(test::is_near<bool>(b == lf::any(b, axis<0>), ones, {0}));
  EXPECT_TRUE(test::is_near<bool>(lf::logical_and(b, lf::all(b, axis<0>)), above, {0}));
  this->expect(lf::where(lf::max(b, axis<0>), x, -1),
               test::zip<double>(above, t, [](double m, double v) { return m != 0 ? v : -1; }), "where the largest");
}
TYPED_TEST(rows_values, of_nothing) {
  const auto none_wide = this->template array<2>(real_tensor({5, 0})),
             none_tall = this->template array<2>(real_tensor({0, 5}));
  this->expect(lf::softmax(none_tall), real_tensor({0, 5}), "no rows");
  this->expect(none_wide - lf::sum(none_wide, axis<1>, keepdims), real_tensor({5, 0}), "rows of nothing");
  this->expect(lf::sum(none_wide - lf::mean(none_wide, axis<1>, keepdims), axis<1>), real_tensor({5}),
               "sums of nothing");
  this->expect(none_tall / lf::sum(none_tall, axis<0>), real_tensor({0, 5}), "columns of nothing");
}
TYPED_TEST(rows_values, of_rank_0) {
  const auto x = this->template array<0>(real_tensor({}, {4.0}));
  this->expect(x - lf::mean(x), real_tensor({}, {0.0}), "less its mean");
  this->expect(x / lf::sqrt(lf::sum(x * x)), real_tensor({}, {1.0}), "over its length");
}

TYPED_TEST(rows_values, of_nan_and_infinities_are_ieees) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const real_tensor t({6, 4}, {1, nan, 2, 3, inf, 1, 2, 3, -inf, 1, 2, 3, inf, -inf, 0, 1, inf, inf, 1, 2, 0, 0, 0, 0});
  const auto x = this->template array<2>(t);
  this->expect(x - lf::max(x, axis<1>, keepdims), t - test::max_of(t, {1}), "less the maximum");
  this->expect(x / lf::sum(x, axis<1>, keepdims), t / test::sum_of(t, {1}), "over the sum");
  this->expect(lf::max(x - lf::mean(x, axis<1>, keepdims), axis<1>, keepdims),
               test::max_of(t - test::mean_of(t, {1}), {1}), "the largest distance from the mean");
  this->expect(x - lf::max(x, axis<0>), t - test::max_of(t, {0}), "less the maximum of the column");
}

TYPED_TEST(rows_values, of_complex_numbers_over_their_sums) {
  const lf::array<lf::complex<float>, 2, TypeParam> z{{{1, 1}, {3, -1}}, {{0, 4}, {0, 4}}};  // rows sum up to 4 and 8i
  const auto parts = lf::materialize(z / lf::sum(z, lf::axis<1>, lf::keepdims));
  EXPECT_EQ(parts(0, 0).item(), (lf::complex<float>{0.25f, 0.25f}));
  EXPECT_EQ(parts(0, 1).item(), (lf::complex<float>{0.75f, -0.25f}));
  EXPECT_EQ(parts(1, 1).item(), (lf::complex<float>{0.5f, 0}));
}
TYPED_TEST(rows_values, of_integers_and_bool) {
  const auto t = test::each(any_numbers(1, {5, 33}), [](double v) { return std::floor(v); });
  const auto whole = test::array_from<TypeParam, 2, std::int32_t>(t);
  const auto wide = test::array_from<TypeParam, 2, std::int64_t>(t);
  EXPECT_TRUE(test::is_near<double>(whole - lf::mean(whole, axis<1>, keepdims), t - test::mean_of(t, {1}), test::few));
  EXPECT_TRUE(
      test::is_near<std::int32_t>(whole - lf::max(whole, axis<1>, keepdims), t - test::max_of(t, {1}), test::few));
  EXPECT_TRUE(
      test::is_near<std::int64_t>(whole - lf::sum(whole, axis<1>, keepdims), t - test::sum_of(t, {1}), test::few));
  EXPECT_TRUE(test::is_near<std::int64_t>(wide - lf::sum(wide, axis<0>), t - test::sum_of(t, {0}), test::few));
  const real_tensor u({3, 4}, {-1, -2, 0, -1, 1, -2, 3, -4, 0, 0, 0, 2});
  const auto x = this->template array<2>(u);
  const auto positive = test::max_of(test::each(u, [](double v) { return v > 0 ? 1.0 : 0.0; }), {1});
  this->expect(x * lf::cast<float>(lf::any(x > 0, axis<1>, keepdims)), u * positive, "x * any(x > 0)");
  this->expect(lf::where(lf::any(x > 0, axis<1>, keepdims), x, 7),
               u * positive + test::each(positive, [](double v) { return 7 - 7 * v; }), "where(any(x > 0), x, 7)");
}

TYPED_TEST(rows_values, of_tall_columns_are_as_exact_as_those_of_rows) {
  const auto t = test::each(positive_numbers(1, {40000, 3}), [](double v) { return v + 1; });
  const auto x = this->template array<2>(t);
  EXPECT_TRUE(test::is_near<float>(x - lf::mean(x, axis<0>), t - test::mean_of(t, {0}), {2, 8}));
  EXPECT_TRUE(test::is_near<float>(x / lf::sum(x, axis<0>), t / test::sum_of(t, {0}), {8}));
}

}  // namespace
