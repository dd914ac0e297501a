// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tune: what is measured is remembered by program and class of shapes, and changes no value.
#include "support/arrays.hpp"

#include <thread>
#include <vector>

namespace {

using lf::axis, lf::keepdims;

template <class Space>
class tuning : public test::on<Space> {
 protected:
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
    lf::trace trace;
    const auto result = lf::materialize(e);
    return trace.kernels().back().pattern == "rows" ? "rows" : "cut";
  }
};
TYPED_TEST_SUITE(tuning, test::spaces, test::space_name);

TYPED_TEST(tuning, changes_no_value) {
  const auto x = this->counting(30, 100);
  const auto before = test::tensor_of(this->shares(x));
  lf::tune(this->shares(x));
  EXPECT_TRUE(test::evaluates_to(this->shares(x), before, test::four_ulps));
}
TYPED_TEST(tuning, is_remembered) {
  const auto x = this->counting(30, 100);
  EXPECT_EQ(this->plan_of(this->shares(x)), "rows");
  EXPECT_EQ(lf::tuning::size(), 0);
  const lf::tuned found = lf::tune(this->shares(x));
  EXPECT_GT(found.rows_us, 0);
  EXPECT_GT(found.cut_us, 0);
  EXPECT_EQ(found.plan, std::string(found.rows_us <= found.cut_us ? "rows" : "cut"));
  EXPECT_EQ(lf::tuning::size(), 1);
  EXPECT_EQ(this->plan_of(this->shares(x)), found.plan);
}
TYPED_TEST(tuning, holds_for_shapes_of_its_class_alone) {
  const auto x = this->counting(30, 100), like_it = this->counting(17, 65), longer = this->counting(30, 200);
  const auto report = [&](const auto& m) {
    lf::row_report r;
    lf::tune_detail::plan(this->shares(m), r);
    return r;
  };
  lf::tune_detail::remember(report(x), lf::plan_choice::cut);
  EXPECT_EQ(this->plan_of(this->shares(x)), "cut");
  EXPECT_EQ(this->plan_of(this->shares(like_it)), "cut");
  EXPECT_EQ(this->plan_of(this->shares(longer)), "rows");
  EXPECT_EQ(this->plan_of(x - lf::sum(x, axis<1>, keepdims)), "rows");
  const auto doubles = lf::materialize(lf::cast<double>(x));
  EXPECT_EQ(this->plan_of(doubles / lf::sum(doubles, axis<1>, keepdims)), "rows");
  lf::tuning::clear();
  EXPECT_EQ(this->plan_of(this->shares(x)), "rows");
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
