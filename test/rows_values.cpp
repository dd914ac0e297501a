// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are broadcast back or reduced again, where it is easy to take one array, axis or element for another.
// What looks like rows and is not must give the same values, in however many kernels.
#include "support/line_reference.hpp"

namespace {

using lf::all;
using lf::axis;
using lf::keepdims;
using lf::none;
using lf::range;
using test::any_numbers;
using test::positive_numbers;
using test::real_tensor;

constexpr test::precision few{16, 16};

template <class Space>
class rows_values : public test::on<Space> {
 protected:
  template <int R>
  static auto array(const real_tensor& t) {
    return test::array_from<Space, R>(t);
  }
  template <class E>
  static void expect(const E& e, const real_tensor& want, const char* what) {
    EXPECT_TRUE(test::is_near<float>(e, want, few)) << what;
  }
};
TYPED_TEST_SUITE(rows_values, test::device_spaces, test::space_name);

TYPED_TEST(rows_values, of_a_slice_of_a_reduction) {
  const auto t = any_numbers(1, {7, 5}), top = test::slice(t, {{0, 1, 3}, {0, 1, 5}}), mean = test::mean_of(t, {1}),
             last = test::slice(mean, {{4, 1, 3}, {0, 1, 1}});
  const auto x = this->template array<2>(t);
  this->expect(x(range(0, 3), all) - lf::mean(x, axis<1>, keepdims)(range(4, none), all), top - last, "other rows");
  this->expect(x - lf::mean(x, axis<1>, keepdims)(range(2, 3), all), t - test::slice(mean, {{2, 1, 1}, {0, 1, 1}}),
               "one row's");
  this->expect(x - lf::mean(x, axis<1>, keepdims)(range(none, none, -1), all),
               t - test::slice(mean, {{6, -1, 7}, {0, 1, 1}}), "backwards");
}

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
    EXPECT_TRUE(test::is_near<float>(lf::softmax(x, a), test::softmax_of(t, axes), few)) << test::text(t.shape);
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
TYPED_TEST(rows_values, of_an_operand_repeated_along_the_row) {
  const auto t = any_numbers(1, {4, 1}), u = any_numbers(2, {1, 5});
  const auto x = this->template array<2>(t), y = this->template array<2>(u);
  this->expect(lf::softmax(x + y), test::softmax_of(t + u, {1}), "a column and a row");
  this->expect(x + y - lf::mean(y, axis<1>, keepdims), t + u - test::mean_of(u, {1}), "the mean of the smaller");
}

TYPED_TEST(rows_values, of_operands_of_other_extents_than_what_is_reduced) {
  const auto t = any_numbers(1, {3, 9}), u = any_numbers(2, {3, 4}), v = any_numbers(3, {7});
  const auto x = this->template array<2>(t), y = this->template array<2>(u);
  const auto z = this->template array<1>(v);
  this->expect(y / lf::sqrt(lf::sum(x * x, axis<1>, keepdims)), u / test::norm_of(t, {1}), "longer rows");
  this->expect(z / lf::sqrt(lf::sum(x * x)), v / test::shaped(test::norm_of(t, {0, 1}), {}), "another rank");
  const auto w = this->template array<1>(any_numbers(4, {5}));
  this->expect(z / lf::sqrt(lf::sum(w * w)), v / test::norm_of(any_numbers(4, {5}), {0}), "another length");
}

TYPED_TEST(rows_values, of_transposed_operands_of_a_square) {
  const auto t = positive_numbers(1, {8, 8}), turned = test::permute(t, {1, 0});
  const auto x = this->template array<2>(t);
  const auto columns = test::shaped(test::sum_of(t, {0}), {8, 1});
  this->expect(x / lf::sum(lf::transpose(x), axis<1>, keepdims), t / columns, "sums of the transpose");
  this->expect(lf::transpose(x) - lf::mean(x, axis<1>, keepdims), turned - test::mean_of(t, {1}),
               "the transpose less means");
  this->expect(x - lf::transpose(lf::mean(x, axis<1>, keepdims)), t - test::permute(test::mean_of(t, {1}), {1, 0}),
               "means turned");
  this->expect(x + lf::transpose(lf::softmax(x)), t + test::permute(test::softmax_of(t, {1}), {1, 0}),
               "softmax turned");
}

TYPED_TEST(rows_values, of_different_arrays_of_one_type) {
  const auto t = positive_numbers(1, {6, 40}), u = positive_numbers(2, {6, 40}), v = positive_numbers(3, {6, 40});
  const auto x = this->template array<2>(t), y = this->template array<2>(u), z = this->template array<2>(v);
  const auto relative = test::zip<double>(t, u, [](double p, double q) { return p * std::log(p / q); });
  this->expect(lf::kl_div(x, y), test::shaped(test::sum_of(relative, {1}), {6}), "kl_div");
  this->expect(x / lf::sum(y * z, axis<1>, keepdims), t / test::sum_of(u * v, {1}), "x / sum(y * z)");
  this->expect(x / lf::sum(x * y, axis<1>, keepdims), t / test::sum_of(t * u, {1}), "x / sum(x * y)");
  this->expect(x * y / lf::sum(x * y, axis<1>, keepdims), t * u / test::sum_of(t * u, {1}), "x * y / sum(x * y)");
  this->expect(lf::softmax(x) + lf::softmax(y), test::softmax_of(t, {1}) + test::softmax_of(u, {1}), "two softmax");
  this->expect(lf::softmax(x * y) - z, test::softmax_of(t * u, {1}) - v, "softmax of a product");
  this->expect(x / lf::sqrt(lf::sum(y * y, axis<1>, keepdims)), t / test::norm_of(u, {1}), "x / norm(y)");
  const auto p = test::softmax_of(t, {1}), q = test::softmax_of(u, {1});
  this->expect(
      lf::kl_div(lf::softmax(x), lf::softmax(y)),
      test::shaped(test::sum_of(test::zip<double>(p, q, [](double a, double b) { return a * std::log(a / b); }), {1}),
                   {6}),
      "kl_div of softmax");
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

TYPED_TEST(rows_values, of_integers_and_bool) {
  const auto t = test::each(any_numbers(1, {5, 33}), [](double v) { return std::floor(v); });
  const auto whole = test::array_from<TypeParam, 2, std::int32_t>(t);
  const auto wide = test::array_from<TypeParam, 2, std::int64_t>(t);
  EXPECT_TRUE(test::is_near<double>(whole - lf::mean(whole, axis<1>, keepdims), t - test::mean_of(t, {1}), few));
  EXPECT_TRUE(test::is_near<std::int32_t>(whole - lf::max(whole, axis<1>, keepdims), t - test::max_of(t, {1}), few));
  EXPECT_TRUE(test::is_near<std::int64_t>(whole - lf::sum(whole, axis<1>, keepdims), t - test::sum_of(t, {1}), few));
  EXPECT_TRUE(test::is_near<std::int64_t>(wide - lf::sum(wide, axis<0>), t - test::sum_of(t, {0}), few));
  const real_tensor u({3, 4}, {-1, -2, 0, -1, 1, -2, 3, -4, 0, 0, 0, 2});
  const auto x = this->template array<2>(u);
  const auto positive = test::max_of(test::each(u, [](double v) { return v > 0 ? 1.0 : 0.0; }), {1});
  this->expect(x * lf::cast<float>(lf::any(x > 0, axis<1>, keepdims)), u * positive, "x * any(x > 0)");
  this->expect(lf::where(lf::any(x > 0, axis<1>, keepdims), x, 7),
               u * positive + test::each(positive, [](double v) { return 7 - 7 * v; }), "where(any(x > 0), x, 7)");
}

TYPED_TEST(rows_values, into_the_memory_they_are_read_from) {
  const auto t = any_numbers(1, {6, 20});
  const auto part = [&](std::int64_t from) { return test::slice(t, {{0, 1, 6}, {from, 1, 8}}); };
  const auto with = [&](const real_tensor& first) {
    real_tensor r = t;
    test::for_each_index({6, 8}, [&](const test::extents& i) { r[i] = first[i]; });
    return r;
  };
  auto x = this->template array<2>(t);
  x = lf::softmax(x);
  this->expect(x, test::softmax_of(t, {1}), "x = softmax(x)");
  x = this->template array<2>(t);
  x = lf::softmax(x, axis<0>);
  this->expect(x, test::softmax_of(t, {0}), "x = softmax(x, axis<0>)");
  for (const std::int64_t from : {8, 3, 0}) {
    x = this->template array<2>(t);
    x(all, range(0, 8)) = lf::softmax(x(all, range(from, from + 8)));
    this->expect(x, with(test::softmax_of(part(from), {1})), "a part of x from another");
  }
  x = this->template array<2>(t);
  x(all, range(none, none, -1)) = lf::softmax(x);
  this->expect(lf::flip(x, axis<1>), test::softmax_of(t, {1}), "x[:, ::-1] = softmax(x)");
  x = this->template array<2>(t);
  x = x / lf::sqrt(lf::sum(x * x));
  this->expect(x, t / test::norm_of(t, {0, 1}), "x = x / norm(x)");
  const auto square = any_numbers(1, {9, 9});
  x = this->template array<2>(square);
  x = lf::transpose(lf::softmax(x));
  this->expect(x, test::permute(test::softmax_of(square, {1}), {1, 0}), "x = softmax(x).T");
}
TYPED_TEST(rows_values, of_operands_read_backwards_and_by_steps) {
  const auto t = any_numbers(1, {6, 20});
  const auto x = this->template array<2>(t);
  const auto back = test::slice(t, {{5, -1, 6}, {19, -3, 7}});
  this->expect(lf::softmax(x(range(none, none, -1), range(none, none, -3))), test::softmax_of(back, {1}), "both axes");
  this->expect(lf::softmax(lf::flip(x), axis<0>), test::softmax_of(test::slice(t, {{5, -1, 6}, {19, -1, 20}}), {0}),
               "flipped, by columns");
  this->expect(x - lf::mean(lf::flip(x, axis<1>), axis<1>, keepdims), t - test::mean_of(t, {1}),
               "the mean of the flipped");
}

TYPED_TEST(rows_values, of_tall_columns_are_as_exact_as_those_of_rows) {
  const auto t = test::each(positive_numbers(1, {40000, 3}), [](double v) { return v + 1; });
  const auto x = this->template array<2>(t);
  EXPECT_TRUE(test::is_near<float>(x - lf::mean(x, axis<0>), t - test::mean_of(t, {0}), {2, 8}));
  EXPECT_TRUE(test::is_near<float>(x / lf::sum(x, axis<0>), t / test::sum_of(t, {0}), {8}));
}

}  // namespace
