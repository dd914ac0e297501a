// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays are made from range-v3's ranges, and host arrays are ranges themselves.
#include "support/arrays.hpp"

#include <range/v3/all.hpp>

#include <ranges>

namespace {

using vector = lf::array<double, 1, lf::host>;

static_assert(ranges::contiguous_range<const vector&>);
static_assert(ranges::contiguous_range<vector&>);
static_assert(ranges::sized_range<const vector&>);
static_assert(std::ranges::contiguous_range<const vector&>);

TEST(range_v3, lazy_ranges_become_arrays) {
  const auto x = lf::from(ranges::views::iota(1, 6) | ranges::views::transform([](int i) { return i * 0.5; }));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<double>({5}, {0.5, 1, 1.5, 2, 2.5})));
}
TEST(range_v3, ranges_without_a_size_become_arrays) {
  const auto x = lf::from(ranges::views::iota(0, 20) | ranges::views::filter([](int i) { return i % 7 == 0; }));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<std::int32_t>({3}, {0, 7, 14})));
}
TEST(range_v3, zipped_and_chunked_ranges_become_arrays) {
  const std::vector<double> a{1, 2, 3}, b{10, 20, 30};
  const auto x = lf::from(ranges::views::zip_with([](double p, double q) { return p * q; }, a, b));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<double>({3}, {10, 40, 90})));
  const auto sums = lf::from(ranges::views::iota(0, 6) | ranges::views::chunk(2) |
                             ranges::views::transform([](auto pair) { return ranges::accumulate(pair, 0); }));
  EXPECT_TRUE(test::evaluates_to(sums, test::tensor<std::int32_t>({3}, {1, 5, 9})));
}
TEST(range_v3, its_algorithms_read_host_arrays) {
  const vector x{3, 1, 2};
  EXPECT_EQ(ranges::accumulate(x, 0.0), 6);
  EXPECT_EQ(ranges::max(x), 3);
  EXPECT_EQ(ranges::distance(x), 3);
  const auto sorted = ranges::to<std::vector<double>>(x) | ranges::actions::sort;
  EXPECT_EQ(sorted, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(ranges::equal(x | ranges::views::reverse, std::vector<double>{2, 1, 3}));
}
TEST(range_v3, a_round_trip_keeps_the_elements) {
  const vector x{3, 1, 2};
  const vector y = lf::from(x | ranges::views::transform([](double v) { return v + 1; })) - 1;
  EXPECT_TRUE(lf::array_equal(x, y));
}
TEST(range_v3, ranges_of_ranges_become_matrices) {
  const auto x = lf::from(ranges::views::iota(0, 6) | ranges::views::chunk(3));
  EXPECT_TRUE(test::evaluates_to(x, test::counting<std::int32_t>({2, 3})));
  const vector four{1, 2, 3, 4};
  const auto windows = lf::from(four | ranges::views::sliding(2));
  EXPECT_TRUE(test::evaluates_to(windows, test::tensor<double>({3, 2}, {1, 2, 2, 3, 3, 4})));
  EXPECT_THROW((void)lf::from(ranges::views::iota(0, 5) | ranges::views::chunk(3)), lf::index_error);
}
TEST(range_v3, its_views_are_taken_of_arrays_and_its_actions_write_them) {
  lf::array<double, 2, lf::host> x{{1, 2, 3}, {4, 5, 6}};
  const auto row_sums =
      x | ranges::views::chunk(3) | ranges::views::transform([](auto row) { return ranges::accumulate(row, 0.0); });
  EXPECT_TRUE(test::evaluates_to(lf::from(row_sums), test::tensor<double>({2}, {6, 15})));
  const auto odd = std::as_const(x) | ranges::views::stride(2) | ranges::to<std::vector>();
  EXPECT_EQ(odd, (std::vector<double>{1, 3, 5}));
  ranges::reverse(x);
  ranges::for_each(x | ranges::views::take(2), [](double& v) { v = 0; });
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<double>({2, 3}, {0, 0, 4, 3, 2, 1})));
}
TEST(range_v3, iteration_over_a_matrix_is_row_major) {
  const lf::array<std::int32_t, 2, lf::host> x{{1, 2}, {3, 4}};
  EXPECT_EQ(ranges::to<std::vector<std::int32_t>>(x), (std::vector<std::int32_t>{1, 2, 3, 4}));
}

}  // namespace
