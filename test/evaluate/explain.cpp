// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// explain: the lines that say which plan runs, where values are, what it costs, and why others are not taken.
#include "support/arrays.hpp"

namespace {

using lf::all, lf::axis, lf::keepdims, lf::range;

lf::array<float, 2> counting(std::int64_t rows, std::int64_t columns) {
  return test::array_of<lf::host, 2>(test::counting<float>({rows, columns}));
}

/// Whether the text has the line, or a line that begins with it if it ends in "...".
::testing::AssertionResult has(const std::string& text, std::string line) {
  const bool open = line.size() > 3 && line.substr(line.size() - 3) == "...";
  line = "\n" + (open ? line.substr(0, line.size() - 3) : line + "\n");
  if (("\n" + text).find(line) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no line" << line << "in\n" << text;
}

TEST(explain, shows_the_passes_of_rows_and_where_values_are_in_between) {
  const auto x = counting(64, 1000);
  const std::string text = lf::explain(lf::softmax(x, axis<1>));
  EXPECT_TRUE(has(text, "result float32[64,1000] on host: 1 kernel, predicted ..."));
  EXPECT_TRUE(has(text, "#1 rows  (exp((x0 - max(x0))) * reciprocal(sum(exp((x0 - max(x0))))))"));
  EXPECT_TRUE(has(text, "   64 rows of 1000, path rows..."));
  EXPECT_TRUE(has(text, "   pass 1: r0 = max(x0)"));
  EXPECT_TRUE(has(text, "   pass 2: r1 = sum(exp((x0 - r0)))"));
  EXPECT_TRUE(has(text, "   pass 3: (exp((x0 - r0)) * reciprocal(r1))"));
  EXPECT_TRUE(has(text, "   results in: thread; row in: cache; read again: 500 KiB"));
  EXPECT_TRUE(has(text, "   x0: float32 contiguous"));
}
TEST(explain, names_reductions_of_one_pass_apart) {
  const auto x = counting(8, 8);
  const std::string text = lf::explain((x - lf::min(x, axis<1>, keepdims)) / lf::max(x, axis<1>, keepdims));
  EXPECT_TRUE(has(text, "   pass 1: r0 = min(x0), r1 = max(x0)")) << text;
}
TEST(explain, shows_the_plan_not_taken) {
  const auto x = counting(64, 1000);
  const std::string text = lf::explain(x / lf::sum(x, axis<1>, keepdims));
  EXPECT_TRUE(has(text, "not taken"));
  EXPECT_TRUE(has(text, "   cut: 2 kernels; reads 500.2 KiB, writes 250.2 KiB, predicted ..."));
}
TEST(explain, says_nothing_of_others_where_there_is_one_plan) {
  const auto x = counting(4, 8);
  for (const std::string& text : {lf::explain(x + 1), lf::explain(lf::sum(x * x, axis<1>))})
    EXPECT_EQ(text.find("not taken"), std::string::npos) << text;
}
TEST(explain, says_why_an_expression_is_not_rows) {
  const auto x = counting(4, 8), y = counting(4, 6), square = counting(8, 8);
  const auto says = [](const auto& e, const std::string& why) {
    const std::string text = lf::explain(e);
    return has(text, "   rows: " + why);
  };
  const char* const unlike = "reductions are over different extents, or along different axes";
  EXPECT_TRUE(says(x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims), unlike));
  EXPECT_TRUE(says(x / lf::sum(y, axis<1>, keepdims), "the extents of the result are not those of what is reduced"));
  EXPECT_TRUE(says(x(range(0, 2), all) - lf::mean(x, axis<1>, keepdims)(range(1, 3), all),
                   "a reduction is read in an order other than its own"));
  EXPECT_TRUE(
      says(square - lf::sum(square, axis<1>), "operands of one type turned out to be different arrays or views"));
  EXPECT_TRUE(says(square / lf::sum(square, axis<0>) / lf::sum(square, axis<1>, keepdims),
                   "reductions run along different axes, or along axes other than those they are broadcast over"));
  EXPECT_TRUE(says(x / lf::sum(x) / lf::sum(x, axis<0>),
                   "reductions are over different numbers of axes, or of arguments of different ranks"));
}
TEST(explain, shows_which_short_rows_are_taken_step_by_step) {
  for (const std::int64_t length : {16, 17, 48, 49}) {
    const auto x = counting(300, length);
    const bool softmax_by_rows = length > 48, norm_by_rows = length > 16;
    EXPECT_EQ(lf::plan(lf::softmax(x, axis<1>)).kernels.size() == 1, softmax_by_rows) << length;
    EXPECT_EQ(lf::plan(lf::layer_norm(x)).kernels.size() == 1, norm_by_rows) << length;
  }
}
TEST(explain, marks_temporaries_and_what_made_them) {
  const auto x = counting(4, 8);
  const std::string text = lf::explain(lf::barrier(x * 2) + x);
  EXPECT_TRUE(has(text, "   32 positions, path loop; reads 128 B, writes 128 B to a temporary, cut by barrier"));
  EXPECT_TRUE(has(text, "   x0: float32 contiguous, temporary"));
  EXPECT_TRUE(has(text, "   x1: float32 contiguous"));
  const std::string limited = lf::explain(lf::limited(x * x + x * x, lf::plan_limits<3>{}));
  EXPECT_TRUE(has(
      limited, "   32 positions, path loop; reads 256 B (128 B distinct), writes 128 B to a temporary, cut by limits"));
  const std::string reduction = lf::explain(x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims));
  EXPECT_TRUE(
      has(reduction, "   32 positions, path rows; reads 128 B, writes 16 B to a temporary, cut at a reduction"));
}
TEST(explain, shows_what_tune_has_found) {
  const auto x = counting(16, 32);
  const auto e = x / lf::sum(x, axis<1>, keepdims);
  const auto found = lf::tune_detail::rows_of(e);
  lf::tune_detail::remember(found, lf::plan_choice::cut);
  const std::string text = lf::explain(e);
  lf::tune_detail::forget();
  EXPECT_TRUE(has(text, "   rows: tune found the cut faster"));
  EXPECT_TRUE(has(text, "   rows: 1 kernel; reads 4 KiB, writes 2 KiB, predicted ..."));
}
TEST(explain, runs_and_allocates_nothing) {
  const auto x = counting(64, 64);
  lf::kernel_trace trace;
  (void)lf::explain(lf::softmax(lf::barrier(x * 2), axis<1>));
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(trace.allocations(), 0);
}

}  // namespace
