// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions at the borders of warps, blocks and threads, of views, and with arithmetic before and after,
// against plain loops.
#include "support/arrays.hpp"

#include <random>

namespace {

using test::extents;

template <class Space>
class reductions_of_every_size : public test::on<Space> {};
TYPED_TEST_SUITE(reductions_of_every_size, test::spaces, test::space_name);

/// Small whole numbers: float sums of them are exact in any order.
test::tensor<float> whole_numbers(const extents& shape, unsigned seed) {
  std::mt19937 random(seed);
  return test::generate<float>(shape, [&](const extents&) { return static_cast<int>(random() % 17) - 8; });
}

const auto plus = [](float a, float b) { return a + b; };
const auto larger = [](float a, float b) { return a > b ? a : b; };

TYPED_TEST(reductions_of_every_size, full_sums_of_odd_lengths) {
  for (const std::int64_t n :
       {1,   2,   3,   4,   5,   7,    8,    9,    31,   32,   33,   63,   64,    65,    127,    128,   129,
        255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65537, 100003, 262147}) {
    const auto t = whole_numbers({n}, static_cast<unsigned>(n));
    const auto x = test::array_of<TypeParam, 1>(t);
    EXPECT_TRUE(test::evaluates_to(lf::sum(x), test::fold<float>(t, {0}, 0, plus))) << n;
    EXPECT_TRUE(test::evaluates_to(lf::max(x), test::fold<float>(t, {0}, -100, larger))) << n;
  }
}

TYPED_TEST(reductions_of_every_size, rows_columns_and_middles_of_unlike_extents) {
  const extents shapes[] = {{1, 1},    {1, 1000}, {1000, 1}, {2, 33},   {33, 2},    {3, 1025},  {1025, 3}, {31, 257},
                            {257, 31}, {64, 64},  {7, 5000}, {5000, 7}, {1, 65537}, {65537, 1}, {300, 301}};
  for (const extents& shape : shapes) {
    const auto t = whole_numbers(shape, 7);
    const auto x = test::array_of<TypeParam, 2>(t);
    EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<1>), test::fold<float>(t, {1}, 0, plus))) << test::text(shape);
    EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0>), test::fold<float>(t, {0}, 0, plus))) << test::text(shape);
    EXPECT_TRUE(test::evaluates_to(lf::sum(x), test::fold<float>(t, {0, 1}, 0, plus))) << test::text(shape);
  }
}

/// Where the larger of a and b is: NaN first, and the first of equal ones.
template <class T>
std::int64_t place_of_largest(const std::vector<T>& row) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < row.size(); ++i)
    if (row[at] == row[at] && (row[i] > row[at] || row[i] != row[i])) at = i;
  return static_cast<std::int64_t>(at);
}
template <class T, class Space>
void expect_right_short_rows() {
  for (const std::int64_t length : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 48, 49}) {
    for (const std::int64_t rows : {63, 64, 131, 1030}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length));
      std::mt19937 random(static_cast<unsigned>(length));
      const auto t = test::generate<T>({rows, length}, [&](const extents&) {
        const auto r = random() % 97;
        return r == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(r % 7) - 3;
      });
      const auto x = test::array_of<Space, 2>(t);
      const auto sums = test::tensor_of(2 * lf::sum(lf::where(lf::isnan(x), 0, x), lf::axis<1>) + 1),
                 flipped = test::tensor_of(lf::min(x(lf::range(lf::none, lf::none, -1), lf::all), lf::axis<1>)),
                 stepped = test::tensor_of(
                     lf::sum(lf::where(x == x, x, 0)(lf::range(lf::none, lf::none, 2), lf::all), lf::axis<1>));
      const auto places = test::tensor_of(lf::argmax(x, lf::axis<1>)),
                 across = test::tensor_of(lf::argmax(x, lf::axis<0>));
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::vector<T> row(t.values.begin() + i * length, t.values.begin() + (i + 1) * length);
        T sum = 0, least = row[0];
        for (const T v : row) {
          sum += v == v ? v : 0;
          if (least == least) least = v < least || v != v ? v : least;
        }
        ASSERT_EQ(sums.values[i], 2 * sum + 1) << i;
        ASSERT_TRUE(flipped.values[rows - 1 - i] == least ||
                    (least != least && flipped.values[rows - 1 - i] != flipped.values[rows - 1 - i]))
            << i;
        if (i % 2 == 0) {
          ASSERT_EQ(stepped.values[i / 2], sum) << i;
        }
        ASSERT_EQ(places.values[i], place_of_largest(row)) << i;
      }
      for (std::int64_t j = 0; j < length; ++j) {
        std::vector<T> column;
        for (std::int64_t i = 0; i < rows; ++i) column.push_back(t.values[i * length + j]);
        ASSERT_EQ(across.values[j], place_of_largest(column)) << "column " << j;
      }
      ASSERT_EQ(lf::argmax(x).item(), place_of_largest(t.values));
      ASSERT_EQ(lf::argmax(lf::transpose(x)).item(), place_of_largest(test::tensor_of(lf::transpose(x)).values));
    }
  }
}
TYPED_TEST(reductions_of_every_size, short_rows_side_by_side) {
  expect_right_short_rows<float, TypeParam>();
  expect_right_short_rows<double, TypeParam>();
}

/// Element i of a row is 2^(i mod 16), which says what a wrong sum lacks.
template <class T, class Sum, class Space>
void expect_right_sums_of_integers() {
  for (int length = 1; length <= 66; ++length)
    for (const lf::index_t rows : {1, 3, 70}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length));
      const auto t = test::generate<T>({rows, length}, [](const extents& at) { return T(1) << at[1] % 16; });
      const auto x = test::array_of<Space, 2>(t);
      Sum sum = 0;
      for (int i = 0; i < length; ++i) sum += Sum(1) << i % 16;
      const auto want = test::generate<Sum>({rows}, [&](const extents&) { return sum; });
      EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<1>), want));
      const auto turned = lf::materialize(lf::transpose(x));
      EXPECT_TRUE(test::evaluates_to(lf::sum(turned, lf::axis<0>), want));
    }
}
TYPED_TEST(reductions_of_every_size, short_rows_of_integers) {
  expect_right_sums_of_integers<std::int32_t, std::int64_t, TypeParam>();
  expect_right_sums_of_integers<std::uint32_t, std::uint64_t, TypeParam>();
  expect_right_sums_of_integers<std::int64_t, std::int64_t, TypeParam>();
}

TYPED_TEST(reductions_of_every_size, the_middle_axis_and_the_outer_two) {
  const extents shapes[] = {{1, 1, 1},    {2, 3, 4},    {5, 129, 6},  {17, 2, 33}, {2, 1000, 2},
                            {33, 33, 33}, {1, 257, 64}, {64, 257, 1}, {3, 5, 1025}};
  for (const extents& shape : shapes) {
    const auto t = whole_numbers(shape, 11);
    const auto x = test::array_of<TypeParam, 3>(t);
    EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<1>), test::fold<float>(t, {1}, 0, plus))) << test::text(shape);
    EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0, 2>), test::fold<float>(t, {0, 2}, 0, plus)))
        << test::text(shape);
  }
}

TYPED_TEST(reductions_of_every_size, views_are_reduced_as_their_copies) {
  const auto t = whole_numbers({37, 41}, 3);
  const auto x = test::array_of<TypeParam, 2>(t);
  const auto sums = [](const auto& e, const test::tensor<float>& want, const char* what) {
    EXPECT_TRUE(test::evaluates_to(lf::sum(e, lf::axis<0>), test::fold<float>(want, {0}, 0, plus))) << what;
    EXPECT_TRUE(test::evaluates_to(lf::sum(e, lf::axis<1>), test::fold<float>(want, {1}, 0, plus))) << what;
    EXPECT_TRUE(test::evaluates_to(lf::sum(e), test::fold<float>(want, {0, 1}, 0, plus))) << what;
  };
  sums(lf::transpose(x), test::permute(t, {1, 0}), "transposed");
  sums(x(lf::range(1, -1), lf::range(2, 30)), test::slice(t, {{1, 1, 35}, {2, 1, 28}}), "sliced");
  sums(x(lf::range(lf::none, lf::none, -2), lf::range(lf::none, lf::none, 3)),
       test::slice(t, {{36, -2, 19}, {0, 3, 14}}), "negative and long steps");
  const auto row = test::slice(t, {{0, 1, 1}, {0, 1, 41}});
  sums(lf::broadcast_to(x(lf::range(0, 1), lf::all), {5, 41}),
       test::generate<float>({5, 41},
                             [&](const extents& i) {
                               return row[{0, i[1]}];
                             }),
       "broadcast");
}

TYPED_TEST(reductions_of_every_size, arithmetic_before_and_after_belongs_to_the_reduction) {
  const auto t = whole_numbers({29, 35}, 5);
  const auto x = test::array_of<TypeParam, 2>(t);
  const auto squares = test::transform<float>(t, [](float v) { return v * v; });
  auto want = test::fold<float>(squares, {1}, 0, plus);
  for (auto& v : want.values) v = 1 - 2 * v;
  EXPECT_TRUE(test::evaluates_to(1 - 2 * lf::sum(x * x, lf::axis<1>), want));
}

TYPED_TEST(reductions_of_every_size, a_reduction_with_kept_axes_meets_its_own_operand) {
  const auto t = whole_numbers({13, 17}, 9);
  const auto x = test::array_of<TypeParam, 2>(t);
  const auto highest = test::fold<float>(t, {1}, -100, larger);
  const auto want = test::generate<float>({13, 17}, [&](const extents& i) { return t[i] - highest[{i[0]}]; });
  EXPECT_TRUE(test::evaluates_to(x - lf::max(x, lf::axis<1>, lf::keepdims), want));
  // a reduction of a reduction
  EXPECT_TRUE(test::evaluates_to(lf::sum(lf::max(x, lf::axis<1>)), test::fold<float>(highest, {0}, 0, plus)));
}

TYPED_TEST(reductions_of_every_size, several_reductions_of_one_operand) {
  for (const std::int64_t n : {1, 33, 1000, 65537}) {
    const auto t = whole_numbers({n}, 21);
    const auto x = test::array_of<TypeParam, 1>(t);
    const auto [low, high, total] = lf::materialize(lf::min(x), lf::max(x), lf::sum(x));
    EXPECT_TRUE(test::evaluates_to(low, test::fold<float>(t, {0}, 100, [](float a, float b) { return a < b ? a : b; })))
        << n;
    EXPECT_TRUE(test::evaluates_to(high, test::fold<float>(t, {0}, -100, larger))) << n;
    EXPECT_TRUE(test::evaluates_to(total, test::fold<float>(t, {0}, 0, plus))) << n;
  }
}

TYPED_TEST(reductions_of_every_size, sums_of_fractions_stay_within_the_bound_of_pairwise_summation) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> fraction(-1, 1);
  const auto t = test::generate<float>({100003}, [&](const extents&) { return fraction(random); });
  double exact = 0, absolute = 0;
  for (float v : t.values) exact += v, absolute += std::abs(v);
  const auto x = test::array_of<TypeParam, 1>(t);
  // log2(n) rounding errors on every path of a tree, some more for the runs at its leaves
  const double bound = 40 * std::numeric_limits<float>::epsilon() * absolute;
  EXPECT_NEAR(lf::sum(x).item(), exact, bound);
  EXPECT_NEAR(lf::mean(x).item(), exact / 100003, bound / 100003);
}

TYPED_TEST(reductions_of_every_size, ranks_up_to_eight) {
  const auto t = whole_numbers({2, 3, 2, 3, 2, 3, 2, 3}, 2);
  const auto x = test::array_of<TypeParam, 8>(t);
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0, 2, 4, 6>), test::fold<float>(t, {0, 2, 4, 6}, 0, plus)));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<-1>), test::fold<float>(t, {7}, 0, plus)));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x), test::fold<float>(t, {0, 1, 2, 3, 4, 5, 6, 7}, 0, plus)));
}

}  // namespace
