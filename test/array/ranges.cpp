// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges become arrays of any rank, and arrays of the host are contiguous ranges themselves.
#include "support/arrays.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <numeric>
#include <ranges>
#include <sstream>
#include <vector>

namespace {

template <class Space>
class ranges : public test::on<Space> {};
TYPED_TEST_SUITE(ranges, test::spaces, test::space_name);

template <class Space, class Range>
using array_from = decltype(lf::from<Space>(std::declval<Range>()));

TYPED_TEST(ranges, nested_ranges_become_arrays_of_higher_rank) {
  const std::vector<std::list<double>> rows{{1, 2, 3}, {4, 5, 6}};
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(rows), test::counting<double>({2, 3}, 1)));
  const std::array<std::array<std::vector<float>, 2>, 1> cube{{{{{1, 2}, {3, 4}}}}};
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(cube), test::counting<float>({1, 2, 2}, 1)));
  const std::int32_t table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(table), test::counting<std::int32_t>({2, 3}, 1)));
  const std::vector<std::vector<bool>> flags{{true, false}, {false, true}};
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(flags), test::tensor<bool>({2, 2}, {1, 0, 0, 1})));
}
TYPED_TEST(ranges, empty_ranges_have_no_elements) {
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(std::vector<std::vector<float>>{}), test::tensor<float>({0, 0})));
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(std::vector<std::vector<float>>(2)), test::tensor<float>({2, 0})));
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(std::forward_list<float>{}), test::tensor<float>({0})));
}
TYPED_TEST(ranges, inner_ranges_must_be_equally_long) {
  EXPECT_THROW((void)lf::from<TypeParam>(std::vector<std::vector<float>>{{1, 2}, {3}}), lf::index_error);
  EXPECT_THROW((void)lf::from<TypeParam>(std::vector<std::vector<float>>{{}, {3}}), lf::index_error);
}
TYPED_TEST(ranges, each_kind_of_range_is_read_once_in_order) {
#if !defined(__clang__) || __clang_major__ >= 16  // older clang cannot compile the standard library's views
  std::istringstream text("1 2 3");
  EXPECT_TRUE(
      test::evaluates_to(lf::from<TypeParam>(std::ranges::istream_view<double>(text)), test::counting<double>({3}, 1)));
#endif
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(std::deque<float>{1, 2}), test::counting<float>({2}, 1)));
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(std::vector<bool>{true, false}), test::tensor<bool>({2}, {1, 0})));
  static_assert(
      std::is_same_v<array_from<TypeParam, std::vector<const float*>>, lf::array<const float*, 1, TypeParam>>);
}
TYPED_TEST(ranges, arrays_are_constructed_from_ranges) {
  const std::vector<float> v{1, 2, 3};
  const lf::array<float, 1, TypeParam> x(v);
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({3}, 1)));
  const lf::array<double, 1, TypeParam> wider(v);
  EXPECT_TRUE(test::evaluates_to(wider, test::counting<double>({3}, 1)));
  const lf::array<float, 2, TypeParam> y(std::vector<std::vector<float>>{{1, 2}, {3, 4}});
  EXPECT_TRUE(test::evaluates_to(y, test::counting<float>({2, 2}, 1)));
  const lf::array z(v);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(z)>, lf::array<float, 1>>);
  const lf::array w(std::list<std::vector<int>>{{1}, {2}});
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(w)>, lf::array<int, 2>>);
  static_assert(!std::is_convertible_v<std::vector<float>, lf::array<float, 1, TypeParam>>, "only when asked for");
}

using vector = lf::array<float, 1, lf::host>;
using matrix = lf::array<float, 2, lf::host>;
static_assert(std::ranges::contiguous_range<vector&> && std::ranges::contiguous_range<const vector&>);
static_assert(std::ranges::sized_range<const matrix&> && std::ranges::common_range<matrix&>);
static_assert(std::ranges::output_range<vector&, float> && !std::ranges::output_range<const vector&, float>);

TEST(ranges_of_the_host, algorithms_read_and_write_arrays) {
  vector x{3, 1, 2};
  std::ranges::sort(x);
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({3}, 1)));
  std::iota(x.begin(), x.end(), 5.0f);
  for (float& v : x) v *= 2;
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({3}, 10, 2)));
  matrix m{{1, 2}, {3, 4}};
  std::ranges::fill(m, 7.0f);
  EXPECT_TRUE(test::evaluates_to(m, test::counting<float>({2, 2}, 7, 0)));
  const vector none;
  EXPECT_EQ(none.begin(), none.end());
}
TEST(ranges_of_the_host, writing_by_iterators_is_not_seen_by_those_who_share) {
  vector x{1, 2, 3};
  const vector sharer = x;
  const auto e = x + 1;
  {
    lf::kernel_trace trace;
    EXPECT_EQ(std::accumulate(sharer.begin(), sharer.end(), 0.0f), 6);
    EXPECT_EQ(trace.allocations(), 0) << "reading through a const array copies nothing";
    std::ranges::fill(x, 0.0f);
    EXPECT_EQ(trace.allocations(), 1);
  }
  EXPECT_TRUE(test::evaluates_to(sharer, test::counting<float>({3}, 1)));
  EXPECT_TRUE(test::evaluates_to(e, test::counting<float>({3}, 2)));
}

}  // namespace
