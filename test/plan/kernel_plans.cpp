// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in, plans out: which kernels an expression becomes, over which axes, and how many bytes they are, without
// running any.
#include "support/arrays.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace {

/// The kernels of e, in the order in which they would run.
template <class E>
std::vector<lf::planned_kernel> kernels_of(const E& e, lf::plan_choice choice = lf::plan_choice::automatic) {
  return lf::plan(e, choice).kernels;
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
  EXPECT_TRUE(!cut[0].because.empty() && !cut[1].because.empty() && cut[2].because.empty());
  EXPECT_EQ(cut[2].pattern, "transform");
}

TEST(kernel_plans, of_many_short_rows_are_one_for_each_step_on_the_host) {
  const matrix many = lf::ones<float>({300, 16}), few = lf::ones<float>({30, 16}), longer = lf::ones<float>({300, 64});
  EXPECT_EQ(kernels_of(lf::softmax(many)).size(), 3u);
  EXPECT_EQ(kernels_of(lf::softmax(many), lf::plan_choice::rows).size(), 1u);
  EXPECT_EQ(kernels_of(lf::softmax(few)).size(), 1u);
  EXPECT_EQ(kernels_of(lf::softmax(longer)).size(), 1u);
  const auto dear = lf::tgamma(many) * lf::sin(lf::pow(many, 2.5F));
  EXPECT_EQ(kernels_of(dear / lf::sum(dear, lf::axis<1>, lf::keepdims)).size(), 1u) << "computed once";
  EXPECT_TRUE(test::evaluates_to(lf::array<float, 2, lf::host>(lf::softmax(many)),
                                 test::tensor<float>({300, 16}, std::vector<float>(4800, 0.0625F))));
}

TEST(kernel_plans, of_a_barrier_come_first) {
  const matrix x = lf::ones<float>({6, 4});
  const auto plans = kernels_of(lf::barrier(x * x) + 1);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].because, "cut by barrier");
  EXPECT_EQ(plans[1].because, "");
}

/// An expression's kernels, and how many operands the only one is to have.
struct read_as {
  const char* what;
  std::vector<lf::planned_kernel> kernels;
  int operands;
};
TEST(kernel_plans, of_fused_views_read_each_view_once) {
  using lf::all, lf::axis, lf::newaxis;
  const matrix x = lf::ones<float>({6, 6});
  const lf::array<float, 1, lf::host> v = lf::arange<float>(6), w = lf::arange<float>(6) * 2;
  const auto of = [&](const auto& f) { return kernels_of(lf::fuse(f)(x)); };
  const auto pairs = [](auto a, auto b) {
    const auto d = a(newaxis, all) - a(all, newaxis);
    const auto e = b(newaxis, all) - b(all, newaxis);
    return (d * d + e * e) * d * a(all, newaxis);
  };
  const read_as table[] = {
      {"the same", of([](auto a) { return a * a.T().T() - lf::permute_dims<0, 1>(a); }), 1},
      {"a transpose, written in three ways",
       of([](auto a) { return a.T() * lf::transpose(a) - lf::permute_dims<1, 0>(a) * a; }), 2},
      {"flipped once, twice and along another axis", of([](auto a) {
         return lf::flip(a) * lf::flip(lf::flip(a, axis<0>), axis<1>) - lf::flip(lf::flip(a)) * lf::flip(a, axis<0>);
       }),
       3},
      {"new axes", of([](auto a) { return a(newaxis) * a(newaxis, all) + a(newaxis, lf::ellipsis, all) * a; }), 2},
      {"broadcast as it would be anyway", of([](auto a) {
         return a * lf::broadcast_to(a, {6, 6});
       }),
       1},
      {"a transpose of an expression, and an expression of transposes",
       of([](auto a) { return lf::exp(a * 2).T() - lf::exp(a.T() * 2) + a.T(); }), 1 + 2},
      {"by ranges: as often as it is written",
       of([](auto a) { return a(all, lf::range(0, 6)) * a(all, lf::range(0, 6)); }), 2},
      {"of two arguments over all pairs", kernels_of(lf::fuse(pairs)(v, w)), 4},
      {"in a sum", kernels_of(lf::sum(lf::fuse(pairs)(v, w), axis<1>)), 4},
  };
  for (const read_as& t : table) {
    ASSERT_EQ(t.kernels.size(), 1u) << t.what;
    EXPECT_EQ(int(t.kernels[0].operands.size()), t.operands) << t.what << ": " << t.kernels[0].program;
  }
}
TEST(kernel_plans, of_terms_over_several_arrays_take_names_for_one_within_each) {
  using lf::axis;
  const matrix x = lf::ones<float>({64, 64}), y = x * 2, z = x * 3;
  const auto t = lf::exp(x), u = lf::exp(y), v = lf::exp(z);
  const auto squares = t * t + u * u + v * v;
  const read_as table[] = {
      {"squares of three", kernels_of(squares), 3},
      {"and what they are made of again", kernels_of(squares * u + squares), 3 + 1},
      {"a difference of equal ones", kernels_of(t * t - t * t), 2},
      {"sums of both", kernels_of(lf::sum(t * t) - lf::sum(u * u)), 2},
  };
  for (const read_as& r : table) {
    ASSERT_EQ(r.kernels.size(), 1u) << r.what;
    EXPECT_EQ(int(r.kernels[0].operands.size()), r.operands) << r.what << ": " << r.kernels[0].program;
    EXPECT_TRUE(r.kernels[0].shared) << r.what;
  }
  EXPECT_EQ(kernels_of(lf::softmax(x) + lf::softmax(y)).size(), 1u) << "rows of two arrays";
  EXPECT_EQ(kernels_of(lf::softmax(x) - lf::softmax(y) - lf::softmax(z)).size(), 1u) << "of three";
}

TEST(kernel_plans, say_what_each_operand_is) {
  const matrix x = lf::ones<float>({6, 4}), wide = lf::ones<float>({6, 8});
  const auto k = kernels_of(lf::barrier(x + 1) * wide(lf::all, lf::range(0, 4)) * 2.5f).back();
  EXPECT_EQ(k.program, "((x0 * x1) * x2)");
  ASSERT_EQ(k.operands.size(), 3u);
  EXPECT_EQ(k.operands[0].type, "float32");
  EXPECT_TRUE(k.operands[0].temporary);
  EXPECT_EQ(k.operands[0].steps, (std::vector<lf::index_t>{4, 1}));
  EXPECT_FALSE(k.operands[1].temporary);
  EXPECT_EQ(k.operands[1].steps, (std::vector<lf::index_t>{8, 1}));
  EXPECT_TRUE(k.operands[2].constant);
  const auto drawn = kernels_of(lf::random::uniform<float>(lf::shape(6, 4), lf::seed{1}) + x)[0];
  EXPECT_TRUE(drawn.operands[0].computed);
}
TEST(kernel_plans, come_with_those_not_taken_and_why) {
  const matrix x = lf::ones<float>({64, 1000});
  const auto taken = lf::plan(x / lf::sum(x, lf::axis<1>, lf::keepdims));
  EXPECT_EQ(taken.space, "host");
  ASSERT_EQ(taken.results.size(), 1u);
  EXPECT_EQ(taken.results[0].type, lf::dtype::float32);
  EXPECT_EQ(taken.results[0].shape, (extents{64, 1000}));
  EXPECT_GT(taken.predicted_us, 0);
  ASSERT_EQ(taken.kernels.size(), 1u);
  EXPECT_EQ(taken.kernels[0].passes.size(), 2u);
  ASSERT_EQ(taken.refused.size(), 1u);
  EXPECT_EQ(taken.refused[0].name, "cut");
  EXPECT_EQ(taken.refused[0].kernels, 2);
  EXPECT_EQ(taken.refused[0].written, 64 * 1000 * 4 + 64 * 4);
  EXPECT_GE(taken.refused[0].predicted_us, taken.predicted_us);
  const auto unlike = lf::plan(x / lf::sum(x, lf::axis<0>) / lf::sum(x, lf::axis<1>, lf::keepdims));
  ASSERT_FALSE(unlike.refused.empty());
  EXPECT_EQ(unlike.refused[0].reason, "reductions are over different extents, or along different axes");
}
TEST(kernel_plans, of_several_expressions_are_those_of_materialize) {
  const matrix x = lf::ones<float>({64, 1000});
  const auto y = lf::sqrt(x + 1);
  const lf::kernel_trace trace;
  const auto together = lf::plan(lf::min(x), lf::max(x), y, lf::sum(y, lf::axis<1>));
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(trace.allocations(), 0);
  ASSERT_EQ(together.results.size(), 4u);
  EXPECT_EQ(together.results[3].shape, extents{64});
  lf::materialize(lf::min(x), lf::max(x), y, lf::sum(y, lf::axis<1>));
  ASSERT_EQ(together.kernels.size(), trace.kernels().size());
  for (std::size_t k = 0; k < together.kernels.size(); ++k) {
    EXPECT_EQ(together.kernels[k].program, trace.kernels()[k].name);
    EXPECT_EQ(together.kernels[k].path, trace.kernels()[k].path);
    EXPECT_EQ(together.kernels[k].read, trace.kernels()[k].bytes_read);
  }
  const std::string text = lf::explain(lf::min(x), lf::sum(y, lf::axis<1>));
  EXPECT_NE(text.find("results float32[] float32[64] on host"), std::string::npos) << text;
}
TEST(kernel_plans, are_a_list_that_is_launched_as_often_as_one_likes) {
  const matrix x = lf::ones<float>({64, 1000});
  const auto e = lf::barrier(x * 2) + x;
  matrix y = lf::zeros<float>({64, 1000});
  lf::allocation* const owner = y.owner();
  lf::plan_list plans(-1);
  lf::run<lf::host, 2, float>(lf::execution{&plans}, e.shape(),
                              lf::ir::target_pack<2, float>{{{{y.unshared(), y.tree.steps}}}}, &owner, e.tree);
  ASSERT_EQ(plans.size(), 2);
  EXPECT_TRUE(plans.has_memory_between());
  EXPECT_EQ(plans[0].because, lf::plan(e).kernels[0].because);
  EXPECT_EQ(y(0, 0).item(), 0) << "none has run";
  for (int run = 0; run < 2; ++run) {
    y *= 0;
    const lf::kernel_trace trace;
    plans.launch();
    EXPECT_EQ(trace.launches(), 2);
    EXPECT_EQ(trace.allocations(), 0);
    EXPECT_EQ(y(63, 999).item(), 3);
  }
}
TEST(kernel_plans, that_are_only_described_have_no_memory) {
  const matrix x = lf::ones<float>({64, 1000});
  const lf::kernel_trace trace;
  const auto plans = lf::planning::plans_of<lf::host>((lf::barrier(x * 2) + x).tree);
  EXPECT_EQ(plans.size(), 2);
  EXPECT_FALSE(plans.has_memory());
  EXPECT_EQ(trace.allocations(), 0);
}
TEST(kernel_plans, add_up_and_print_as_explain_does) {
  const matrix x = lf::ones<float>({64, 1000});
  const auto e = lf::barrier(x * 2) + x;
  const auto p = lf::plan(e);
  EXPECT_EQ(p.costs(), p.kernels[0].costs + p.kernels[1].costs);
  EXPECT_EQ(p.costs().launches, 2);
  std::ostringstream out;
  out << p;
  EXPECT_EQ(out.str(), lf::explain(e));
  EXPECT_EQ(lf::explain(p), lf::explain(e));
}

TEST(kernel_plans, of_nothing_are_none) {
  const matrix x(lf::shape(0, 4));
  EXPECT_TRUE(kernels_of(x + 1).empty());
}

}  // namespace
