// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of shapes that broadcast, against NumPy's answers, and pairs that do not.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

using std::int32_t;

template <class Space>
class broadcasting : public test::on<Space> {};
TYPED_TEST_SUITE(broadcasting, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("broadcasting");
  return data;
}

std::string listed(const test::extents& s) {
  std::string text;
  for (const auto n : s) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

template <class Space, int A, int B>
void check(std::initializer_list<std::pair<test::extents, test::extents>> pairs) {
  for (const auto& [a, b] : pairs) {
    const auto x = test::array_of<Space, A>(test::counting<int32_t>(a, 3, 7));
    const auto y = test::array_of<Space, B>(test::counting<int32_t>(b, -11, 5));
    const std::string name = "subtract/" + listed(a) + "|" + listed(b);
    EXPECT_TRUE(test::evaluates_to(x - y, answers().get<int32_t>(name))) << name;
  }
}

TYPED_TEST(broadcasting, operands_of_rank_zero) {
  check<TypeParam, 0, 0>({{{}, {}}});
  check<TypeParam, 0, 2>({{{}, {2, 3}}});
  check<TypeParam, 2, 0>({{{2, 3}, {}}});
}
TYPED_TEST(broadcasting, vectors_with_matrices) {
  check<TypeParam, 1, 2>({{{3}, {2, 3}}, {{1}, {2, 3}}});
  check<TypeParam, 2, 1>({{{2, 3}, {3}}, {{2, 1}, {3}}, {{2, 0}, {1}}, {{7, 31}, {31}}});
}
TYPED_TEST(broadcasting, matrices_with_matrices) {
  check<TypeParam, 2, 2>({{{2, 1}, {1, 3}}, {{1, 3}, {2, 1}}, {{2, 3}, {2, 3}}, {{1, 1}, {5, 7}}, {{17, 1}, {1, 33}}});
}
TYPED_TEST(broadcasting, extent_one_meets_extent_zero) {
  check<TypeParam, 2, 2>({{{0, 3}, {1, 3}}, {{1, 3}, {0, 1}}, {{3, 1}, {1, 0}}});
}
TYPED_TEST(broadcasting, three_axes) {
  check<TypeParam, 3, 2>({{{4, 1, 6}, {5, 1}}, {{4, 5, 6}, {5, 6}}});
  check<TypeParam, 3, 3>({{{4, 1, 6}, {1, 5, 1}}, {{1, 5, 1}, {4, 1, 6}}});
  check<TypeParam, 3, 1>({{{3, 5, 1}, {6}}});
}
TYPED_TEST(broadcasting, four_axes) {
  check<TypeParam, 4, 3>({{{2, 1, 3, 1}, {4, 1, 5}}});
  check<TypeParam, 4, 1>({{{2, 4, 3, 5}, {5}}});
  check<TypeParam, 4, 4>({{{1, 1, 1, 1}, {2, 1, 2, 1}}});
}
TYPED_TEST(broadcasting, a_column_with_long_rows_that_are_read_backwards_in_steps) {
  constexpr int rows = 3, columns = 9001;
  const lf::array<int32_t, 2, TypeParam> x = lf::reshape(lf::arange(rows * columns * 2), {rows, columns * 2});
  const lf::array<int32_t, 1, TypeParam> column{1000000, 2000000, 3000000};
  std::vector<int32_t> sums;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) sums.push_back((i + 1) * 1000000 + i * columns * 2 + columns * 2 - 1 - 2 * j);
  const auto backwards = x(lf::all, lf::range(lf::none, lf::none, -2));
  EXPECT_TRUE(
      test::evaluates_to(column(lf::all, lf::newaxis) + backwards, test::tensor<int32_t>({rows, columns}, sums)));
}
TYPED_TEST(broadcasting, three_operands_meet_in_one_shape) {
  const auto condition = test::array_of<TypeParam, 2>(test::tensor<bool>({3, 1}, {1, 0, 1}));
  const auto x = test::array_of<TypeParam, 1>(test::tensor<int32_t>({2}, {10, 20}));
  const auto y = test::array_of<TypeParam, 0>(test::tensor<int32_t>({}, {-1}));
  EXPECT_TRUE(test::evaluates_to(lf::where(condition, x, y), test::tensor<int32_t>({3, 2}, {10, 20, -1, -1, 10, 20})));
}
TYPED_TEST(broadcasting, shapes_that_do_not_fit_throw_when_the_expression_is_written) {
  const lf::array<float, 2, TypeParam> x(lf::shape{3, 4});
  const lf::array<float, 1, TypeParam> y(lf::shape{5});
  const lf::array<float, 2, TypeParam> z(lf::shape{4, 3});
  const lf::array<float, 2, TypeParam> none(lf::shape{0, 4});
  EXPECT_THROW(x + y, lf::shape_error);
  EXPECT_THROW(x * z, lf::shape_error);
  EXPECT_THROW(x - none, lf::shape_error);
  EXPECT_THROW(lf::where(x > 0, x, y), lf::shape_error);
}

}  // namespace
