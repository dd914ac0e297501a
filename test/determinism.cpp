// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results repeat bit for bit on every run.
#include "support/arrays.hpp"

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

}  // namespace
