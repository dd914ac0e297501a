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

/// Rows whose results no cache keeps: the host stores them past the caches.
template <class Space>
class large_rows : public test::on<Space> {
 protected:
  static constexpr std::int64_t n = (std::int64_t{9} << 20) + 77;
  static_assert(lf::host_detail::outgrows_caches(n * sizeof(float)));
  using row = lf::array<float, 1, Space>;

  const row x = lf::arange<float>(n) * 0.25f + 1;
  double norm = 0;
  void SetUp() override {
    test::on<Space>::SetUp();
    for (std::int64_t i = 0; i < n; ++i) norm += value(i) * value(i);
    norm = std::sqrt(norm);
  }
  static double value(std::int64_t i) { return 0.25 * double(i) + 1; }
  /// Compares y with `scale` times the values over their norm.
  template <class Y>
  void expect_normalized(const Y& y, double scale = 1) const {
    const auto got = lf::to<lf::host>(lf::materialize(y));
    ASSERT_EQ(got.size(), n);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_NEAR(double(got.data()[i]) / (scale * value(i) / norm), 1, 1e-6) << "element " << i;
  }
};
TYPED_TEST_SUITE(large_rows, test::spaces, test::space_name);

TYPED_TEST(large_rows, wherever_their_results_lie) {
  const auto n = this->n;
  for (const std::int64_t offset : {0, 1, 4}) {
    lf::array<float, 1, TypeParam> y = lf::ones<float>({n + 8});
    y(lf::range(offset, offset + n)) = this->x / lf::sqrt(lf::sum(this->x * this->x));
    this->expect_normalized(y(lf::range(offset, offset + n)));
    EXPECT_EQ(lf::sum(y(lf::range(0, offset))).item(), float(offset));
    EXPECT_EQ(lf::sum(y(lf::range(offset + n, n + 8))).item(), float(8 - offset));
  }
}
TYPED_TEST(large_rows, assigned_to_what_they_are_read_from) {
  auto y = this->x;
  y += 0;  // memory of its own
  y = y / lf::sqrt(lf::sum(y * y));
  this->expect_normalized(y);
}
TYPED_TEST(large_rows, with_two_results_of_unlike_types) {
  const auto& x = this->x;
  const auto one = x / lf::sqrt(lf::sum(x * x));
  const auto [y, z] = lf::materialize(one, lf::cast<double>(one * 2));
  this->expect_normalized(y);
  this->expect_normalized(z, 2);
}
TYPED_TEST(large_rows, of_lines_apart_in_memory) {
  const std::int64_t lines = 100003, width = 100;
  const lf::array<float, 2, TypeParam> wide = lf::ones<float>({lines, width + 28});
  lf::array<float, 2, TypeParam> y = lf::zeros<float>({lines, width + 28});
  const auto v = wide(lf::all, lf::range(0, width));
  y(lf::all, lf::range(0, width)) = v / lf::sqrt(lf::sum(v * v));
  const double each = 1 / std::sqrt(double(lines * width));
  EXPECT_NEAR(lf::max(y).item() / each, 1, 1e-6);
  EXPECT_NEAR(lf::min(y(lf::all, lf::range(0, width))).item() / each, 1, 1e-6);
  EXPECT_EQ(lf::max(y(lf::all, lf::range(width, width + 28))).item(), 0);
}

/// Elements of arrays beyond every cache: the host stores their results past the caches, too.
template <class Space>
class large_elementwise : public test::on<Space> {
 protected:
  static constexpr std::int64_t n = (std::int64_t{9} << 20) + 77;
  const lf::array<std::int32_t, 1, Space> x = lf::arange<std::int32_t>(n);
  /// Compares y with value(i), for all i.
  template <class Y, class F>
  static void expect_values(const Y& y, F value) {
    const auto got = lf::to<lf::host>(lf::materialize(y));
    ASSERT_EQ(got.size(), n);
    std::int64_t wrong = 0;
    const auto* const data = got.data();
    for (std::int64_t i = 0; i < n; ++i) wrong += data[i] != value(i);
    EXPECT_EQ(wrong, 0);
  }
  static constexpr auto odd = [](std::int64_t i) { return 2 * i + 1; };
};
TYPED_TEST_SUITE(large_elementwise, test::spaces, test::space_name);

TYPED_TEST(large_elementwise, wherever_the_results_lie) {
  const auto n = this->n;
  for (const std::int64_t offset : {0, 1, 4, 16}) {
    lf::array<std::int32_t, 1, TypeParam> y = lf::full({n + 20}, -1);
    y(lf::range(offset, offset + n)) = this->x * 2 + 1;
    this->expect_values(y(lf::range(offset, offset + n)), this->odd);
    EXPECT_EQ(lf::sum(y(lf::range(0, offset))).item(), -offset);
    EXPECT_EQ(lf::sum(y(lf::range(offset + n, n + 20))).item(), -(20 - offset));
  }
}
TYPED_TEST(large_elementwise, assigned_to_what_they_are_read_from) {
  auto y = this->x;
  y += 0;  // memory of its own
  y = y * 2 + 1;
  this->expect_values(y, this->odd);
}
TYPED_TEST(large_elementwise, with_results_of_unlike_types) {
  const auto one = this->x * 2 + 1;
  const auto [y, z, w] = lf::materialize(one, lf::cast<double>(one), lf::cast<std::int8_t>(one));
  this->expect_values(y, this->odd);
  this->expect_values(z, this->odd);
  this->expect_values(w, [](std::int64_t i) { return static_cast<std::int8_t>(2 * i + 1); });
}
struct three_bytes {
  std::uint8_t value[3];
};
struct bytes_of {
  LAZYFUSE_HD three_bytes operator()(std::int32_t x) const {
    return {{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(x >> 8), static_cast<std::uint8_t>(x >> 16)}};
  }
};
TYPED_TEST(large_elementwise, of_three_bytes_each) {
  const std::int64_t n = (std::int64_t{12} << 20) + 5;
  const lf::array<three_bytes, 1, TypeParam> y = lf::map(bytes_of{}, lf::arange<std::int32_t>(n));
  const auto got = lf::to<lf::host>(y);
  std::int64_t wrong = 0;
  const three_bytes* const data = got.data();
  for (std::int64_t i = 0; i < n; ++i)
    wrong += data[i].value[0] + 256 * data[i].value[1] + 65536 * data[i].value[2] != i;
  EXPECT_EQ(wrong, 0);
}
TYPED_TEST(large_elementwise, of_long_rows_apart_in_memory) {
  const std::int64_t rows = 500, columns = 20003;
  const lf::array<float, 2, TypeParam> wide = lf::ones<float>({rows, columns + 28});
  lf::array<float, 2, TypeParam> y = lf::zeros<float>({rows, columns + 28});
  y(lf::all, lf::range(0, columns)) = wide(lf::all, lf::range(28, columns + 28)) * 2 + 1;
  EXPECT_EQ(lf::max(y).item(), 3);
  EXPECT_EQ(lf::min(y(lf::all, lf::range(0, columns))).item(), 3);
  EXPECT_EQ(lf::max(y(lf::all, lf::range(columns, columns + 28))).item(), 0);
}

#if defined(LAZYFUSE_CUDA)
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
TEST_F(beyond_32_bits, rows_of_more_vectors_than_a_kernel_counts_are_cut) {
  const std::int64_t n = (std::int64_t{1} << 32) + 6;
  const lf::array<double, 2, lf::cuda> x = lf::reshape(lf::array<double, 1, lf::cuda>{1.0, 2.0}, {2, 1});
  const auto row = lf::broadcast_to(x, {2, n});
  const auto e = lf::sum(row / lf::max(row, lf::axis<1>, lf::keepdims), lf::axis<1>);
  const auto report = lf::tune_detail::rows_of(e);
  EXPECT_EQ(report.passes, 0) << "one kernel";
  lf::kernel_trace trace;
  const lf::array<double, 1, lf::cuda> y = e;
  EXPECT_GT(trace.launches(), 1);
  EXPECT_EQ(y(0).item(), double(n));
  EXPECT_EQ(y(1).item(), double(n));
}
#endif

}  // namespace
