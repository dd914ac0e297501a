// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in, plans out: which kernels an expression becomes, over which axes, and how many bytes they are, without
// running any.
#include "support/arrays.hpp"

#include <string>
#include <vector>

namespace {

/// What a test looks at, of one kernel.
struct seen {
  std::string pattern, path;
  std::vector<lf::index_t> extents;  ///< without axes of extent 1
  lf::index_t read, distinct, written;
  bool temporary;
};

/// The kernels of e, in the order in which they would run.
template <class E>
std::vector<seen> kernels_of(const E& e, lf::plan_choice choice = lf::plan_choice::automatic) {
  using T = lf::value_t<E>;
  constexpr int R = lf::rank_of<E>;
  std::vector<seen> all;
  const auto take = [](void* to, lf::kernel_plan& p) {
    p.type->decide(p);
    seen s{p.type->pattern, p.path, {}, p.read(), p.distinct(), p.written(), p.because != nullptr};
    for (int k = 0; k < p.type->rank; ++k)
      if (p.extents[k] != 1) s.extents.push_back(p.extents[k]);
    static_cast<std::vector<seen>*>(to)->push_back(s);
  };
  lf::allocation* const nobody = nullptr;
  const lf::target_pack<R, T> to{{{{nullptr, lf::row_major(e.shape())}}}};
  lf::run<lf::host, R, T>(lf::execution{take, nullptr, &all, choice}, e.shape(), to, &nobody, e.tree);
  return all;
}

using extents = std::vector<lf::index_t>;
using matrix = lf::array<float, 2, lf::host>;

TEST(kernel_plans, merge_the_axes_that_all_operands_walk_as_one) {
  const matrix x = lf::ones<float>({6, 4}), y = lf::ones<float>({6, 4});
  const auto plans = kernels_of(x + y);
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0].pattern, "transform");
  EXPECT_EQ(plans[0].extents, extents{24});
}

/// A user's operation, which may say that its operands are likely one array.
template <bool Squares>
struct product : lf::exact_operation {
  using rule = lf::rules::numeric;
  static constexpr const char* name = "product";
  static constexpr bool squares = Squares;
  template <class T>
  constexpr T operator()(T x, T y) const {
    return x * y;
  }
};
TEST(kernel_plans, take_two_arrays_of_rows_for_one_where_the_operation_says_so) {
  const matrix x = lf::ones<float>({6, 4});
  const auto reads = [&](const auto& numerators) {
    return kernels_of(numerators / lf::sum(x, lf::axis<1>, lf::keepdims)).back().read;
  };
  const lf::index_t once = 6 * 4 * 4;
  EXPECT_EQ(reads(x * x), once);
  EXPECT_EQ(reads(lf::map<product<true>>(x, x)), once);
  EXPECT_EQ(reads(x + x), 3 * once);
  EXPECT_EQ(reads(lf::map<product<false>>(x, x)), 3 * once);
}

TEST(kernel_plans, keep_the_axes_that_some_operand_walks_otherwise) {
  const matrix x = lf::ones<float>({6, 4}), wide = lf::ones<float>({6, 8});
  EXPECT_EQ(kernels_of(x + wide(lf::all, lf::range(0, 4)))[0].extents, (extents{6, 4}));
  EXPECT_EQ(kernels_of(x + lf::flip(x, lf::axis<1>))[0].extents, (extents{6, 4}));
  EXPECT_EQ(kernels_of(lf::flip(x))[0].extents, extents{24}) << "backwards, but as one";
}

TEST(kernel_plans, walk_in_the_order_of_the_result) {
  const matrix x = lf::ones<float>({6, 4});
  EXPECT_EQ(kernels_of(x.T() + 1)[0].extents, (extents{4, 6}));
}

TEST(kernel_plans, drop_axes_of_one_element) {
  const lf::array<float, 4, lf::host> x = lf::ones<float>({1, 6, 1, 4});
  EXPECT_EQ(kernels_of(x * 2)[0].extents, extents{24});
  EXPECT_EQ(kernels_of(lf::ones<float>({1, 1}))[0].extents, extents{});
}

TEST(kernel_plans, count_what_is_asked_for_what_is_distinct_and_what_is_written) {
  const matrix x = lf::ones<float>({6, 4});
  const lf::array<float, 1, lf::host> row = lf::ones<float>({4});
  const auto twice = kernels_of(x * lf::flip(x) + row)[0];
  EXPECT_EQ(twice.read, 2 * 96 + 16) << "x as two operands, the row once";
  EXPECT_EQ(twice.distinct, 96 + 16);
  EXPECT_EQ(twice.written, 96);
}

TEST(kernel_plans, of_reductions_run_along_the_axis_that_is_contiguous) {
  const matrix x = lf::ones<float>({600, 400});
  const auto rows = kernels_of(lf::sum(x, lf::axis<1>))[0], columns = kernels_of(lf::sum(x, lf::axis<0>))[0];
  EXPECT_EQ(rows.pattern + " " + rows.path, "reduce rows");
  EXPECT_EQ(columns.pattern + " " + columns.path, "reduce columns");
  EXPECT_EQ(kernels_of(lf::sum(x.T(), lf::axis<1>))[0].path, "columns");
  EXPECT_EQ(rows.written, 600 * 4);
  EXPECT_EQ(kernels_of(lf::sum(x))[0].extents, extents{240000});
}

TEST(kernel_plans, of_rows_are_one_kernel_or_one_for_each_reduction) {
  const matrix x = lf::ones<float>({600, 400});
  const auto e = lf::softmax(x, lf::axis<1>);
  const auto one = kernels_of(e, lf::plan_choice::rows), cut = kernels_of(e, lf::plan_choice::cut);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].pattern, "rows");
  EXPECT_EQ(one[0].extents, (extents{600, 400}));
  ASSERT_EQ(cut.size(), 3u);
  EXPECT_TRUE(cut[0].temporary && cut[1].temporary && !cut[2].temporary);
  EXPECT_EQ(cut[2].pattern, "transform");
}

TEST(kernel_plans, of_a_barrier_come_first) {
  const matrix x = lf::ones<float>({6, 4});
  const auto plans = kernels_of(lf::barrier(x * x) + 1);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_TRUE(plans[0].temporary);
  EXPECT_FALSE(plans[1].temporary);
}

TEST(kernel_plans, of_nothing_are_none) {
  const matrix x(lf::shape(0, 4));
  EXPECT_TRUE(kernels_of(x + 1).empty());
}

}  // namespace
