// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs: how many kernels, which memory, how many bytes. Each claim of the documentation about fusion is a line
// here.
#include "support/arrays.hpp"

namespace {

using lf::all, lf::axis, lf::keepdims, lf::none, lf::range;

template <class Space>
class one_kernel : public test::on<Space> {
 protected:
  using matrix = lf::array<float, 2, Space>;
  using vector = lf::array<float, 1, Space>;
  static matrix counting(std::int64_t rows, std::int64_t columns) {
    return test::array_of<Space, 2>(test::counting<float>({rows, columns}));
  }

  /// Evaluates e: one kernel, memory for the result alone.
  template <class E>
  static void expect_one(const E& e, const char* pattern = "transform") {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    EXPECT_EQ(trace.launches(), 1);
    EXPECT_EQ(trace.allocations(), 1);
    EXPECT_EQ(trace.allocated_bytes(),
              result.size() * static_cast<std::int64_t>(
                                  sizeof(typename test::array_traits<std::remove_cvref_t<decltype(result)>>::element)));
    for (const auto& kernel : trace.kernels()) EXPECT_EQ(kernel.pattern, pattern) << kernel.name;
  }
};
TYPED_TEST_SUITE(one_kernel, test::spaces, test::space_name);

TYPED_TEST(one_kernel, building_an_expression_runs_and_allocates_nothing) {
  const auto x = this->counting(8, 9);
  lf::kernel_trace trace;
  const auto e = lf::sum(lf::sin(x) * 2 + lf::transpose(x)(range(none, none, -1), 0)(range(0, 1)), axis<0>);
  const auto f = lf::zeros<float>({1000, 1000}) + lf::arange<float>(1000);
  (void)e, (void)f;
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(trace.allocations(), 0);
}

TYPED_TEST(one_kernel, for_any_elementwise_expression) {
  const auto x = this->counting(33, 65), y = this->counting(33, 65);
  this->expect_one(x + y);
  this->expect_one(lf::where(x > y, lf::sin(x) * 2 + lf::cos(y), lf::sqrt(lf::abs(x - y)) / (x * x + 1)));
  this->expect_one(lf::cast<double>(x) * 0.1 + y);
  this->expect_one(lf::logical_and(x > 1, y < 100));
}
TYPED_TEST(one_kernel, for_views_and_broadcasts) {
  const auto x = this->counting(64, 64);
  this->expect_one(lf::transpose(x) + x);
  this->expect_one(x(range(1, -1), all) - x(range(0, -2), all) + x(range(2, none), all));
  this->expect_one(x(range(none, none, -1), range(none, none, 2)) * 2);
  this->expect_one(x(0)(all, lf::newaxis) * x(1));
  this->expect_one(lf::flip(x + 1, axis<1>));
  this->expect_one(lf::reshape(x, {4096}) + lf::arange<float>(4096));
  this->expect_one((lf::sin(x) + x(0))(range(3, 9), range(none, none, -3)));
}
TYPED_TEST(one_kernel, for_generated_leaves) {
  lf::kernel_trace trace;
  const lf::array<float, 1, TypeParam> x =
      lf::linspace<float>(0, 1, 1000) * lf::full({1000}, 3.0f) + lf::arange<float>(1000);
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 1);
  EXPECT_EQ(trace.bytes_read(), 0);
  EXPECT_EQ(trace.bytes_written(), 4000);
}
TYPED_TEST(one_kernel, for_a_reduction_with_what_comes_before_and_after) {
  const auto x = this->counting(65, 130);
  this->expect_one(lf::sum(x * x + 1, axis<1>), "reduce");
  this->expect_one(lf::sqrt(lf::sum(x * x, axis<1>)) / 2, "reduce");
  this->expect_one(lf::max(lf::abs(x), axis<0>), "reduce");
  this->expect_one(lf::mean(x, axis<-1>), "reduce");
  this->expect_one(lf::sum(lf::transpose(x), axis<0>), "reduce");
}
TYPED_TEST(one_kernel, for_a_short_full_reduction) {
  const auto x = this->counting(16, 16);
  lf::kernel_trace trace;
  EXPECT_EQ(lf::sum(x).item(), 255 * 128.0f);
  EXPECT_EQ(trace.launches(), 1);
}
TYPED_TEST(one_kernel, for_several_outputs) {
  const auto x = this->counting(40, 50), y = this->counting(40, 50);
  lf::kernel_trace trace;
  const auto [a, b, c] = lf::materialize(x + y, x - y, x > y);
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 3);
  EXPECT_EQ(trace.bytes_read(), 6 * 2000 * 4);
  EXPECT_EQ(trace.bytes_distinct(), 2 * 2000 * 4);
  EXPECT_EQ(trace.bytes_written(), 2000 * (4 + 4 + 1));
  EXPECT_TRUE(test::evaluates_to(a, test::counting<float>({40, 50}, 0, 2)));
  EXPECT_TRUE(test::evaluates_to(b, test::counting<float>({40, 50}, 0, 0)));
  EXPECT_TRUE(test::evaluates_to(c, test::tensor<bool>({40, 50})));
}
TYPED_TEST(one_kernel, for_several_reductions_of_one_operand) {
  const auto x = this->counting(48, 20);
  lf::kernel_trace trace;
  const auto [low, high, mean] = lf::materialize(lf::min(x, axis<1>), lf::max(x, axis<1>), lf::mean(x, axis<1>));
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 3);
  EXPECT_EQ(trace.bytes_read(), 960 * 4);
  EXPECT_TRUE(test::evaluates_to(low, test::counting<float>({48}, 0, 20)));
  EXPECT_TRUE(test::evaluates_to(high, test::counting<float>({48}, 19, 20)));
  EXPECT_TRUE(test::evaluates_to(mean, test::counting<float>({48}, 9.5f, 20)));
}
TYPED_TEST(one_kernel, for_several_reductions_within_one_expression) {
  const auto x = this->counting(48, 20);
  this->expect_one(lf::max(x, axis<1>) - lf::min(x, axis<1>) + lf::mean(x, axis<1>), "reduce");
}
TYPED_TEST(one_kernel, for_an_assignment_to_existing_memory_and_no_allocation) {
  auto x = this->counting(30, 30);
  const auto y = this->counting(30, 30);
  lf::kernel_trace trace;
  x = lf::sin(y) + y;
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 0);
  x(range(1, 5), all) = y(range(2, 6), all) * 2;
  EXPECT_EQ(trace.launches(), 2);
  EXPECT_EQ(trace.allocations(), 0);
}

TYPED_TEST(one_kernel, counts_an_array_as_often_as_it_is_read_and_says_what_is_distinct) {
  const auto x = this->counting(100, 10);
  lf::kernel_trace trace;
  const auto y = lf::materialize(x * x + x);
  EXPECT_EQ(trace.bytes_read(), 3 * 4000);
  EXPECT_EQ(trace.bytes_distinct(), 4000);
  EXPECT_EQ(trace.bytes_written(), 4000);
  ASSERT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.kernels()[0].elements, 1000);
  EXPECT_FALSE(trace.kernels()[0].name.empty());
  EXPECT_FALSE(trace.kernels()[0].path.empty());
}
TYPED_TEST(one_kernel, counts_bytes_that_views_share_once_among_the_distinct) {
  struct row {
    const char* what;
    lf::index_t read, distinct;  // elements
  };
  const auto x = this->counting(1, 1000), y = this->counting(1, 1000);
  const auto u = lf::reshape(x, {1000});
  const auto counted = [](const row& r, const auto& e) {
    lf::kernel_trace trace;
    const auto z = lf::materialize(e);
    ASSERT_EQ(trace.launches(), 1) << r.what;
    EXPECT_EQ(trace.bytes_read(), r.read * 4) << r.what;
    EXPECT_EQ(trace.bytes_distinct(), r.distinct * 4) << r.what;
    EXPECT_EQ(trace.kernels()[0].bytes_distinct, r.distinct * 4) << r.what;
  };
  counted({"an array twice, and another", 3000, 2000}, x * (x - y));
  counted({"neighbours", 1998, 1000}, u(range(none, -1)) * u(range(1, none)));
  counted({"every other element, and those between", 1000, 1000}, u(range(none, none, 2)) - u(range(1, none, 2)));
  counted({"two halves", 1000, 1000}, u(range(none, 500)) + u(range(500, none)));
  counted({"backwards, too", 2000, 1000}, u - u(range(none, none, -1)));
  counted({"one element for all", 1001, 1000}, u * u(range(7, 8)));
}
TYPED_TEST(one_kernel, is_not_needed_for_nothing) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({0, 5}));
  lf::kernel_trace trace;
  const auto y = lf::materialize(x + 1);
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_EQ(y.size(), 0);
}
TYPED_TEST(one_kernel, axes_that_lie_together_are_one) {
  const auto x = test::array_of<TypeParam, 8>(test::counting<float>({2, 3, 2, 3, 2, 3, 2, 3}));
  lf::kernel_trace trace;
  const auto y = lf::materialize(x + x);
  ASSERT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.kernels()[0].path, (std::is_same_v<TypeParam, lf::host> ? "loop" : "flat"));
}

TYPED_TEST(one_kernel, traces_nest_and_observe_their_own_scope) {
  const auto x = this->counting(4, 4);
  lf::kernel_trace outer;
  const auto a = lf::materialize(x + 1);
  {
    lf::kernel_trace inner;
    const auto b = lf::materialize(x + 2);
    EXPECT_EQ(inner.launches(), 1);
  }
  EXPECT_EQ(outer.launches(), 2);
}
TYPED_TEST(one_kernel, memory_comes_back) {
  const auto x = this->counting(64, 64);
  lf::kernel_trace trace;
  for (int n = 0; n < 10; ++n) (void)lf::materialize(x + n);
  EXPECT_EQ(trace.allocations(), 10);
  EXPECT_EQ(trace.peak_bytes(), 64 * 64 * 4);
}

TYPED_TEST(one_kernel, is_what_explain_announces_without_running) {
  const auto x = this->counting(8, 8);
  lf::kernel_trace trace;
  const std::string text = lf::explain(lf::sin(x) * 2 + lf::cos(x));
  const std::string reduction = lf::explain(lf::sum(x * x, axis<1>));
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_NE(text.find("transform"), std::string::npos) << text;
  EXPECT_NE(reduction.find("reduce"), std::string::npos) << reduction;
  EXPECT_NE(reduction.find("sum"), std::string::npos) << reduction;
}

TYPED_TEST(one_kernel, is_explained_as_people_write_it) {
  const auto x = this->counting(4, 4);
  const auto explains = [](const auto& e, const std::string& program) {
    const std::string text = lf::explain(e);
    EXPECT_NE(text.find("  " + program + "\n"), std::string::npos) << text;
  };
  explains(-x * 2 >= x / lf::abs(x), "((-x0 * x1) >= (x2 / abs(x3)))");
  explains(lf::pow(x, lf::c<7>), "pow(x0, 7)");  // a literal of type long int, as g++ calls it
  explains(lf::c<-2> * x, "(-2 * x0)");
  explains(lf::cast<std::int64_t>(x) * lf::c<3>, "(int64(x0) * 3)");
  explains(lf::sum(lf::cast<double>(x) * lf::c<5>), "sum((float64(x0) * 5))");
#if !defined(__clang__) || __clang_major__ >= 18  // older clang has no floating-point template arguments
  explains(lf::pow(x, lf::c<0.1>), "pow(x0, 0.1)");
#endif
}

}  // namespace
