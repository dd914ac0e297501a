// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of expressions that are applied again and again: by the bits of what is written out.
#include <lazyfuse/batch.hpp>

#include "support/arrays.hpp"

#include <lazyfuse/error.hpp>

#include <bit>
#include <string>
#include <vector>

namespace {

using lf::all, lf::axis, lf::newaxis;

template <class Space>
class repetition : public test::on<Space> {};
TYPED_TEST_SUITE(repetition, test::spaces, test::space_name);

/// What is written out by a loop of the host, each result stored before the next is computed.
template <class Space, class X, class F>
auto one_by_one(int n, const F& f, const X& x) {
  auto y = lf::materialize(x);
  for (int i = 0; i < n; ++i) y = f(y);
  return y;
}

struct scaled {
  template <class X>
  auto operator()(const X& x) const {
    return x * 0.75f + 0.5f;
  }
};

TYPED_TEST(repetition, has_the_bits_of_what_is_written_out) {
  const lf::array<float, 1, TypeParam> x = lf::linspace(-3.0f, 5.0f, 1003);
  const scaled f;
  const auto written = f(f(f(f(f(x)))));
  EXPECT_TRUE(lf::array_equal(lf::repeat<5>(f, x), lf::materialize(written)));
  EXPECT_TRUE(lf::array_equal(lf::iterate(5, f, x), lf::materialize(written)));
  const auto hundred = lf::repeat<90>([&](const auto& e) { return lf::repeat<1>(f, e); }, lf::repeat<10>(f, x));
  EXPECT_TRUE(lf::array_equal(lf::repeat<100>(f, x), hundred));
}
TYPED_TEST(repetition, of_any_number_is_one_kernel) {
  const lf::array<double, 2, TypeParam> x = lf::reshape(lf::linspace(0.0, 1.0, 60), {5, 12});
  const lf::array<double, 1, TypeParam> w = lf::linspace(0.5, 1.0, 12);
  const auto f = [&](const auto& e) { return e * w + 1.0; };
  for (const int n : {0, 1, 2, 31, 20000}) {
    lf::kernel_trace trace;
    const auto y = lf::materialize(lf::iterate(n, f, x) + 0.0);
    EXPECT_EQ(trace.launches(), 1);
    const auto z = lf::to<lf::host>(y);
    double sum = 0;  // of the first element, whose factor is 1/2
    for (int i = 0; i < n; ++i) sum = sum * 0.5 + 1.0;
    EXPECT_EQ(z(0, 0).item(), sum) << n;
    EXPECT_NEAR(z(4, 11).item(), 1.0 + n, 1e-9 * n) << n;
  }
  EXPECT_TRUE(lf::array_equal(lf::repeat<20000>(f, x), lf::iterate(20000, f, x)));
  EXPECT_TRUE(lf::array_equal(lf::repeat<0>(f, x), x));
}
TYPED_TEST(repetition, is_an_expression_among_others) {
  const lf::array<int, 2, TypeParam> x = lf::reshape(lf::arange<int>(24), {4, 6});
  const auto f = [](const auto& e) { return lf::bitwise_xor(e * 3, e) + lf::c<1>; };
  const auto y = one_by_one<TypeParam>(40, f, x);
  lf::kernel_trace trace;
  const auto sum = lf::materialize(lf::sum(lf::repeat<40>(f, x), axis<1>));
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_TRUE(lf::array_equal(sum, lf::sum(y, axis<1>)));
  EXPECT_TRUE(lf::array_equal(lf::repeat<40>(f, x.T())(lf::range(1, 3)), y.T()(lf::range(1, 3))));
  EXPECT_TRUE(lf::array_equal(lf::repeat<40>(f, x + 1) - x, one_by_one<TypeParam>(40, f, x + 1) - x));
  const auto column = lf::materialize(x(all, 0));  // which f makes a matrix
  const auto g = [&](const auto& e) { return e + x; };
  EXPECT_TRUE(lf::array_equal(lf::repeat<50>(g, column(all, newaxis)), column(all, newaxis) + 50 * x));
  const std::vector parts{lf::materialize(x(0)), lf::materialize(x(2))};
  EXPECT_TRUE(lf::array_equal(lf::repeat<40>(f, lf::batch(parts))(1), y(2)));
}
TYPED_TEST(repetition, of_several_loops_in_one_program_is_that_of_each) {
  const lf::array<int, 1, TypeParam> x = lf::remainder(lf::arange<int>(1003) * 7, 1000);
  const auto f = [](const auto& e) { return lf::bitwise_and(e * 3 + 1, 4095); };
  const auto g = [](const auto& e) { return lf::bitwise_xor(e, lf::bitwise_right_shift(e, 1)) + 2; };
  for (const int n : {0, 1, 3, 17, 85, 131}) {
    const auto of_f = one_by_one<TypeParam>(n, f, x), of_g = one_by_one<TypeParam>(7, g, x);
    lf::kernel_trace trace;
    const auto sum = lf::materialize(lf::iterate(n, f, x) - 2 * lf::iterate(7, g, x));
    const auto after = lf::materialize(lf::iterate(9, g, lf::iterate(n, f, x)));
    EXPECT_EQ(trace.launches(), 2);
    EXPECT_TRUE(lf::array_equal(sum, of_f - 2 * of_g)) << n;
    EXPECT_TRUE(lf::array_equal(after, one_by_one<TypeParam>(9, g, of_f))) << n;
  }
}
TYPED_TEST(repetition, rounds_elements_of_16_bits_each_time) {
  const lf::array<lf::half, 1, TypeParam> x = lf::cast<lf::half>(lf::linspace(0.0f, 2.0f, 33));
  const auto f = [](const auto& e) { return e * 1.01f + 0.1f; };
  EXPECT_TRUE(lf::array_equal(lf::iterate(70, f, x), one_by_one<TypeParam>(70, f, x)));
}
TYPED_TEST(repetition, names_its_mistakes) {
  const lf::array<float, 2, TypeParam> x = lf::reshape(lf::linspace(0.0f, 8.0f, 9), {3, 3});
  constexpr const char* viewed =
      "repeat: the function takes a view of its argument, and can only compute each element from that element";
  const auto pair = x(0, lf::range(0, 2));
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] {
              (void)lf::iterate(
                  3, [](const auto& e) { return e.T() + e; }, x);
            }),
            viewed);
  EXPECT_EQ(
      test::thrown_by<lf::index_error>([&] { (void)lf::repeat<99>([](const auto& e) { return lf::flip(e); }, x); }),
      viewed);
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] {
              (void)lf::iterate(
                  3, [](const auto& e) { return e(lf::range(0, 1)) + e; }, pair);
            }),
            viewed);
  EXPECT_NE(lf::explain(lf::repeat<100>(scaled{}, x)).find("1 kernel"), std::string::npos);
}

}  // namespace
