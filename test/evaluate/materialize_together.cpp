// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several expressions materialised together: each has the value it has alone, and they are as few kernels as can be.
#include "support/arrays.hpp"

#include <atomic>
#include <tuple>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis;

template <class Space>
class materialize_together : public test::on<Space> {
 protected:
  using matrix = lf::array<float, 2, Space>;
  using vector = lf::array<float, 1, Space>;
  static matrix counting(std::int64_t rows, std::int64_t columns, float first = 0) {
    return test::array_of<Space, 2>(test::counting<float>({rows, columns}, first));
  }
  static vector line(std::int64_t n, float first = 0) {
    return test::array_of<Space, 1>(test::counting<float>({n}, first));
  }

  /// Materialises e... together; says how many kernels ran, and has them compared with each alone.
  template <class... E>
  static std::vector<lf::kernel_record> kernels_of(const E&... e) {
    lf::kernel_trace trace;
    const auto results = lf::materialize(e...);
    auto kernels = trace.kernels();
    EXPECT_EQ(trace.allocations(), static_cast<std::int64_t>(sizeof...(E))) << "nothing but the results";
    std::apply([&](const auto&... r) { (expect_equal(r, e), ...); }, results);
    return kernels;
  }
  template <class R, class E>
  static void expect_equal(const R& got, const E& alone) {
    EXPECT_TRUE(test::evaluates_to(got, test::tensor_of(alone), test::within{4, 1e-6}));
  }
  template <class... E>
  static void expect_kernels(std::size_t n, const E&... e) {
    EXPECT_EQ(kernels_of(e...).size(), n);
  }
};
TYPED_TEST_SUITE(materialize_together, test::spaces, test::space_name);

using test::values;

TYPED_TEST(materialize_together, elementwise_expressions_of_one_shape_are_one_kernel) {
  const auto x = this->counting(20, 30), y = this->counting(20, 30, 7), z = this->counting(20, 30, -9);
  const auto shared = this->kernels_of(x + 1, x * 2);
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_EQ(shared[0].bytes_distinct, 600 * 4);
  this->expect_kernels(1, x + y, z * x);
}
TYPED_TEST(materialize_together, expressions_of_unlike_shapes_and_ranks_are_a_tuple_of_arrays) {
  const typename TestFixture::vector u{1, 2, 3}, v{1, 2};
  const auto [a, b, c] = lf::materialize(u + 1, v + 1, lf::sum(u * u));
  EXPECT_TRUE(test::evaluates_to(a, values({2, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(b, values({2, 3})));
  EXPECT_TRUE(test::evaluates_to(c, test::tensor<float>({}, {14})));
  this->expect_kernels(2, u + 1, v + 1);
  this->expect_kernels(2, lf::sum(u), lf::sum(v));
  const auto x = this->counting(4, 3);
  this->expect_kernels(3, x + 1, u * 2, lf::max(x, axis<1>));
  this->expect_kernels(1, x, x + u);  // a copy, and one that reads x
}
TYPED_TEST(materialize_together, expressions_without_elements_are_no_kernel) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({0, 5}));
  lf::kernel_trace trace;
  const auto [a, b] = lf::materialize(x + 1, lf::exp(x) + x);
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_TRUE(test::evaluates_to(a, test::tensor<float>({0, 5})));
  EXPECT_TRUE(test::evaluates_to(b, test::tensor<float>({0, 5})));
  const auto y = lf::exp(x) + x;
  const auto [c, d] = lf::materialize(y, lf::sum(y, axis<0>));
  EXPECT_EQ(c.size(), 0);
  EXPECT_TRUE(test::evaluates_to(d, values({0, 0, 0, 0, 0})));
}
TYPED_TEST(materialize_together, reductions_of_one_argument_are_one_kernel_and_the_scaled_argument_another) {
  const auto x = this->counting(16, 24);
  const auto kernels = this->kernels_of(lf::min(x), lf::max(x), x * 0.5f, lf::mean(x));
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].bytes_distinct, 384 * 4);
  EXPECT_EQ(kernels[1].bytes_distinct, 384 * 4);
}

TYPED_TEST(materialize_together, a_value_and_what_is_computed_of_it_are_one_kernel) {
  const auto x = this->counting(5, 9), w = this->counting(5, 9, 3);
  const auto y = lf::sin(x) + w;
  this->expect_kernels(1, y, y * 2);
  this->expect_kernels(1, y * 2, y);
  this->expect_kernels(1, y, lf::cast<double>(y) * 2);
  const auto s = lf::sum(x, axis<1>);
  this->expect_kernels(1, s, s * 2, s + lf::max(x, axis<1>));
  const auto p = lf::softmax(x);
  const auto rows = this->kernels_of(p, p * 2);
  EXPECT_EQ(rows.size(), 1u);
}
TYPED_TEST(materialize_together, a_diamond_is_one_kernel) {
  const auto x = this->counting(5, 9);
  const auto a = x + 1;
  const auto b = a * 2;
  const auto c = lf::abs(a);
  const auto d = b - c;
  this->expect_kernels(1, a, b, c, d);
  this->expect_kernels(1, d, c, b, a);
}
TYPED_TEST(materialize_together, a_diamond_through_reductions_is_three_kernels_or_rows_and_one) {
  const auto x = this->counting(5, 9), w = this->counting(5, 9, 3);
  const auto a = x + w;
  const auto b = lf::mean(a, axis<1>, keepdims);
  const auto c = lf::max(a, axis<1>, keepdims);
  const auto d = (a - b) / c;
  const auto kernels = this->kernels_of(a, b, c, d);
  if (test::planned_by_values<TypeParam>) {
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].pattern, "rows");
    EXPECT_EQ(kernels[0].bytes_read, 2 * 45 * 4);
    EXPECT_EQ(kernels[1].bytes_read, 45 * 4) << "the sum, not what it is computed of";
    return;
  }
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].bytes_read, 2 * 45 * 4);
  EXPECT_EQ(kernels[1].bytes_distinct, 45 * 4) << "the sum, not what it is computed of";
  EXPECT_EQ(kernels[2].bytes_read, (45 + 2 * 5) * 4);
}
// Figure 3 of FusionStitching (arXiv 1911.11576): A -> B -> C and A -> C, where A and C would be one loop; planned by
// values they are one, over rows.
TYPED_TEST(materialize_together, two_expressions_are_not_one_loop_around_a_third) {
  const auto x = this->counting(5, 9), w = this->counting(5, 9, 3);
  const auto a = x + w;
  const auto b = lf::sum(a, axis<1>, keepdims);
  const auto c = a / b;
  const auto kernels = this->kernels_of(c, b, a);
  if (test::planned_by_values<TypeParam>) {
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].pattern, "rows");
    EXPECT_EQ(kernels[1].pattern, "reduce");
    EXPECT_EQ(kernels[1].bytes_read, 45 * 4);
    return;
  }
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].pattern, "transform");
  EXPECT_EQ(kernels[1].pattern, "reduce");
  EXPECT_EQ(kernels[2].pattern, "transform");
  EXPECT_EQ(kernels[2].bytes_read, (45 + 5) * 4);
  const auto means = lf::mean(x, axis<0>);
  this->expect_kernels(2, x - means, means);
}

TYPED_TEST(materialize_together, a_reduction_reads_its_argument_where_that_is_fewer_bytes) {
  const auto x = this->counting(12, 8), w = this->counting(12, 8, 3);
  const auto sum = x + w;
  const auto read = this->kernels_of(lf::max(sum, axis<1>), sum);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].pattern, "reduce");
  EXPECT_EQ(read[1].bytes_read, 96 * 4);
  const auto columns = this->kernels_of(sum, lf::max(sum, axis<0>));
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].bytes_read, 96 * 4);

  const auto u = this->line(12, 1), v = this->line(8, 2);
  const auto outer = u(all, newaxis) * v;
  const auto computed = this->kernels_of(outer, lf::max(outer, axis<1>));
  ASSERT_EQ(computed.size(), 2u);
  EXPECT_EQ(computed[1].bytes_read, (12 + 8) * 4);
}
TYPED_TEST(materialize_together, an_expression_of_higher_rank_reads_one_of_lower_rank) {
  const auto x = this->counting(6, 8);
  const auto u = this->line(8), v = this->line(8, 3);
  const auto y = lf::exp(u * 0.1f) + v;
  const auto kernels = this->kernels_of(x * y, y);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1].bytes_read, (48 + 8) * 4);
}
TYPED_TEST(materialize_together, equal_types_over_unlike_operands_keep_their_values) {
  const auto x = this->counting(5, 4), w = this->counting(5, 4, 3);
  const auto y = x + w, z = w + x;
  this->expect_kernels(1, y, z * 2);
  this->expect_kernels(1, x + 1, (x + 2) * 3);
  this->expect_kernels(2, y, lf::sum(w + w, axis<1>));
  const auto kernels = this->kernels_of(x - w, w - x, lf::sum(w - x, axis<1>), w + x * 0);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1].bytes_read, 20 * 4) << "the second difference";
  const auto tail = x(lf::range(1, 5), all) + w(lf::range(1, 5), all);
  this->expect_kernels(2, y, lf::sum(tail, axis<1>));  // a type like y's, another shape
  const auto square = this->counting(4, 4), other = this->counting(4, 4, 3);
  this->expect_kernels(2, square + other, lf::sum(lf::transpose(square) + other, axis<1>));
  const auto cube = test::array_of<TypeParam, 3>(test::counting<float>({3, 3, 3}));
  const auto more = test::array_of<TypeParam, 3>(test::counting<float>({3, 3, 3}, 5));
  const auto total = cube * more;
  this->expect_kernels(2, total, lf::sum(total, axis<0, 1>));
  this->expect_kernels(2, total, lf::sum(lf::permute_dims<2, 0, 1>(total), axis<0>));
}
TYPED_TEST(materialize_together, a_normalization_reads_the_statistics_that_are_wanted_too) {
  const auto x = this->counting(6, 10);
  const auto high = lf::max(x, axis<-1>, keepdims);
  this->expect_kernels(2, lf::softmax(x), high);
  const auto mean = lf::mean(x, axis<1>, keepdims);
  const auto deviation = x - mean;
  this->expect_kernels(test::planned_by_values<TypeParam> ? 2 : 3, mean, deviation,
                       lf::mean(deviation * deviation, axis<1>, keepdims));
}
TYPED_TEST(materialize_together, many_expressions_that_depend_on_each_other_run_in_layers) {
  const auto x = this->counting(5, 4);
  const auto a = x + 1;
  const auto b = x - 2;
  const auto c = x * 3;
  const auto p = lf::sum(a, axis<1>, keepdims);
  const auto q = lf::max(b, axis<1>, keepdims);
  const auto r = lf::min(c, axis<1>, keepdims);
  const std::size_t kernels = test::planned_by_values<TypeParam> ? 2 : 3;
  this->expect_kernels(kernels, a - p, b - q, c - r, p, q, r, a, b, c);
  this->expect_kernels(kernels, a - p, b - q, p, q, r, a, b, c);  // eight: the best partition
}
TYPED_TEST(materialize_together, any_number_of_expressions_are_few_kernels) {
  const auto x = this->counting(5, 4), w = this->counting(5, 4, 3);
  const std::size_t kernels = test::planned_by_values<TypeParam> ? 2 : 1;  // a kernel that is made has eight results
  this->expect_kernels(kernels, x + 1, x + 2, x + 3, x + 4, x + 5, x - w, x + 7, x + 8, x + 9, x * w);
  this->expect_kernels(kernels, lf::sum(x), lf::max(x), lf::min(x), lf::mean(x), lf::sum(w), lf::max(w), lf::min(w),
                       lf::mean(w), lf::sum(x * w), lf::sum(x + w));
}
TYPED_TEST(materialize_together, the_values_of_fused_functions_too) {
  const auto x = this->counting(5, 4), w = this->counting(5, 4, 3);
  const auto radius = lf::fuse([](auto a, auto b) { return lf::sqrt(a * a + b * b); });
  this->expect_kernels(1, radius(x, w), radius(w, w));
  this->expect_kernels(2, radius(x, w), lf::sum(radius(x, w)));
  this->expect_kernels(2, radius(x, w), lf::sum(radius(w, x)));
}

std::atomic<long> calls{0};
struct counted_increment {
  float operator()(float x) const {
    calls.fetch_add(1, std::memory_order_relaxed);
    return x + 1;
  }
};
TEST(materialize_together_counted, what_is_wanted_is_computed_once_and_nothing_else_is) {
  const lf::array<float, 1, lf::host> x{1, 2, 3, 4};
  calls = 0;
  const auto y = lf::map(counted_increment{}, x) + x;
  const auto unused = lf::map(counted_increment{}, y);
  const auto [a, b, c] = lf::materialize(y, y * 2, lf::sum(y));
  EXPECT_EQ(calls.load(), 4);
  EXPECT_TRUE(test::evaluates_to(b, values({6, 10, 14, 18})));
  EXPECT_EQ(c.item(), 24);
}

/// What types alone decide: N expressions x + y share kernels of at most 64 operands, results counted.
template <int... I>
constexpr int kernels_for_sums(lf::index_sequence<I...>) {
  using array = lf::tree::leaf<lf::stored<float, lf::host>, 2>;
  using sum = lf::tree::map_expr<lf::op::add, lf::index_sequence<0, 1>, array, array>;
  return lf::planning::assignment_plan<lf::host, std::conditional_t<(I >= 0), sum, void>...>::groups.groups;
}
static_assert(kernels_for_sums(lf::make_index_sequence<8>{}) == 1);
static_assert(kernels_for_sums(lf::make_index_sequence<21>{}) == 1);
static_assert(kernels_for_sums(lf::make_index_sequence<22>{}) == 2);
static_assert(kernels_for_sums(lf::make_index_sequence<100>{}) == 5);

}  // namespace
