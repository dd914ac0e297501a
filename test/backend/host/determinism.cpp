// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results repeat bit for bit on every run.
#include "support/arrays.hpp"
#include "support/host_threads.hpp"

#include <cmath>
#include <random>

namespace {

template <class Space>
class determinism : public test::on<Space> {};
TYPED_TEST_SUITE(determinism, test::spaces, test::space_name);

test::tensor<float> noise(const test::extents& shape) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> fraction(-1, 1);
  return test::generate<float>(shape, [&](const test::extents&) { return fraction(random); });
}

template <class E>
void expect_the_same_bits(const E& e) {
  const auto first = test::tensor_of(e);
  for (int run = 0; run < 20; ++run) EXPECT_TRUE(test::same(test::tensor_of(e), first)) << "run " << run;
}

TYPED_TEST(determinism, of_full_reductions) {
  const auto x = test::array_of<TypeParam, 1>(noise({300007}));
  expect_the_same_bits(lf::sum(x));
  expect_the_same_bits(lf::mean(x * x + 0.1f));
}
TYPED_TEST(determinism, of_row_and_column_reductions) {
  const auto x = test::array_of<TypeParam, 2>(noise({513, 700}));
  expect_the_same_bits(lf::sum(x, lf::axis<0>));
  expect_the_same_bits(lf::sum(x, lf::axis<1>));
  const auto tall = test::array_of<TypeParam, 2>(noise({100003, 3}));
  expect_the_same_bits(lf::sum(tall, lf::axis<0>));
}
TYPED_TEST(determinism, of_elementwise_functions) {
  const auto x = test::array_of<TypeParam, 1>(noise({10007}));
  expect_the_same_bits(lf::sin(x * 10) * lf::exp(x) + lf::pow(lf::abs(x), 2.5));
}
TYPED_TEST(determinism, does_not_depend_on_where_the_operand_lies) {
  const auto t = noise({40001});
  const auto x = test::array_of<TypeParam, 1>(t);
  auto moved = lf::empty<float, TypeParam>({40004});
  for (int offset = 0; offset < 4; ++offset) {
    moved(lf::range(offset, offset + 40001)) = x;
    EXPECT_TRUE(test::evaluates_to(lf::exp(moved(lf::range(offset, offset + 40001))), test::tensor_of(lf::exp(x))))
        << offset;
  }
}

TYPED_TEST(determinism, of_rows) {
  const auto x = test::array_of<TypeParam, 2>(noise({513, 700}));
  expect_the_same_bits(lf::softmax(x));
  expect_the_same_bits(lf::standardize(x, lf::axis<0>));
  expect_the_same_bits(x / lf::sqrt(lf::sum(x * x)));
}
/// Zeros of both signs, mixed: their largest is either, but one for all elements of a line.
template <class T, class Space>
void expect_one_zero_for_a_line() {
  std::mt19937 random(5);
  for (const std::int64_t length : {2, 31, 33, 128, 1000, 12345, 262144}) {
    const auto zeros =
        test::generate<T>({7, length}, [&](const test::extents&) { return random() & 1 ? T(0) : -T(0); });
    const auto expect_one = [&](const char* what, const auto& e, bool columns) {
      SCOPED_TRACE(what);
      const auto signs = test::tensor_of(e);
      for (std::int64_t i = 0; i < 7 * length; ++i) {
        const std::int64_t first = columns ? i % 7 : i / length * length;
        ASSERT_TRUE(std::isinf(signs.values[i]));
        ASSERT_EQ(signs.values[i], signs.values[first])
            << "element " << i << " of lines of " << length << ", " << sizeof(T) << " bytes each";
      }
    };
    const auto x = test::array_of<Space, 2>(zeros);
    expect_one("rows' largest", 1 / lf::max(x, lf::axis<1>, lf::keepdims) + x, false);
    expect_one("rows' smallest", 1 / lf::min(x, lf::axis<1>, lf::keepdims) + x, false);
    const lf::array y = lf::reshape(x, {length, 7});
    expect_one("columns' largest", 1 / lf::max(y, lf::axis<0>, lf::keepdims) + y, true);
    expect_one("columns' smallest", 1 / lf::min(y, lf::axis<0>, lf::keepdims) + y, true);
  }
}
TYPED_TEST(determinism, all_elements_of_a_line_get_the_same_zero_as_its_extreme) {
  expect_one_zero_for_a_line<float, TypeParam>();
  expect_one_zero_for_a_line<double, TypeParam>();
}
TYPED_TEST(determinism, does_not_depend_on_the_number_of_threads) {
  if (!std::is_same_v<TypeParam, lf::host>) GTEST_SKIP() << "threads of the host";
  const auto wide = test::array_of<TypeParam, 2>(noise({3, 200003})),
             tall = test::array_of<TypeParam, 2>(noise({5000, 90}));
  const auto same = [](const auto& e) {
    omp_set_num_threads(1);
    const auto one = test::tensor_of(e);
    for (const int threads : {2, 3, 16}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(test::same(test::tensor_of(e), one)) << threads << " threads";
    }
  };
  same(lf::softmax(wide));
  same(lf::softmax(test::array_of<TypeParam, 2>(noise({9, 50001}))));
  same(lf::layer_norm(tall));
  same(lf::cumsum(wide, lf::axis<1>));
  same(lf::cumsum(tall, lf::axis<0>));
  same(lf::cumsum(lf::exp(test::array_of<TypeParam, 2>(noise({300, 517}))), lf::axis<0>));
  same(lf::standardize(tall, lf::axis<0>));
  same(wide / lf::sqrt(lf::sum(wide * wide)));
  const auto a = test::array_of<TypeParam, 2>(noise({241, 2})), b = test::array_of<TypeParam, 2>(noise({256, 2}));
  same(lf::sum(lf::exp(a(lf::all, lf::newaxis) - b(lf::newaxis)), lf::axis<2>));  // by tiles, some of one row
}

}  // namespace
