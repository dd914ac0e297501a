// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an expression computes twice is evaluated once per element: counted by a callable that counts its calls.
#include "support/arrays.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace {

template <class Space>
class sharing : public test::on<Space> {};
TYPED_TEST_SUITE(sharing, test::spaces, test::space_name);

using test::values;

std::atomic<long> calls{0};

/// x + 1, counting how often it is asked.
struct counted_increment {
  float operator()(float x) const {
    calls.fetch_add(1, std::memory_order_relaxed);
    return x + 1;
  }
};
/// x + amount, likewise: a callable with state.
struct counted_addition {
  float amount;
  float operator()(float x) const {
    calls.fetch_add(1, std::memory_order_relaxed);
    return x + amount;
  }
};

class sharing_counted : public ::testing::Test {
 protected:
  void SetUp() override { calls = 0; }
};

TEST_F(sharing_counted, a_temporary_used_twice_is_evaluated_once_per_element) {
  const lf::array<float, 1, lf::host> x{1, 2, 3, 4, 5};
  const auto temporary = lf::map(counted_increment{}, x);
  const lf::array<float, 1, lf::host> y = temporary * temporary + temporary;
  EXPECT_TRUE(test::evaluates_to(y, values({6, 12, 20, 30, 42})));
  EXPECT_EQ(calls.load(), 5);
}
TEST_F(sharing_counted, equal_expressions_over_unlike_arrays_are_both_evaluated) {
  const lf::array<float, 1, lf::host> x{1, 2, 3}, y{10, 20, 30};
  const lf::array<float, 1, lf::host> z = lf::map(counted_increment{}, x) * lf::map(counted_increment{}, y);
  EXPECT_TRUE(test::evaluates_to(z, values({22, 63, 124})));
  EXPECT_EQ(calls.load(), 6);
}
TEST_F(sharing_counted, outputs_of_one_kernel_share_too) {
  const lf::array<float, 1, lf::host> x{1, 2, 3};
  const auto temporary = lf::map(counted_increment{}, x);
  const auto [a, b] = lf::materialize(temporary * 2, temporary * 3);
  EXPECT_TRUE(test::evaluates_to(a, values({4, 6, 8})));
  EXPECT_TRUE(test::evaluates_to(b, values({6, 9, 12})));
  EXPECT_EQ(calls.load(), 3);
}
TEST_F(sharing_counted, the_argument_of_two_reductions_is_evaluated_once_per_element) {
  const lf::array<float, 1, lf::host> x{1, 2, 3, 4};
  const auto temporary = lf::map(counted_increment{}, x);
  const auto [low, high] = lf::materialize(lf::min(temporary), lf::max(temporary));
  EXPECT_EQ(low.item(), 2.0f);
  EXPECT_EQ(high.item(), 5.0f);
  EXPECT_EQ(calls.load(), 4);
}
TEST_F(sharing_counted, fuse_evaluates_a_local_once_per_element) {
  const auto f = lf::fuse([](auto x, auto y) {
    auto local = lf::map(counted_increment{}, x) * y;
    return local * local + local;
  });
  const lf::array<float, 1, lf::host> x{1, 2, 3}, y{1, 1, 2};
  const lf::array<float, 1, lf::host> z = f(x, y);
  EXPECT_TRUE(test::evaluates_to(z, values({6, 12, 72})));
  EXPECT_EQ(calls.load(), 3);
}
TEST_F(sharing_counted, equal_views_of_an_argument_of_fuse_are_evaluated_once) {
  const lf::array<float, 1, lf::host> x{1, 2}, y{5, 7};
  const auto products = lf::fuse([](auto a, auto b) {
    const auto column = lf::map(counted_increment{}, a(lf::all, lf::newaxis) - b(lf::newaxis, lf::all));
    const auto row = lf::map(counted_increment{}, a(lf::newaxis, lf::all) - b(lf::all, lf::newaxis));
    return column * column + row * column;
  });
  const lf::array<float, 2, lf::host> z = products(x, y);
  // column: [[-3, -5], [-2, -4]], row its transpose
  EXPECT_TRUE(test::evaluates_to(z, test::tensor<float>({2, 2}, {18, 35, 14, 32})));
  EXPECT_EQ(calls.load(), 2 * 4);
}
TEST_F(sharing_counted, terms_of_one_type_over_several_arrays_share_within_each) {
  const lf::array<float, 1, lf::host> x{1, 2}, y{3, 4}, u{5, 6};
  const auto p = lf::map(counted_increment{}, x), q = lf::map(counted_increment{}, y),
             r = lf::map(counted_increment{}, u);
  const auto sum = p * p + q * q + r * r;
  const auto [a, b] = lf::materialize(sum * p, sum * q);
  EXPECT_TRUE(test::evaluates_to(a, values({(4 + 16 + 36) * 2, (9 + 25 + 49) * 3})));
  EXPECT_TRUE(test::evaluates_to(b, values({(4 + 16 + 36) * 4, (9 + 25 + 49) * 5})));
  EXPECT_EQ(calls.load(), 2 * (3 + 2)) << "each once in the sum, and once beside it";
}
/// One more than every element of x, counted.
template <class X>
auto incremented(const X& x) {
  return lf::map(counted_increment{}, x);
}
TEST_F(sharing_counted, what_is_written_twice_is_evaluated_once) {
  const lf::array<float, 1, lf::host> x{1, 2, 3}, y{4, 1, 1};
  const lf::array<float, 1, lf::host> z = lf::where(incremented(x) * y > 3, incremented(x) * y, -x);
  EXPECT_TRUE(test::evaluates_to(z, values({8, -2, 4})));
  EXPECT_EQ(calls.load(), 3);
  calls = 0;
  EXPECT_FLOAT_EQ(lf::array(lf::sum(incremented(x) * y / (incremented(x) * y + 1))).item(),
                  8 / 9.f + 3 / 4.f + 4 / 5.f);
  EXPECT_EQ(calls.load(), 3) << "in a reduction";
  calls = 0;
  const lf::array<float, 1, lf::host> sums = lf::cumsum(lf::where(incremented(x) * y > 3, incremented(x) * y, x));
  EXPECT_TRUE(test::evaluates_to(sums, values({8, 10, 14})));
  EXPECT_EQ(calls.load(), 3) << "in a scan";
  calls = 0;
  const auto larger = lf::fuse([](auto a, auto b) { return lf::where(incremented(a) * 2 > b, incremented(a) * 2, b); });
  EXPECT_TRUE(test::evaluates_to(lf::array(larger(x, y)), values({4, 6, 8})));
  EXPECT_EQ(calls.load(), 3) << "with a number of its own in a function of fuse";
}
TEST_F(sharing_counted, what_two_parts_have_alike_is_not_taken_for_one) {
  const lf::array<float, 1, lf::host> x{1, 2, 3}, y{4, 1, 1};
  const auto mixed = [&] { return incremented(x) / (y + 1) * y; };
  const auto larger = [&] { return lf::maximum(incremented(y) / (x + 1), y); };
  const lf::array<float, 1, lf::host> z = lf::where(mixed() > larger(), mixed(), 2 * larger());
  EXPECT_TRUE(test::evaluates_to(z, values({2 * 4, 3 / 2.f, 2})));
  EXPECT_EQ(calls.load(), 2 * 3);
}
TEST_F(sharing_counted, a_wrong_guess_about_what_is_written_twice_leaves_names_shared) {
  const lf::array<float, 1, lf::host> x{1, 2, 3}, y{4, 1, 1};
  const auto name = incremented(y);
  const lf::array<float, 1, lf::host> z = lf::where(incremented(x) * 2 > name, incremented(y) * 2, -name);
  EXPECT_TRUE(test::evaluates_to(z, values({-5, 4, 4})));
  EXPECT_EQ(calls.load(), 3 * 3);
}
TEST_F(sharing_counted, terms_of_one_type_do_not_hide_what_is_written_twice) {
  const lf::array<float, 1, lf::host> x{1, 2}, y{3, 4}, u{5, 6}, v{7, 8};
  const auto sum = [&] { return incremented(x) * 2 + incremented(y) * 2 + incremented(u) * 2 + incremented(v) * 2; };
  const lf::array<float, 1, lf::host> z = lf::where(sum() > 41, sum(), x);
  EXPECT_TRUE(test::evaluates_to(z, values({1, 48})));
  EXPECT_EQ(calls.load(), 2 * 4);
}
TEST_F(sharing_counted, a_long_expression_compiles_and_is_evaluated_once_for_all_that_it_repeats) {
  const lf::array<float, 1, lf::host> a{1, 2, 3, -1, 0}, b{1, 1, 3, 1, -1}, c{4, 1, 2, -1, 2};
  const auto d = a - b;
  const auto g = lf::maximum(d * c, 1);
  const auto e1 = lf::where(d > g, g * d + g, lf::abs(d * g) + d);
  const auto e2 = e1 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e3 = e2 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e4 = e3 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e5 = e4 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e6 = e5 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e7 = e6 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e8 = e7 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e9 = e8 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const auto e10 = e9 * (g * d + a) + lf::map(counted_increment{}, d - g) * d;
  const float x[] = {1, 2, 3, -1, 0}, y[] = {1, 1, 3, 1, -1}, z[] = {4, 1, 2, -1, 2};
  test::tensor<float> want = values({0, 0, 0, 0, 0});
  for (int i = 0; i < 5; ++i) {
    const float p = x[i] - y[i], q = std::max(p * z[i], 1.0f);
    float e = p > q ? q * p + q : std::abs(p * q) + p;
    for (int k = 2; k <= 10; ++k) e = e * (q * p + x[i]) + (p - q + 1) * p;
    want.values[static_cast<std::size_t>(i)] = e;
  }
  EXPECT_TRUE(test::evaluates_to(lf::array<float, 1, lf::host>(e10), want));
  EXPECT_EQ(calls.load(), 5);
}
TEST_F(sharing_counted, other_views_of_one_array_are_not_taken_for_what_is_written_twice) {
  lf::array<float, 1, lf::host> x{1, 2, 3, 4};
  const auto low = x(lf::range(0, 3)), high = x(lf::range(1, 4)), back = x(lf::range(2, lf::none, -1));
  EXPECT_TRUE(
      test::evaluates_to(lf::where(incremented(low) * 2 > 5, incremented(high) * 2, -low), values({-1, 8, 10})));
  EXPECT_EQ(calls.load(), 2 * 3);
  EXPECT_TRUE(test::evaluates_to(lf::where(incremented(low) * 2 > 5, incremented(back) * 2, -low), values({-1, 6, 4})));
  EXPECT_EQ(calls.load(), 4 * 3);
  x = lf::where(incremented(x) * 2 > 7, incremented(x) * 2, -x);
  EXPECT_TRUE(test::evaluates_to(x, values({-1, -2, 8, 10})));
  EXPECT_EQ(calls.load(), 4 * 3 + 4) << "where it is written to what is read";
}
TEST_F(sharing_counted, a_wrong_guess_about_ranges_leaves_the_arguments_of_fuse_shared) {
  const lf::array<float, 1, lf::host> x{1, 2, 4}, y{2, 3};
  const auto g = lf::fuse([](auto a, auto b) {
    const auto low = lf::exp2(a(lf::range(0, -1))), high = lf::exp2(a(lf::range(1, lf::end)));
    const auto again = lf::map(counted_increment{}, b);
    return low * high * again * again;
  });
  const lf::array<float, 1, lf::host> w = g(x, y);
  EXPECT_TRUE(test::evaluates_to(w, values({2 * 4 * 9, 4 * 16 * 16})));
  EXPECT_EQ(calls.load(), 2);
}
TEST_F(sharing_counted, a_callable_with_state_is_shared_where_the_state_is_equal) {
  const lf::array<float, 1, lf::host> x{1, 2, 3};
  const auto temporary = lf::map(counted_addition{1}, x);
  const lf::array<float, 1, lf::host> y = temporary * temporary;
  EXPECT_TRUE(test::evaluates_to(y, values({4, 9, 16})));
  EXPECT_EQ(calls.load(), 3);
  calls = 0;
  const lf::array<float, 1, lf::host> z = lf::map(counted_addition{1}, x) * lf::map(counted_addition{2}, x);
  EXPECT_TRUE(test::evaluates_to(z, values({6, 12, 20})));
  EXPECT_EQ(calls.load(), 6);
}
TEST_F(sharing_counted, an_operand_that_broadcasts_is_still_right_when_shared) {
  const lf::array<float, 1, lf::host> x{1, 2};
  const auto temporary = lf::map(counted_increment{}, x);
  const lf::array<float, 2, lf::host> z = temporary(lf::newaxis, lf::all) * temporary(lf::all, lf::newaxis);
  EXPECT_TRUE(test::evaluates_to(z, test::tensor<float>({2, 2}, {4, 6, 6, 9})));
}

TYPED_TEST(sharing, equal_types_over_unlike_operands_keep_their_values) {
  const lf::array<float, 1, TypeParam> x{1, 2, 3}, y{4, 5, 6};
  // every pair below has the same type on both sides
  EXPECT_TRUE(test::evaluates_to((x + 1) * (y + 1), values({10, 18, 28})));
  EXPECT_TRUE(test::evaluates_to((x + 1) * (x + 2), values({6, 12, 20})));
  EXPECT_TRUE(test::evaluates_to((x + y) - (y + x), values({0, 0, 0})));
  EXPECT_TRUE(test::evaluates_to(lf::sin(x) * lf::cos(y),
                                 test::tensor<float>({3}, {std::sin(1.f) * std::cos(4.f), std::sin(2.f) * std::cos(5.f),
                                                           std::sin(3.f) * std::cos(6.f)}),
                                 test::within{16}));
  const auto forward = x(lf::range(0, 2)) * 2, backward = x(lf::range(1, 3)) * 2;
  EXPECT_TRUE(test::evaluates_to(forward - backward, values({-2, -2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x) * lf::sum(y), test::tensor<float>({}, {90})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x * x) + lf::sum(y * y), test::tensor<float>({}, {91})));
}
TEST(sharing_planned, a_plan_says_what_is_taken_for_one) {
  const lf::array<float, 2, lf::host> x = lf::full({3, 50}, 1.0f), y = lf::full({3, 1}, 2.0f);
  const auto larger = [](const auto& a, const auto& b) { return lf::where(a > 2 * b, a, b); };
  const auto twice = lf::plan(lf::where(x * y + 1 > y, x * y + 1, y)), named = lf::plan(larger(x * y + 1, y)),
             wrong = lf::plan(lf::where(x * y + 1 > y, y * x + 1, y));
  ASSERT_EQ(twice.kernels.size(), 1u);
  EXPECT_EQ(twice.kernels[0].operands.size(), 5u) << "x, y and 1 once, y twice beside them";
  EXPECT_EQ(named.kernels[0].operands.size(), 6u);
  EXPECT_EQ(wrong.kernels[0].operands.size(), 8u);
}
TYPED_TEST(sharing, the_same_bits_with_a_temporary_or_without) {
  const auto x = test::array_of<TypeParam, 1>(test::counting<float>({1001}, -3, 0.006f));
  const auto t = lf::exp(x) + x;
  EXPECT_TRUE(test::evaluates_to(t * t - t / (t + 10), test::tensor_of((lf::exp(x) + x) * (lf::exp(x) + x) -
                                                                       (lf::exp(x) + x) / ((lf::exp(x) + x) + 10))));
}

struct norm {
  template <class X, class Y>
  auto operator()(X x, Y y) const {
    auto s = x * x + y * y;
    return lf::sqrt(s) + s;
  }
};
TYPED_TEST(sharing, a_fused_callable_gives_the_same_values) {
  const lf::array<float, 1, TypeParam> x{3, 6}, y{4, 8};
  const auto f = lf::fuse(norm{});
  EXPECT_TRUE(test::evaluates_to(f(x, y), values({30, 110})));
  EXPECT_TRUE(test::evaluates_to(f(x, x * 0 + 4), values({30, 36 + 16 + std::sqrt(52.f)}), test::within{1}));
}
TYPED_TEST(sharing, two_calls_of_a_fused_callable_keep_their_own_arguments) {
  const lf::array<float, 1, TypeParam> x{3, 6}, y{4, 8}, z{0, 0};
  const auto f = lf::fuse(norm{});
  EXPECT_TRUE(test::evaluates_to(f(x, y) - f(y, z), values({10, 38})));
  EXPECT_TRUE(test::evaluates_to(f(x, z) * f(z, x), values({144, 42 * 42})));
  const auto nested = lf::fuse([](auto a, auto b) { return lf::fuse(norm{})(b, a) + lf::fuse(norm{})(a, a * 0); });
  EXPECT_TRUE(test::evaluates_to(nested(x, y), values({30 + 12, 110 + 42})));
}
TYPED_TEST(sharing, a_fused_argument_and_a_view_of_it_differ) {
  const lf::array<float, 1, TypeParam> x{1, 2, 3, 4};
  const auto differences = lf::fuse([](auto a) { return a(lf::range(1, lf::end)) - a(lf::range(0, -1)); });
  EXPECT_TRUE(test::evaluates_to(differences(x * x), values({3, 5, 7})));
  EXPECT_TRUE(test::evaluates_to(differences(x), values({1, 1, 1})));
}
TYPED_TEST(sharing, views_of_a_fused_argument_are_told_apart) {
  const lf::array<float, 2, TypeParam> x{{1, 2}, {3, 4}};
  const lf::array<float, 2, TypeParam> ones{{1, 1}, {1, 1}};
  const auto table = [&]<class F>(const char* what, const F& f, std::vector<float> want) {
    EXPECT_TRUE(test::evaluates_to(lf::fuse(f)(x), test::tensor<float>({2, 2}, want))) << what;
    EXPECT_TRUE(test::evaluates_to(f(x), test::tensor<float>({2, 2}, want))) << what << ", unnumbered";
    EXPECT_TRUE(test::evaluates_to(lf::fuse(f)(x * ones), test::tensor<float>({2, 2}, want)))
        << what << " of a product";
  };
  table("transposed", [](auto a) { return a * 10 + a.T(); }, {11, 23, 32, 44});
  table("transposed twice", [](auto a) { return a * 10 + a.T().T(); }, {11, 22, 33, 44});
  table("flipped", [](auto a) { return lf::flip(a) * 10 + a; }, {41, 32, 23, 14});
  table("flipped along each axis", [](auto a) { return lf::flip(a, lf::axis<0>) * 10 + lf::flip(a, lf::axis<1>); },
        {32, 41, 14, 23});
  table("flipped, then turned", [](auto a) { return lf::flip(a, lf::axis<0>).T() * 10 + lf::flip(a.T(), lf::axis<0>); },
        {32, 14, 41, 23});
  table("a row", [](auto a) { return a(0) * a(1)(lf::newaxis) + a; }, {4, 10, 6, 12});
  table("broadcast", [](auto a) { return lf::broadcast_to(lf::max(a, lf::axis<0>), {2, 2}) + a; }, {4, 6, 6, 8});
  table("sums along both axes", [](auto a) { return a + lf::sum(a, lf::axis<0>) + lf::sum(a, lf::axis<1>).T(); },
        {1 + 4 + 3, 2 + 6 + 7, 3 + 4 + 3, 4 + 6 + 7});
}
TYPED_TEST(sharing, softmax_written_with_fuse) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({3, 5}, -2, 0.3f));
  const auto softmax = lf::fuse([](auto a) {
    auto e = lf::exp(a - lf::max(a, lf::axis<-1>, lf::keepdims));
    return e / lf::sum(e, lf::axis<-1>, lf::keepdims);
  });
  const auto got = test::tensor_of(softmax(x));
  const double total = 1 + std::exp(-0.3) + std::exp(-0.6) + std::exp(-0.9) + std::exp(-1.2);
  EXPECT_TRUE(
      test::same(got,
                 test::generate<float>(
                     {3, 5}, [&](const test::extents& i) { return float(std::exp(-0.3 * double(4 - i[1])) / total); }),
                 test::within{0, 1e-6}));
}

TYPED_TEST(sharing, sine_and_cosine_of_one_angle_are_right_together) {
  const auto t = test::counting<float>({2001}, -10, 0.01f);
  const auto x = test::array_of<TypeParam, 1>(t);
  EXPECT_TRUE(test::evaluates_to(
      lf::sin(x) + lf::cos(x),
      test::transform<float>(t, [](float v) { return float(std::sin(double(v)) + std::cos(double(v))); }),
      test::within{4, 5e-7}));
  EXPECT_TRUE(test::evaluates_to(
      lf::cos(x) - lf::sin(x),
      test::transform<float>(t, [](float v) { return float(std::cos(double(v)) - std::sin(double(v))); }),
      test::within{4, 5e-7}));
  EXPECT_TRUE(test::evaluates_to(lf::square(lf::sin(x * 2)) + lf::square(lf::cos(x * 2)),
                                 test::transform<float>(t, [](float) { return 1.0f; }), test::within{4}));
  const auto [s, c] = lf::materialize(lf::sin(x), lf::cos(x));
  EXPECT_TRUE(test::evaluates_to(s, test::transform<float>(t, [](float v) { return float(std::sin(double(v))); }),
                                 test::within{4, 1e-9}));
  EXPECT_TRUE(test::evaluates_to(c, test::transform<float>(t, [](float v) { return float(std::cos(double(v))); }),
                                 test::within{4, 1e-9}));
}

TYPED_TEST(sharing, integer_powers_are_products) {
  const auto t = test::counting<double>({41}, -4, 0.2);
  const auto x = test::array_of<TypeParam, 1>(t);
  for (int n = -20; n <= 20; ++n)
    EXPECT_TRUE(test::evaluates_to(lf::pow(x + 0.05, n),
                                   test::transform<double>(t, [n](double v) { return std::pow(v + 0.05, n); }),
                                   test::within{8}))
        << n;
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, lf::c<2>), test::transform<double>(t, [](double v) { return v * v; })));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, lf::c<3>),
                                 test::transform<double>(t, [](double v) { return std::pow(v, 3); }), test::within{2}));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, lf::c<4>),
                                 test::transform<double>(t, [](double v) { return std::pow(v, 4); }), test::within{2}));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x + 5, lf::c<-1>),
                                 test::transform<double>(t, [](double v) { return 1 / (v + 5); }), test::within{1}));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x + 5, lf::c<-2>),
                                 test::transform<double>(t, [](double v) { return std::pow(v + 5, -2); }),
                                 test::within{2}));
  EXPECT_TRUE(test::evaluates_to(
      lf::pow(x + 5, 0.5), test::transform<double>(t, [](double v) { return std::sqrt(v + 5); }), test::within{2}));
#if !defined(__clang__) || __clang_major__ >= 18  // older clang has no floating-point template arguments
  EXPECT_TRUE(test::evaluates_to(lf::pow(x + 5, lf::c<0.5>),
                                 test::transform<double>(t, [](double v) { return std::sqrt(v + 5); })));
#endif
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, 2), test::transform<double>(t, [](double v) { return v * v; })));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, 0), test::transform<double>(t, [](double) { return 1.0; })));
  const auto i = test::array_of<TypeParam, 1>(test::tensor<std::int32_t>({3}, {-2, 3, 10}));
  EXPECT_TRUE(test::evaluates_to(lf::pow(i, 3), test::tensor<std::int32_t>({3}, {-8, 27, 1000})));
}

}  // namespace
