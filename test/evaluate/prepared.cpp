// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prepared assignment computes what the assignment does, over its own arrays and over others, and nothing is planned
// or allocated again. What expressions mean is tested elsewhere: here they are compared with plain assignments.
#include "support/arrays.hpp"

#include <functional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::none, lf::range;

template <class Space>
class prepared : public test::on<Space> {};
TYPED_TEST_SUITE(prepared, test::spaces, test::space_name);

template <class Space>
using vector = lf::array<float, 1, Space>;
template <class Space>
using matrix = lf::array<float, 2, Space>;

using test::thrown_by, test::values;
template <class Space>
matrix<Space> counting(float first, float step = 0.37f, const test::extents& shape = {20, 36}) {
  return test::array_of<Space, 2>(test::counting<float>(shape, first, step));
}

/// Calls each(text, make) for expressions of every pattern: make(x, z, s) of two matrices and a number.
template <class Each>
void each_expression(const Each& each) {
  each("a transform", [](const auto& x, const auto& z, float s) { return s * x + lf::sin(z); });
  each("an array", [](const auto& x, const auto&, float) { return x + 0; });
  each("a cast", [](const auto& x, const auto&, float s) { return lf::cast<int>(x * s); });
  each("views", [](const auto& x, const auto& z, float) { return x(range(1, none)) - z(range(none, -1)); });
  each("backwards", [](const auto& x, const auto& z, float) { return lf::flip(x, axis<1>) + z; });
  each("transposed", [](const auto& x, const auto& z, float s) { return x.T() * s + z.T(); });
  each("a row for all", [](const auto& x, const auto& z, float) { return x * z(0); });
  each("a roll", [](const auto& x, const auto& z, float) { return lf::roll(x, 2, axis<1>) + z; });
  each("a stencil", [](const auto& x, const auto&, float s) {
    return s * x(range(1, -1), range(1, -1)) - x(range(2, none), range(1, -1)) - x(range(none, -2), range(1, -1)) -
           x(range(1, -1), range(2, none)) - x(range(1, -1), range(none, -2));
  });
  each("one operand twice", [](const auto& x, const auto& z, float s) {
    const auto t = x * z;
    return t * t + s;
  });
  each("positions", [](const auto& x, const auto&, float) {
    return lf::reshape(lf::arange<float>(x.size()), {x.extent(0), x.extent(1)}) * x;
  });
  each("random numbers", [](const auto& x, const auto&, float s) {
    return x + lf::random::normal<float>(x.shape(), lf::seed{static_cast<unsigned>(s)});
  });
  each("one sum", [](const auto& x, const auto& z, float s) { return lf::sum(x * z) + s; });
  each("sums of rows", [](const auto& x, const auto& z, float s) { return lf::sum(x * s + z, axis<1>); });
  each("means of columns", [](const auto& x, const auto& z, float) { return lf::mean(x - z, axis<0>); });
  each("places", [](const auto& x, const auto&, float) { return lf::argmax(x, axis<1>); });
  each("rows", [](const auto& x, const auto& z, float) { return x - lf::mean(x, axis<1>, keepdims) + z; });
  each("rows side by side", [](const auto& x, const auto&, float) { return lf::softmax(x, axis<0>); });
  each("a scan", [](const auto& x, const auto&, float s) { return lf::cumsum(x * s, axis<1>); });
  each("a scan of columns", [](const auto& x, const auto& z, float) { return lf::cumsum(x, axis<0>) + z; });
  each("a scan from the other end",
       [](const auto& x, const auto& z, float s) { return lf::cumsum(x + z, axis<1>, lf::backwards) * s; });
  each("a number in a scan and in another kernel", [](const auto& x, const auto&, float s) {
    return lf::cumsum(x * s, axis<1>) / lf::sum(x * s + 1, axis<1>, keepdims);
  });
  each("a range in a scan from the other end and in another kernel", [](const auto& x, const auto& z, float s) {
    const auto weights = lf::linspace(0.5f, s, x.extent(1));
    return lf::cumsum(x * weights, axis<1>, lf::backwards) / lf::sum(z * weights, axis<1>, keepdims);
  });
  each("two reductions along unlike axes", [](const auto& x, const auto& z, float s) {
    return s * x / lf::sum(x, axis<0>) / lf::sum(z, axis<1>, keepdims);
  });
  each("one array in several ways", [](const auto& x, const auto& z, float s) {
    return (x / lf::sum(x, axis<0>) / lf::sum(z, axis<1>, keepdims) - x(0) + z(all, range(3, 4))) * s;
  });
  each("a barrier", [](const auto& x, const auto& z, float s) { return x * lf::barrier(z * s) + z; });
  each("a roll of a reduction",
       [](const auto& x, const auto& z, float s) { return lf::roll(lf::sum(x, axis<0>), 3) * z * s; });
}

TYPED_TEST(prepared, expressions_of_every_pattern_compute_what_is_assigned) {
  const auto x = counting<TypeParam>(-3), z = counting<TypeParam>(1, 0.11f);
  const auto x2 = counting<TypeParam>(5, -0.2f), z2 = counting<TypeParam>(2, 0.5f);
  each_expression([&](const char* text, const auto& make) {
    SCOPED_TRACE(text);
    lf::kernel_trace assigning;
    lf::array y = make(x, z, 2.0f);
    const auto kernels = assigning.launches();
    const auto expected = test::tensor_of(y), others = test::tensor_of(make(x2, z2, 3.0f));
    auto y2 = lf::materialize(lf::zeros_like(y));
    y = lf::zeros_like(y);
    auto step = lf::prepare(y, make(x, z, 2.0f));
    EXPECT_TRUE(test::same(test::tensor_of(y), test::tensor_of(y2))) << "nothing has run";
    step();
    EXPECT_TRUE(test::evaluates_to(y, expected));
    step(y2, make(x2, z2, 3.0f));
    EXPECT_TRUE(test::evaluates_to(y2, others));
    step(y2, make(z2, x, 3.0f));
    EXPECT_TRUE(test::evaluates_to(y2, test::tensor_of(make(z2, x, 3.0f)))) << "other arrays, the same scalar";
    step(y2, make(x, x, 2.0f));
    EXPECT_TRUE(test::evaluates_to(y2, test::tensor_of(make(x, x, 2.0f)))) << "one array where there were two";
    y = lf::zeros_like(y);
    y2 = lf::zeros_like(y);
    {
      const lf::kernel_trace running;
      step();
      EXPECT_EQ(running.launches(), kernels);
      step(y2, make(x2, z2, 3.0f));
      step();
      EXPECT_EQ(running.launches(), 3 * kernels);
      EXPECT_EQ(running.allocations(), 0);
    }
    EXPECT_TRUE(test::evaluates_to(y, expected));
    EXPECT_TRUE(test::evaluates_to(y2, others));
  });
}

TYPED_TEST(prepared, operands_keep_the_values_they_had) {
  vector<TypeParam> x{1, 2, 3}, y;
  auto step = lf::prepare(y, x * 2);
  x(0) = 100;
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  x = vector<TypeParam>{};
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
}
TYPED_TEST(prepared, operands_of_one_run_are_not_kept) {
  vector<TypeParam> x{1, 2, 3}, y;
  auto step = lf::prepare(y, x * 2);
  vector<TypeParam> x2{4, 5, 6};
  for (int n = 0; n < 3; ++n) {
    const lf::kernel_trace trace;
    step(y, x2 * 2);
    x2 += 1;
    EXPECT_EQ(trace.allocations(), n == 0 ? 1 : 0) << "for y alone: nobody shares x2";
  }
  EXPECT_TRUE(test::evaluates_to(y, values({12, 14, 16})));
}

TYPED_TEST(prepared, a_roll_by_another_shift_is_planned_anew) {
  vector<TypeParam> x{1, 2, 3, 4}, y{0, 0, 0, 0};
  auto step = lf::prepare(y, lf::roll(lf::barrier(x * 2), 1));
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({8, 2, 4, 6})));
  step(y, lf::roll(lf::barrier(x * 2), 2));
  EXPECT_TRUE(test::evaluates_to(y, values({6, 8, 2, 4})));
}
TYPED_TEST(prepared, plans_say_which_operands_are_temporaries) {
  vector<TypeParam> x{1, 2, 3}, y;
  const auto p = lf::plan(lf::prepare(y, x / lf::barrier(x + 1)));
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_FALSE(p.kernels[1].operands[0].temporary);
  EXPECT_TRUE(p.kernels[1].operands[1].temporary);
}

TYPED_TEST(prepared, what_reads_its_result_goes_on_from_it) {
  vector<TypeParam> y{1, 2, 3};
  auto step = lf::prepare(y, y + 1);
  const lf::kernel_trace trace;
  for (int n = 0; n < 5; ++n) step();
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_TRUE(test::evaluates_to(y, values({6, 7, 8})));
  y(0) = 0;
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({1, 8, 9})));
  y = vector<TypeParam>{10, 20, 30};
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({11, 21, 31})));
}
TYPED_TEST(prepared, what_reads_its_result_at_other_places_takes_turns_with_one_more_memory) {
  vector<TypeParam> y{1, 2, 3};
  auto step = lf::prepare(y, lf::flip(y) * 2);
  const lf::kernel_trace trace;
  for (int n = 0; n < 5; ++n) step();
  EXPECT_EQ(trace.allocations(), 1);
  EXPECT_TRUE(test::evaluates_to(y, values({96, 64, 32})));
  auto cut = lf::prepare(y, y / lf::barrier(lf::flip(y)));
  y = vector<TypeParam>{1, 2, 4};
  cut();
  EXPECT_TRUE(test::evaluates_to(y, values({0.25f, 1, 4})));
  cut();
  EXPECT_TRUE(test::evaluates_to(y, values({0.0625f, 1, 16})));
  auto rows = lf::prepare(y, y - lf::max(y));
  rows();
  rows();
  EXPECT_TRUE(test::evaluates_to(y, values({-15.9375f, -15, 0})));
}
TYPED_TEST(prepared, a_result_that_others_hold_is_left_to_them) {
  const vector<TypeParam> x{1, 2, 3};
  vector<TypeParam> y{0, 0, 0};
  auto step = lf::prepare(y, x * 2);
  const auto before = y;
  step();
  const auto once = y;
  step();
  EXPECT_TRUE(test::evaluates_to(before, values({0, 0, 0})));
  EXPECT_TRUE(test::evaluates_to(once, values({2, 4, 6})));
  auto more = lf::prepare(y, y + x);
  more();
  const auto held = y;
  const auto stored = y + 0;
  more();
  EXPECT_TRUE(test::evaluates_to(held, values({3, 6, 9})));
  EXPECT_TRUE(test::evaluates_to(stored, values({3, 6, 9})));
  EXPECT_TRUE(test::evaluates_to(y, values({4, 8, 12})));
  y = x;
  step();
  EXPECT_TRUE(test::evaluates_to(x, values({1, 2, 3})));
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
}
TYPED_TEST(prepared, a_result_that_is_elsewhere_by_now_gets_memory_as_by_assignment) {
  const vector<TypeParam> x{1, 2, 3};
  vector<TypeParam> y;
  auto step = lf::prepare(y, x * 2);
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  const vector<TypeParam> taken = std::exchange(y, {});
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  EXPECT_NE(y.data(), taken.data());
  y = vector<TypeParam>{1, 2, 3, 4};
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  vector<TypeParam> empty;
  step(empty, x * 3);
  EXPECT_TRUE(test::evaluates_to(empty, values({3, 6, 9})));
}

TYPED_TEST(prepared, runs_over_others_in_place_or_not_as_assignments_do) {
  const vector<TypeParam> x{1, 2, 3};
  vector<TypeParam> y, z{1, 2, 3};
  auto step = lf::prepare(y, x(range(0, 3)) + x * 10);
  {
    const lf::kernel_trace trace;
    step(z, z(range(0, 3)) + z * 10);
    EXPECT_EQ(trace.allocations(), 0);
  }
  EXPECT_TRUE(test::evaluates_to(z, values({11, 22, 33})));
  const auto held = z;
  step(z, z(range(0, 3)) + z * 10);
  EXPECT_TRUE(test::evaluates_to(z, values({121, 242, 363})));
  EXPECT_TRUE(test::evaluates_to(held, values({11, 22, 33})));
  auto turn = lf::prepare(y, lf::flip(x) * 2);
  turn(z, lf::flip(z) * 2);
  EXPECT_TRUE(test::evaluates_to(z, values({726, 484, 242})));
}
TYPED_TEST(prepared, operands_may_begin_at_any_element) {
  const auto x = test::array_of<TypeParam, 1>(test::counting<float>({1001}));
  vector<TypeParam> y;
  auto step = lf::prepare(y, x(range(0, 1000)) * 2);
  step();
  for (const int first : {1, 0}) {
    step(y, x(range(first, first + 1000)) * 2);
    EXPECT_TRUE(test::evaluates_to(y, test::counting<float>({1000}, 2.0f * static_cast<float>(first), 2)));
  }
}
TYPED_TEST(prepared, operands_that_were_one_array_may_be_two) {
  const vector<TypeParam> x{1, 2, 3}, z{4, 5, 6};
  const auto t = x + 1, u = z + 1;
  vector<TypeParam> y;
  auto step = lf::prepare(y, t * t);
  step(y, t * u);
  EXPECT_TRUE(test::evaluates_to(y, values({10, 18, 28})));
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({4, 9, 16})));
  auto apart = lf::prepare(y, t * u);
  apart(y, u * u);
  EXPECT_TRUE(test::evaluates_to(y, values({25, 36, 49})));
}
TYPED_TEST(prepared, memory_of_others_is_read_as_it_is) {
  auto x = test::array_of<TypeParam, 1>(values({1, 2, 3}));
  vector<TypeParam> y;
  auto step = lf::prepare(y, lf::borrow<TypeParam>(std::as_const(x).data(), {3}) * 2);
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  x(1) = 20;
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({2, 40, 6})));
  vector<TypeParam> z{1, 2, 3, 4};
  auto overlapping = lf::prepare(z, lf::borrow<TypeParam>(std::as_const(z).data(), {4})(range(none, none, -1)) + 1);
  overlapping();
  EXPECT_TRUE(test::evaluates_to(z, test::tensor<float>({4}, {5, 4, 3, 2})));
}

TYPED_TEST(prepared, another_layout_is_refused_by_the_name_of_what_differs) {
  const auto x = counting<TypeParam>(0), wide = counting<TypeParam>(0, 1, {20, 72}),
             high = counting<TypeParam>(0, 1, {36, 20});
  const matrix<TypeParam> nothing;
  matrix<TypeParam> y = lf::zeros_like(x);
  vector<TypeParam> v;
  auto step = lf::prepare(y, x * 2 + x);
  auto total = lf::prepare(v, lf::sum(x, axis<1>)(range(0, 5)));
  const std::tuple<const char*, std::function<void()>, const char*> cases[] = {
      {"another shape", [&] { step(y, high * 2 + high); },
       "prepare: operand 0 has shape (36, 20), and was prepared with (20, 36); prepare another, or assign ("},
      {"without elements", [&] { step(y, nothing * 2 + nothing); },
       "prepare: operand 0 has shape (0, 0), and was prepared with (20, 36); prepare another, or assign ("},
      {"other steps", [&] { step(y, x * 2 + wide(all, range(0, 36))); },
       "prepare: operand 2 has steps (72, 1), and was prepared with (36, 1); prepare another, or assign ("},
      {"transposed", [&] { step(y, x * 2 + lf::transpose(high)); },
       "prepare: operand 2 has steps (1, 20), and was prepared with (36, 1); prepare another, or assign ("},
      {"a view of a reduction", [&] { total(v, lf::sum(x, axis<1>)(range(1, 6))); },
       "prepare: the view of reduction 0 has offset (1,), and was prepared with (0,); prepare another, or assign ("},
  };
  step();
  total();
  const auto before = test::tensor_of(y);
  for (const auto& [text, run, message] : cases) {
    EXPECT_EQ(thrown_by<lf::shape_error>(run).substr(0, std::string(message).size()), message) << text;
    EXPECT_TRUE(test::evaluates_to(y, before)) << text;
  }
  step();
  EXPECT_TRUE(test::evaluates_to(y, before)) << "and goes on";
}
TYPED_TEST(prepared, a_result_that_is_read_keeps_its_shape) {
  vector<TypeParam> y{1, 2, 3};
  auto step = lf::prepare(y, y(range(1, none)) * 2);
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({4, 6})));
  EXPECT_EQ(thrown_by<lf::shape_error>([&] { step(); }).find("prepare: shapes (2,) and (3,) differ"), 0u);
  y = vector<TypeParam>{4, 5, 6};
  step();
  EXPECT_TRUE(test::evaluates_to(y, values({10, 12})));
}
TYPED_TEST(prepared, an_expression_that_shares_its_result_with_others_is_refused) {
  vector<TypeParam> y{1, 2, 3};
  const auto copy = y;
  EXPECT_EQ(thrown_by<lf::index_error>([&] { lf::prepare(y, copy + 1); }).find("prepare: the expression reads"), 0u);
  EXPECT_EQ(thrown_by<lf::index_error>([&] { lf::prepare(y, y + 1); }).find("prepare: the expression reads"), 0u);
  vector<TypeParam> z{1, 2, 3};
  const auto stored = z + 1;
  EXPECT_EQ(thrown_by<lf::index_error>([&] { lf::prepare(z, stored); }).find("prepare: the expression reads"), 0u);
  y = copy + 0;
  EXPECT_NO_THROW(lf::prepare(y, y + copy)());
}

TYPED_TEST(prepared, copies_and_moved_ones_run_by_themselves) {
  const vector<TypeParam> x{1, 2, 3};
  vector<TypeParam> y{1, 1, 1}, z{2, 4, 6};
  auto step = lf::prepare(y, y / lf::barrier(x));
  auto copy = step;
  auto moved = std::move(step);
  moved();
  copy();
  EXPECT_TRUE(test::evaluates_to(y, values({1, 0.25f, 1.0f / 9})));
  copy = lf::prepare(z, z / lf::barrier(x));
  copy();
  EXPECT_TRUE(test::evaluates_to(z, values({2, 2, 2})));
  copy = moved;
  y = x;
  copy();
  EXPECT_TRUE(test::evaluates_to(y, values({1, 1, 1})));
  std::vector<decltype(moved)> several(3, moved);
  for (auto& s : several) s();
  EXPECT_TRUE(test::evaluates_to(y, values({1, 0.125f, 1.0f / 27})));
}
TYPED_TEST(prepared, threads_run_a_copy_each) {
  const auto x = counting<TypeParam>(1);
  matrix<TypeParam> y;
  auto step = lf::prepare(y, x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims));
  step();
  lf::synchronize();
  const auto expected = test::tensor_of(y * 4);
  std::vector<matrix<TypeParam>> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (auto& r : results)
    threads.emplace_back([&x, &r, mine = step]() mutable {
      for (int n = 0; n < 20; ++n) mine(r, x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims));
      r *= 4;
      lf::synchronize();
    });
  for (auto& t : threads) t.join();
  for (const auto& r : results) EXPECT_TRUE(test::evaluates_to(r, expected));
}

TYPED_TEST(prepared, results_of_any_type_and_size) {
  const vector<TypeParam> x{1, 2, 3}, nothing;
  lf::array<double, 1, TypeParam> wider;
  auto widening = lf::prepare(wider, x / 2);
  widening();
  EXPECT_TRUE(test::evaluates_to(wider, test::tensor<double>({3}, {0.5, 1, 1.5})));
  lf::array<float, 0, TypeParam> total;
  auto sum = lf::prepare(total, lf::sum(x * x));
  sum();
  EXPECT_EQ(total.item(), 14.0f);
  auto next = lf::prepare(total, total / 2 + lf::max(x));
  next();
  next();
  EXPECT_EQ(total.item(), 8.0f);
  vector<TypeParam> y{1, 2};
  auto empty = lf::prepare(y, nothing + 1);
  empty();
  empty();
  EXPECT_EQ(y.size(), 0);
  lf::array<int, 1, TypeParam> numbers;
  auto filled = lf::prepare(numbers, lf::arange<int>(4));
  filled();
  filled();
  EXPECT_TRUE(test::evaluates_to(numbers, test::tensor<int>({4}, {0, 1, 2, 3})));
}

TYPED_TEST(prepared, explain_says_what_runs) {
  const auto x = counting<TypeParam>(1);
  matrix<TypeParam> y;
  const auto e = x * 2 + 1;
  auto step = lf::prepare(y, e);
  EXPECT_EQ(lf::explain(step), lf::explain(e));
  step();
  EXPECT_EQ(lf::explain(step), lf::explain(e));
  auto cut = lf::prepare(y, x / lf::barrier(x + 1));
  EXPECT_NE(lf::explain(cut).find("2 kernels"), std::string::npos);
  EXPECT_NE(lf::explain(cut).find("cut by barrier"), std::string::npos);
}

}  // namespace
