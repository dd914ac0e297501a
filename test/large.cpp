// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes beyond 2^24 (where float stops counting) and, on a device with the memory, beyond 2^31 elements.
#include "support/arrays.hpp"

#include <cmath>

namespace {

template <class Space>
class large : public test::on<Space> {};
TYPED_TEST_SUITE(large, test::spaces, test::space_name);

TYPED_TEST(large, one_more_than_two_to_the_24th_elements) {
  const std::int64_t n = (std::int64_t{1} << 24) + 1;
  const lf::array<std::int32_t, 1, TypeParam> x = lf::arange<std::int32_t>(static_cast<std::int32_t>(n));
  const lf::array<std::int32_t, 1, TypeParam> y = x * 2 + 1;
  EXPECT_EQ(y(-1).item(), 2 * (n - 1) + 1);
  EXPECT_EQ(y(0).item(), 1);
  EXPECT_EQ(lf::sum(x).item(), n * (n - 1) / 2);
  EXPECT_EQ(lf::sum(y).item(), n * n);
  EXPECT_TRUE(lf::all(lf::flip(x) + x == static_cast<int>(n - 1)).item());
  const lf::array<float, 1, TypeParam> ones = lf::ones<float>({n});
  EXPECT_EQ(lf::mean(ones).item(), 1.0f);
  // a float sum in one running total would stop at 2^24
  EXPECT_EQ(lf::sum(lf::cast<double>(ones)).item(), double(n));
}

TYPED_TEST(large, a_row_that_no_cache_keeps_wherever_its_results_lie) {
  const std::int64_t n = (std::int64_t{1} << 23) + 77;
  const lf::array<float, 1, TypeParam> x = lf::arange<float>(n) * 0.25f + 1;
  const auto here = lf::to<lf::host>(x);
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) squares += double(here.data()[i]) * here.data()[i];
  for (const std::int64_t offset : {0, 1, 4}) {
    lf::array<float, 1, TypeParam> y = lf::ones<float>({n + 8});
    y(lf::range(offset, offset + n)) = x / lf::sqrt(lf::sum(x * x));
    const auto got = lf::to<lf::host>(y);
    for (std::int64_t i = 0; i < offset; ++i) ASSERT_EQ(got.data()[i], 1);
    for (std::int64_t i = offset + n; i < n + 8; ++i) ASSERT_EQ(got.data()[i], 1);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_NEAR(got.data()[offset + i] / (here.data()[i] / std::sqrt(squares)), 1, 1e-6) << "element " << i;
  }
}

#if defined(__CUDACC__)
class beyond_32_bits : public test::on<lf::cuda> {
 protected:
  void SetUp() override {
    test::on<lf::cuda>::SetUp();
    if (IsSkipped()) return;
    std::size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess || free < (std::size_t{40} << 30))
      GTEST_SKIP() << "needs 40 GiB of device memory";
  }
};

TEST_F(beyond_32_bits, booleans) {
  const std::int64_t n = (std::int64_t{1} << 31) + 11;
  lf::array<bool, 1, lf::cuda> x = lf::full({n}, true);
  EXPECT_EQ(lf::sum(x).item(), n);
  x(-1) = false;
  x(lf::range(5, 7)) = false;
  EXPECT_EQ(lf::sum(x).item(), n - 3);
  const lf::array<bool, 1, lf::cuda> y = lf::logical_not(lf::flip(x));
  EXPECT_EQ(lf::sum(y).item(), 3);
  EXPECT_TRUE(y(0).item());
  EXPECT_TRUE(y(n - 6).item());
  EXPECT_FALSE(lf::all(x).item());
}
TEST_F(beyond_32_bits, floats) {
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const lf::array<float, 1, lf::cuda> x = lf::full({n}, 0.5f);
  lf::array<float, 1, lf::cuda> y = x + x;
  EXPECT_EQ(lf::sum(lf::cast<double>(y)).item(), double(n));
  y(n - 1) = 3;
  EXPECT_EQ(lf::max(y).item(), 3.0f);
  EXPECT_EQ(lf::sum(lf::cast<double>(y(lf::range(n - 4, n)))).item(), 6.0);
}
TEST_F(beyond_32_bits, matrices_and_their_views) {
  const std::int64_t rows = 65539, columns = 32771;  // 2,147,778,569 elements
  const lf::array<bool, 2, lf::cuda> x =
      lf::reshape(lf::arange<std::int64_t>(rows), {rows, 1}) == lf::arange<std::int64_t>(columns);
  EXPECT_EQ(lf::sum(x).item(), columns);
  EXPECT_TRUE(lf::all(lf::any(x, lf::axis<0>)).item());
  EXPECT_EQ(lf::sum(lf::any(x, lf::axis<1>)).item(), columns);
  EXPECT_TRUE(x(columns - 1, columns - 1).item());
  const lf::array<bool, 2, lf::cuda> t = lf::transpose(x);
  EXPECT_EQ(lf::sum(t(lf::all, lf::range(0, 1000))).item(), 1000);
  EXPECT_TRUE(t(columns - 1, columns - 1).item());
}
TEST_F(beyond_32_bits, a_broadcast_needs_no_memory_of_its_size) {
  const std::int64_t n = 70000;
  const lf::array<float, 1, lf::cuda> x = lf::ones<float>({n});
  // 4.9e9 positions of two operands of 280 kB
  EXPECT_EQ(lf::sum(lf::cast<double>(lf::reshape(x, {n, 1}) * x)).item(), double(n) * double(n));
}
TEST_F(beyond_32_bits, rows_of_more_vectors_than_a_kernel_counts_are_cut_whatever_is_wanted) {
  const std::int64_t n = (std::int64_t{1} << 32) + 6;
  const lf::array<double, 2, lf::cuda> x = lf::reshape(lf::array<double, 1, lf::cuda>{1.0, 2.0}, {2, 1});
  const auto row = lf::broadcast_to(x, {2, n});
  const auto e = lf::sum(row / lf::max(row, lf::axis<1>, lf::keepdims), lf::axis<1>);
  lf::row_report report;
  lf::tune_detail::plan(e, report);
  lf::tune_detail::remember(report, lf::plan_choice::rows);
  lf::trace trace;
  const lf::array<double, 1, lf::cuda> y = e;
  lf::tuning::clear();
  EXPECT_GT(trace.launches(), 1);
  EXPECT_EQ(y(0).item(), double(n));
  EXPECT_EQ(y(1).item(), double(n));
}
#endif

}  // namespace
