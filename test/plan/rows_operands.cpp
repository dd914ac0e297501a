// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are broadcast back, of several arrays or of views of one: none may be taken for another, and what is
// written may be what is read.
#include "support/line_reference.hpp"

namespace {

using lf::all, lf::axis, lf::keepdims, lf::none, lf::range;
using test::any_numbers, test::positive_numbers, test::real_tensor;

template <class Space>
class rows_operands : public test::rows_on<Space> {};
TYPED_TEST_SUITE(rows_operands, test::spaces, test::space_name);

TYPED_TEST(rows_operands, of_a_slice_of_a_reduction) {
  const auto t = any_numbers(1, {7, 5}), top = test::slice(t, {{0, 1, 3}, {0, 1, 5}}), mean = test::mean_of(t, {1}),
             last = test::slice(mean, {{4, 1, 3}, {0, 1, 1}});
  const auto x = this->template array<2>(t);
  this->expect(x(range(0, 3), all) - lf::mean(x, axis<1>, keepdims)(range(4, none), all), top - last, "other rows");
  this->expect(x - lf::mean(x, axis<1>, keepdims)(range(2, 3), all), t - test::slice(mean, {{2, 1, 1}, {0, 1, 1}}),
               "one row's");
  this->expect(x - lf::mean(x, axis<1>, keepdims)(range(none, none, -1), all),
               t - test::slice(mean, {{6, -1, 7}, {0, 1, 1}}), "backwards");
}

TYPED_TEST(rows_operands, of_an_operand_repeated_along_the_row) {
  const auto t = any_numbers(1, {4, 1}), u = any_numbers(2, {1, 5});
  const auto x = this->template array<2>(t), y = this->template array<2>(u);
  this->expect(lf::softmax(x + y), test::softmax_of(t + u, {1}), "a column and a row");
  this->expect(x + y - lf::mean(y, axis<1>, keepdims), t + u - test::mean_of(u, {1}), "the mean of the smaller");
}

TYPED_TEST(rows_operands, of_operands_of_other_extents_than_what_is_reduced) {
  const auto t = any_numbers(1, {3, 9}), u = any_numbers(2, {3, 4}), v = any_numbers(3, {7});
  const auto x = this->template array<2>(t), y = this->template array<2>(u);
  const auto z = this->template array<1>(v);
  this->expect(y / lf::sqrt(lf::sum(x * x, axis<1>, keepdims)), u / test::norm_of(t, {1}), "longer rows");
  this->expect(z / lf::sqrt(lf::sum(x * x)), v / test::shaped(test::norm_of(t, {0, 1}), {}), "another rank");
  const auto w = this->template array<1>(any_numbers(4, {5}));
  this->expect(z / lf::sqrt(lf::sum(w * w)), v / test::norm_of(any_numbers(4, {5}), {0}), "another length");
}

TYPED_TEST(rows_operands, of_transposed_operands_of_a_square) {
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

TYPED_TEST(rows_operands, of_different_arrays_of_one_type) {
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

template <class Space, class T>
void check_three(std::int64_t n) {
  const auto t = any_numbers(1, {5, n}), u = any_numbers(2, {5, n}), v = any_numbers(3, {5, n});
  const auto x = test::array_from<Space, 2, T>(t), y = test::array_from<Space, 2, T>(u),
             z = test::array_from<Space, 2, T>(v);
  EXPECT_TRUE(test::is_near<T>(lf::softmax(x + y + z), test::softmax_of(t + u + v, {1}), {16})) << n;
}
TYPED_TEST(rows_operands, of_three_arrays_of_one_type) {
  for (const std::int64_t n : {129, 1000, 2048}) check_three<TypeParam, float>(n);
  for (const std::int64_t n : {65, 600, 1024}) check_three<TypeParam, double>(n);
}

TYPED_TEST(rows_operands, of_columns_with_weights_of_their_lines) {
  const auto t = any_numbers(1, {1000, 64}), u = positive_numbers(2, {1000, 1}), v = positive_numbers(3, {1, 64});
  const auto x = this->template array<2>(t);
  const auto near = [](const auto& e, const real_tensor& want) { return test::is_near<float>(e, want, {16}); };
  EXPECT_TRUE(near(lf::softmax(x * this->template array<2>(u), axis<0>), test::softmax_of(t * u, {0}))) << "of lines";
  EXPECT_TRUE(near(lf::softmax(x * this->template array<2>(v), axis<0>), test::softmax_of(t * v, {0}))) << "of columns";
  const auto t3 = any_numbers(4, {3, 200, 64}), u3 = positive_numbers(5, {3, 200, 1});
  EXPECT_TRUE(near(lf::softmax(this->template array<3>(t3) * this->template array<3>(u3), axis<1>),
                   test::softmax_of(t3 * u3, {1})))
      << "of lines in the middle";
}

TYPED_TEST(rows_operands, of_doubles_beside_a_mask) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::int64_t n : {100, 20000}) {
    const auto t = any_numbers(1, {6, n});
    const auto mask = test::generate<double>({6, n}, [&](const test::extents& i) {
      const std::int64_t row = i[0], at = i[1];
      const bool shown[] = {true, at % 2 == 0, at == n - 1, at == 0 || at == 2 * n / 3, at == 37, at % 49 == 1};
      return shown[row] ? 1.0 : 0.0;
    });
    const auto seen = test::zip<double>(mask, t, [&](double m, double v) { return m != 0 ? v : -inf; });
    const auto m = test::array_from<TypeParam, 2, bool>(mask);
    const auto x = test::array_from<TypeParam, 2, double>(t);
    EXPECT_TRUE(test::is_near<double>(lf::softmax(lf::where(m, x, -inf), axis<-1>), test::softmax_of(seen, {1}), {128}))
        << n;
  }
}

TYPED_TEST(rows_operands, into_the_memory_they_are_read_from) {
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
TYPED_TEST(rows_operands, of_operands_read_backwards_and_by_steps) {
  const auto t = any_numbers(1, {6, 20});
  const auto x = this->template array<2>(t);
  const auto back = test::slice(t, {{5, -1, 6}, {19, -3, 7}});
  this->expect(lf::softmax(x(range(none, none, -1), range(none, none, -3))), test::softmax_of(back, {1}), "both axes");
  this->expect(lf::softmax(lf::flip(x), axis<0>), test::softmax_of(test::slice(t, {{5, -1, 6}, {19, -1, 20}}), {0}),
               "flipped, by columns");
  this->expect(x - lf::mean(lf::flip(x, axis<1>), axis<1>, keepdims), t - test::mean_of(t, {1}),
               "the mean of the flipped");
}

TYPED_TEST(rows_operands, with_numbers_within_others) {
  const auto t = positive_numbers(1, {6, 6}), u = positive_numbers(2, {6, 6});
  const auto x = this->template array<2>(t), y = this->template array<2>(u);
  const auto over_the_sum = lf::fuse([](auto a, auto b) { return a / lf::sum(b, axis<1>, keepdims); });
  this->expect(over_the_sum(x * y, y * 2), t * u / test::sum_of(u + u, {1}), "expressions as arguments");
  this->expect(over_the_sum(over_the_sum(x, y), over_the_sum(y, x)),
               t / test::sum_of(u, {1}) / test::sum_of(u / test::sum_of(t, {1}), {1}), "fuse within fuse");
  this->expect(over_the_sum(lf::softmax(x * y), y), test::softmax_of(t * u, {1}) / test::sum_of(u, {1}),
               "softmax within");
  this->expect(x * lf::softmax(x * y) + over_the_sum(y, x), t * test::softmax_of(t * u, {1}) + u / test::sum_of(t, {1}),
               "beside each other");
  const auto both_ways = lf::fuse([](auto a) { return lf::sum(a, axis<0>) + lf::sum(a, axis<1>); });
  this->expect(both_ways(x), test::shaped(test::sum_of(t, {0}), {6}) + test::shaped(test::sum_of(t, {1}), {6}),
               "one array along both axes");
  const auto columns = lf::fuse([](auto a, auto b) { return a / lf::sum(b, axis<0>) + lf::max(a, axis<0>); });
  this->expect(columns(x, lf::transpose(x)), t / test::sum_of(test::permute(t, {1, 0}), {0}) + test::max_of(t, {0}),
               "an array and its transpose");
  const auto covariance = [](const real_tensor& a, const real_tensor& b) {
    return test::each(test::mean_of((a - test::mean_of(a, {1})) * (b - test::mean_of(b, {1})), {1}),
                      [](double v) { return v * 6 / 5; });
  };
  this->expect(lf::cov(lf::softmax(x), y * 2, axis<1>, keepdims), covariance(test::softmax_of(t, {1}), u + u), "cov");
}

}  // namespace
