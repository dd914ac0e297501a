// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts: by hand, by limits, and those of expressions with more arrays than a kernel takes. They change which kernels
// run, and no value.
#include "support/arrays.hpp"

#include <array>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::none, lf::range;

template <class Space>
class barriers : public test::on<Space> {
 protected:
  using matrix = lf::array<float, 2, Space>;
  static matrix counting(std::int64_t rows, std::int64_t columns) {
    return test::array_of<Space, 2>(test::counting<float>({rows, columns}));
  }
  /// Evaluates e by so many kernels; its values are those of the expression without cuts.
  template <class E, class Uncut>
  static void expect(int kernels, const E& e, const Uncut& uncut) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    EXPECT_EQ(trace.launches(), kernels);
    EXPECT_TRUE(test::same(test::tensor_of(result), test::tensor_of(uncut), test::four_ulps));
  }
};
TYPED_TEST_SUITE(barriers, test::spaces, test::space_name);

TYPED_TEST(barriers, compute_what_is_behind_them_first) {
  const auto x = this->counting(6, 10), y = this->counting(6, 10);
  this->expect(2, lf::barrier(x * y) + 1, x * y + 1);
  this->expect(3, lf::barrier(x + 1) * lf::barrier(y * 2), (x + 1) * (y * 2));
  this->expect(3, lf::barrier(lf::barrier(x + 1) * y) + 2, (x + 1) * y + 2);
}
TYPED_TEST(barriers, have_the_shape_type_and_views_of_what_is_behind_them) {
  const auto x = this->counting(6, 10);
  const auto behind = x * 2;
  const auto b = lf::barrier(behind);
  static_assert(lf::rank_of<decltype(b)> == 2);
  static_assert(std::is_same_v<lf::value_t<decltype(b)>, float>);
  EXPECT_EQ(b.shape(), x.shape());
  this->expect(2, b(range(none, none, -2), 3) + 1, behind(range(none, none, -2), 3) + 1);
  this->expect(2, lf::transpose(b) * 3, lf::transpose(behind) * 3);
  this->expect(2, lf::reshape(b, {60}) - 1, lf::reshape(behind, {60}) - 1);
  this->expect(2, x + b(0), x + behind(0));
  this->expect(2, lf::where(lf::barrier(x > 3)(0), x(0), x(1)), lf::where((x > 3)(0), x(0), x(1)));
}
TYPED_TEST(barriers, used_twice_are_computed_once) {
  const auto x = this->counting(6, 10);
  const auto b = lf::barrier(x * 2);
  this->expect(2, b * b + b(0), (x * 2) * (x * 2) + (x * 2)(0));
}
TYPED_TEST(barriers, equal_reductions_of_a_cut_plan_are_computed_once) {
  const auto x = this->counting(6, 10), y = lf::materialize(x + 7);
  const auto kernels = [](const auto& e) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    (void)result;
    return trace.launches();
  };
  const auto columns = [](const auto& a) { return lf::sum(a, axis<0>); };
  const auto lines = [](const auto& a) { return lf::sum(a, axis<1>, keepdims); };
  const auto c = lf::materialize(columns(x)), d = lf::materialize(columns(y));
  const auto l = lf::materialize(lines(x));
  this->expect(3, x / columns(x) - columns(x) * lines(x) + lines(x), x / c - c * l + l);
  this->expect(4, x / columns(x) - columns(y) * lines(x) + columns(x), x / c - d * l + c);
  // the largest of each row and column once, their sums, and the result
  EXPECT_EQ(kernels(lf::softmax(x) + lf::softmax(x, axis<0>)), 5);
}
TYPED_TEST(barriers, a_reduction_whose_axes_are_turned_is_written_where_it_is_wanted) {
  const auto x = test::array_of<TypeParam, 3>(test::counting<float>({4, 3, 5}));
  const auto sums = lf::materialize(lf::sum(x, axis<0>));
  this->expect(1, lf::transpose(lf::sum(x, axis<0>)), lf::transpose(sums));
  this->expect(1, lf::sum(x, axis<0>)(all, lf::newaxis, all), sums(all, lf::newaxis, all));
  this->expect(1, lf::transpose(lf::sum(x, axis<0>))(all, lf::newaxis), lf::transpose(sums)(all, lf::newaxis));
  lf::array<float, 2, TypeParam> into = lf::zeros<float>({5, 6});
  lf::kernel_trace trace;
  into(all, range(none, none, 2)) = lf::transpose(lf::sum(x, axis<0>));
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_TRUE(test::same(test::tensor_of(into(all, range(none, none, 2))), test::tensor_of(lf::transpose(sums))));
  const auto largest = lf::materialize(lf::max(x));
  this->expect(2, lf::transpose(lf::sum(x / lf::max(x), axis<0>)), lf::transpose(lf::sum(x / largest, axis<0>)));
}
TYPED_TEST(barriers, of_one_type_over_other_operands_are_told_apart) {
  const auto x = this->counting(6, 10), y = lf::materialize(x + 7);
  this->expect(3, lf::barrier(x * 2) - lf::barrier(y * 2), x * 2 - y * 2);
  this->expect(3, lf::barrier(x * 2) - lf::barrier(x * 3), x * 2 - x * 3);
  this->expect(3, lf::barrier(x(0) * 2) - lf::barrier(x(1) * 2), x(0) * 2 - x(1) * 2);
  const auto mean = lf::mean(x, axis<1>);
  this->expect(5, lf::barrier(mean(range(0, 3)) * 2) - lf::barrier(mean(range(3, 6)) * 2),
               mean(range(0, 3)) * 2 - mean(range(3, 6)) * 2);
}
TYPED_TEST(barriers, work_inside_reductions_and_rows) {
  const auto x = this->counting(6, 10);
  this->expect(2, lf::sum(lf::barrier(x * 2), axis<1>), lf::sum(x * 2, axis<1>));
  this->expect(2, lf::max(lf::barrier(x * 2), axis<0>) + 1, lf::max(x * 2, axis<0>) + 1);
  this->expect(2, lf::softmax(lf::barrier(x * 2), axis<1>), lf::softmax(x * 2, axis<1>));
  this->expect(2, x - lf::barrier(lf::max(x, axis<1>, keepdims)), x - lf::max(x, axis<1>, keepdims));
}
TYPED_TEST(barriers, of_arrays_are_those_arrays) {
  const auto x = this->counting(6, 10);
  this->expect(1, lf::barrier(x) + 1, x + 1);
}
TYPED_TEST(barriers, of_nothing_are_nothing) {
  const auto x = this->counting(0, 10);
  this->expect(0, lf::barrier(x + 1) * 2, (x + 1) * 2);
}
TYPED_TEST(barriers, read_before_their_operands_are_written) {
  auto x = this->counting(8, 8);
  const auto expected = lf::materialize(lf::transpose(x) * 2 + x);
  x = lf::barrier(lf::transpose(x) * 2) + x;
  EXPECT_TRUE(lf::array_equal(x, expected));
  auto y = this->counting(8, 8);
  const auto shifted = lf::materialize(y(range(0, 7), all) * 3);
  y(range(1, none), all) = lf::barrier(y(range(0, 7), all) * 3);
  EXPECT_TRUE(lf::array_equal(y(range(1, none), all), shifted));
}
TYPED_TEST(barriers, work_with_several_outputs) {
  const auto x = this->counting(6, 10);
  const auto b = lf::barrier(x * 2);
  lf::kernel_trace trace;
  const auto [p, q] = lf::materialize(b + 1, b - 1);
  EXPECT_EQ(trace.launches(), 2);
  EXPECT_TRUE(lf::array_equal(p, x * 2 + 1));
  EXPECT_TRUE(lf::array_equal(q, x * 2 - 1));
}
TYPED_TEST(barriers, work_inside_fused_functions) {
  const auto x = this->counting(6, 10);
  const auto f = lf::fuse([](auto u, auto v) { return lf::barrier(u * v) + u; });
  this->expect(2, f(x, x), x * x + x);
  this->expect(2, lf::fuse([](auto u) { return u * u; })(lf::barrier(x + 1)), (x + 1) * (x + 1));
}

TYPED_TEST(barriers, limits_put_them_where_a_kernel_would_read_more) {
  const auto x = this->counting(6, 10);
  const auto e = (x + x) * (x - x(0)) + x * x;  // six arrays, as often as they occur
  this->expect(1, lf::limited(e, lf::plan_limits<6>{}), e);
  this->expect(2, lf::limited(e, lf::plan_limits<4>{}), e);
  this->expect(5, lf::limited(e, lf::plan_limits<2>{}), e);
  this->expect(1, lf::limited(e), e);
}
TYPED_TEST(barriers, limits_hold_inside_reductions) {
  const auto x = this->counting(6, 10);
  const auto e = lf::sum((x + 1) * (x + 2) * (x + 3), axis<1>);
  this->expect(2, lf::limited(e, lf::plan_limits<2>{}), e);
}
TYPED_TEST(barriers, limits_on_live_values_cut_balanced_trees) {
  const auto x = this->counting(6, 10);
  const auto balanced = ((x + x) * (x + x)) + ((x - x(0)) * (x + x));  // four values at a time
  this->expect(1, lf::limited(balanced, lf::plan_limits<64, 4>{}), balanced);
  this->expect(2, lf::limited(balanced, lf::plan_limits<64, 3>{}), balanced);
  const auto chain = x + x + x + x + x + x;  // never more than two
  this->expect(1, lf::limited(chain, lf::plan_limits<64, 3>{}), chain);
}

/// a[From] + ... as a balanced tree.
template <int From, int Count, class A>
auto sum_of(const A& a) {
  if constexpr (Count == 1) return a[From] * 1;
  else return sum_of<From, Count / 2>(a) + sum_of<From + Count / 2, Count - Count / 2>(a);
}
TYPED_TEST(barriers, split_a_sum_of_three_hundred_arrays_by_themselves) {
  constexpr int count = 300;
  std::array<lf::array<float, 1, TypeParam>, count> a;
  float constants = 0;
  for (int i = 0; i < count; ++i) {
    a[static_cast<std::size_t>(i)] = lf::arange<float>(100) + static_cast<float>(i);
    constants += static_cast<float>(i);
  }
  lf::kernel_trace trace;
  const auto total = lf::materialize(sum_of<0, count>(a));
  EXPECT_GT(trace.launches(), 1);
  EXPECT_LT(trace.launches(), 10);
  EXPECT_TRUE(lf::array_equal(total, lf::arange<float>(100) * count + constants));
}

}  // namespace
