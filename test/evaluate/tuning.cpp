// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tune: what is measured is remembered by program and class of shapes, and changes no value.
#include "support/line_reference.hpp"

#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using lf::axis, lf::keepdims;

template <class Space>
class tuning : public test::on<Space> {
 protected:
  void SetUp() override { ::setenv("LAZYFUSE_CACHE", "off", 1); }
  void TearDown() override { lf::tuning::clear(); }
  using matrix = lf::array<float, 2, Space>;
  static matrix counting(std::int64_t rows, std::int64_t columns) {
    return test::array_of<Space, 2>(test::counting<float>({rows, columns}));
  }
  /// x divided by the sums of its rows: one program for all shapes.
  static auto shares(const matrix& x) { return x / lf::sum(x, axis<1>, keepdims); }
  /// The plan by which e runs.
  template <class E>
  static std::string plan_of(const E& e) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    return trace.kernels().back().pattern == "rows" ? "rows" : "cut";
  }
  template <class E>
  static lf::index_t kernels_of(const E& e) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    return trace.launches();
  }
  template <class E>
  static lf::planning::row_report report_of(const E& e) {
    return lf::tune_detail::rows_of(e);
  }
  /// By each of its plans, and that which is measured to be the faster, e has these values.
  template <class E>
  static void expect(const E& e, const test::real_tensor& want) {
    lf::tune_detail::remember(report_of(e), lf::plan_choice::cut);
    EXPECT_GT(kernels_of(e), 1);
    EXPECT_TRUE(test::is_near<float>(e, want, {16}));
    lf::tune_detail::remember(report_of(e), lf::plan_choice::rows);
    EXPECT_EQ(kernels_of(e), 1);
    EXPECT_TRUE(test::is_near<float>(e, want, {16}));
    lf::tune(e);
    EXPECT_TRUE(test::is_near<float>(e, want, {16}));
  }
};
TYPED_TEST_SUITE(tuning, test::spaces, test::space_name);

TYPED_TEST(tuning, changes_no_value) {
  const auto t = test::positive_numbers(1, {30, 100});
  const auto x = test::array_from<TypeParam, 2>(t);
  this->expect(this->shares(x), t / test::sum_of(t, {1}));
  this->expect(lf::softmax(x), test::softmax_of(t, {1}));
}
TYPED_TEST(tuning, is_remembered) {
  const auto x = this->counting(30, 100);
  EXPECT_EQ(this->plan_of(this->shares(x)), "rows");
  EXPECT_EQ(lf::tuning::size(), 0);
  // what is measured replaces what was remembered, whichever that is
  for (const auto before : {lf::plan_choice::cut, lf::plan_choice::rows}) {
    lf::tune_detail::remember(this->report_of(this->shares(x)), before);
    EXPECT_EQ(this->kernels_of(this->shares(x)), before == lf::plan_choice::cut ? 2 : 1);
    const lf::tuned found = lf::tune(this->shares(x));
    EXPECT_GT(found.rows_us, 0);
    EXPECT_GT(found.cut_us, 0);
    EXPECT_EQ(found.plan, std::string(found.rows_us <= found.cut_us ? "rows" : "cut"));
    EXPECT_EQ(lf::tuning::size(), 1);
    EXPECT_EQ(this->kernels_of(this->shares(x)), found.plan == std::string("cut") ? 2 : 1);
  }
}
TYPED_TEST(tuning, holds_for_shapes_of_its_class_alone) {
  const auto x = this->counting(30, 100), like_it = this->counting(17, 65), longer = this->counting(30, 200);
  lf::tune_detail::remember(this->report_of(this->shares(x)), lf::plan_choice::cut);
  EXPECT_EQ(this->plan_of(this->shares(x)), "cut");
  EXPECT_EQ(this->plan_of(this->shares(like_it)), "cut");
  EXPECT_EQ(this->plan_of(this->shares(longer)), "rows");
  EXPECT_EQ(this->plan_of(x - lf::sum(x, axis<1>, keepdims)), "rows");
  const auto doubles = lf::materialize(lf::cast<double>(x));
  EXPECT_EQ(this->plan_of(doubles / lf::sum(doubles, axis<1>, keepdims)), "rows");
  lf::tuning::clear();
  EXPECT_EQ(this->plan_of(this->shares(x)), "rows");
}
struct halved {
  LAZYFUSE_HD float operator()(float x) const { return x / 2; }
};
struct doubled {
  LAZYFUSE_HD float operator()(float x) const { return x * 2; }
};
TYPED_TEST(tuning, tells_constants_from_arrays_and_callables_apart) {
  const auto x = this->counting(30, 100), y = this->counting(30, 100);
  lf::tune_detail::remember(this->report_of(this->shares(x) + 2), lf::plan_choice::cut);
  EXPECT_EQ(this->plan_of(this->shares(x) + 3), "cut");
  EXPECT_EQ(this->plan_of(this->shares(x) + y), "rows");
  const auto of = [&](auto f) { return lf::map(f, x) / lf::sum(x, axis<1>, keepdims); };
  lf::tune_detail::remember(this->report_of(of(halved{})), lf::plan_choice::cut);
  EXPECT_EQ(this->plan_of(of(halved{})), "cut");
  EXPECT_EQ(this->plan_of(of(doubled{})), "rows");
}
TYPED_TEST(tuning, of_what_has_one_plan_does_nothing) {
  const auto x = this->counting(30, 100);
  EXPECT_EQ(lf::tune(x * 2 + 1).plan, std::string("only"));
  EXPECT_EQ(lf::tune(lf::sum(x, axis<1>)).plan, std::string("only"));
  EXPECT_EQ(lf::tuning::size(), 0);
}
TYPED_TEST(tuning, writes_no_operand) {
  const auto x = this->counting(8, 16);
  const auto copy = test::tensor_of(x);
  lf::tune(this->shares(x));
  EXPECT_TRUE(test::evaluates_to(x, copy));
}
TYPED_TEST(tuning, may_go_on_in_several_threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      const auto x = tuning<TypeParam>::counting(4 << t, 32);
      lf::tune(tuning<TypeParam>::shares(x));
      for (int k = 0; k < 20; ++k) (void)lf::materialize(tuning<TypeParam>::shares(x));
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(lf::tuning::size(), 4);
}

}  // namespace
