// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over several axes that are not one in memory, for something is broadcast along one of them: of rows and
// columns that fill no vector, no warp and no block, against plain loops and sums that are known.
#include "support/arrays.hpp"

#include <algorithm>
#include <random>

namespace {

using lf::axis;
using test::extents;

template <class Space>
class reductions_over_several_axes : public test::on<Space> {};
TYPED_TEST_SUITE(reductions_over_several_axes, test::spaces, test::space_name);

const auto plus = [](auto a, auto b) { return a + b; };
const auto larger = [](auto a, auto b) { return a > b ? a : b; };

/// Small whole numbers: sums of them are exact in any order.
template <class T>
test::tensor<T> whole_numbers(const extents& shape, unsigned seed) {
  std::mt19937 random(seed);
  return test::generate<T>(shape, [&](const extents&) { return static_cast<T>(int(random() % 9)); });
}

template <class T, class Space, int... A>
void expect_reduced(const auto& e, const test::tensor<T>& want, lf::axes<A...> a) {
  SCOPED_TRACE(test::text({A...}));
  using total = test::element_of<decltype(lf::sum(e, a))>;
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, a), test::fold<total>(want, {A...}, total{}, plus)));
  EXPECT_TRUE(test::evaluates_to(lf::max(e, a), test::fold<T>(want, {A...}, T{}, larger)));
}
template <class T, class Space>
void expect_all_right(const extents& shape) {
  SCOPED_TRACE(test::text(shape));
  const auto x = whole_numbers<T>(shape, 3), b = whole_numbers<T>({shape[0], 1, shape[2]}, 5);
  const auto want = test::generate<T>(shape, [&](const extents& i) { return x[i] + b[{i[0], 0, i[2]}]; });
  const auto e = test::array_of<Space, 3>(x) + test::array_of<Space, 3>(b);
  expect_reduced<T, Space>(e, want, lf::axes<0, 1>{});
  expect_reduced<T, Space>(e, want, lf::axes<0, 2>{});
  expect_reduced<T, Space>(e, want, lf::axes<1, 2>{});
  expect_reduced<T, Space>(e, want, lf::axes<0, 1, 2>{});
}
TYPED_TEST(reductions_over_several_axes, of_rows_and_columns_of_any_length_have_the_values_of_loops) {
  const extents shapes[] = {{3, 5, 7},     {6, 40, 3},  {2, 300, 17}, {3, 257, 50}, {4, 37, 119},
                            {3, 20, 1501}, {5, 600, 1}, {1, 33, 257}, {40, 2, 513}, {2, 5, 5001}};
  for (const extents& shape : shapes) expect_all_right<float, TypeParam>(shape);
  for (const extents& shape : {extents{3, 70, 44}, {2, 9, 1025}}) {
    expect_all_right<double, TypeParam>(shape);
    expect_all_right<std::int32_t, TypeParam>(shape);
    expect_all_right<std::int8_t, TypeParam>(shape);
  }
}

/// x[i, j, k] = k % 4 + j, and one more that is broadcast; off: elements of its rows before the first that is read.
template <class Space>
struct known_sums {
  lf::index_t a, b, c, off;
  lf::array<float, 3, Space> x, one;
  known_sums(lf::index_t a_, lf::index_t b_, lf::index_t c_, lf::index_t off_)
      : a(a_), b(b_), c(c_), off(off_), one(lf::ones<float>({a, 1, c})) {
    const auto k = lf::reshape(lf::arange<float>(c + off), {1, 1, c + off}),
               j = lf::reshape(lf::arange<float>(b), {1, b, 1});
    x = lf::broadcast_to(lf::remainder(k - float(off) + 400.0f, 4.0f) + j, {a, b, c + off});
  }
  auto e() const { return x(lf::all, lf::all, lf::range(off, off + c)) + one; }
  /// Of k % 4 for all k.
  float of_row() const { return float(c / 4 * 6 + c % 4 * (c % 4 - 1) / 2); }
};
TYPED_TEST(reductions_over_several_axes, of_many_elements_have_the_sums_that_are_known) {
  const bool small = std::is_same_v<TypeParam, lf::host>;  // one way for all shapes
  const extents shapes[] = {{40, 3, 2001, 0},  {40, 3, 20001, 0}, {900, 2, 1501, 0}, {3000, 4, 44, 0},
                            {12, 2, 90001, 0}, {30, 3, 20000, 1}, {700, 90, 41, 0},  {9, 1365, 50, 0},
                            {300, 100, 3, 1},  {90, 100, 137, 0}};
  for (const extents& s : shapes) {
    SCOPED_TRACE(test::text(s));
    const known_sums<TypeParam> n(s[0], s[1], s[2], s[3]);
    const auto a = float(n.a), b = float(n.b), c = float(n.c), most = float(std::min<lf::index_t>(n.c, 4) - 1);
    const auto j = lf::arange<float>(n.b);
    const auto k = lf::remainder(lf::arange<float>(n.c), 4.0f);
    const auto same = [](const auto& sum, const auto& want) { return lf::all(sum == want).item(); };
    EXPECT_TRUE(same(lf::sum(n.e(), axis<0, 2>), a * (n.of_row() + c * (j + 1.0f))));
    EXPECT_TRUE(same(lf::max(n.e(), axis<0, 2>), j + (most + 1)));
    EXPECT_TRUE(same(lf::sum(n.e(), axis<0, 1>), a * (b * (k + 1.0f) + b * (b - 1) / 2)));
    EXPECT_TRUE(same(lf::max(n.e(), axis<0, 1>), k + b));
    EXPECT_EQ(lf::max(n.e()).item(), b + most);
    if (small) break;
  }
}

TYPED_TEST(reductions_over_several_axes, find_the_first_place_whatever_the_order_in_memory) {
  const lf::index_t n = std::is_same_v<TypeParam, lf::host> ? 64 : 1 << 18;  // a GPU splits fewer columns
  lf::array<float, 3, TypeParam> x = lf::zeros<float>({2, 64, n});
  x(0, 8) = 1;
  x(1, 0) = 1;
  const auto y = lf::permute_dims<1, 0, 2>(x);  // y[8, 0] and y[0, 1] are the largest, and the latter is first
  EXPECT_TRUE(lf::all(lf::argmax(y, axis<0, 1>) == 1).item());
}

}  // namespace
