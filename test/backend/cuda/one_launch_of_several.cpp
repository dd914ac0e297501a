// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is launched of expressions that share a launch, and what is left where that fails: with a stand-in for the CUDA
// runtime.
#include "support/standin_programs.hpp"

#include <gtest/gtest.h>

#include <lazyfuse/cuda.hpp>
#include <lazyfuse/graph.hpp>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

namespace {

namespace lf = lazyfuse;
using lf::all, lf::newaxis, lf::range;
using vector = lf::array<float, 1>;
using matrix = lf::array<float, 2>;

class one_launch_of_several : public test::by_standin {};
using test::launched_now;

TEST_F(one_launch_of_several, is_what_does_not_wait_for_each_other) {
  const vector x(lf::shape(1000)), y(lf::shape(77)), u(lf::shape(5000));
  const matrix m(lf::shape(30, 41));
  vector a(lf::shape(5)), b(lf::shape(12));
  struct row {
    const char* kernels;
    std::function<void()> evaluate;
  };
  const row table[] = {
      {"transform_parts", [&] { (void)lf::materialize(x + 1, y * 2); }},
      {"transform_parts", [&] { (void)lf::materialize(x + 1, m(all, range(1, 40, 2)) * 2, m + y(range(0, 41))); }},
      {"transform_flat", [&] { (void)lf::materialize(x + 1, vector(lf::shape(0)) + 1); }},
      {"transform_parts reduce_rows", [&] { (void)lf::materialize(x + 1, y * 2, lf::sum(y)); }},
      {"transform_flat reduce_rows transform_flat", [&] { (void)lf::materialize(x + 1, lf::sum(y), y * 2); }},
      {"scan_tiles transform_flat", [&] { (void)lf::materialize(lf::cumsum(u), x + 1); }},
      {"transform_strided transform_flat", [&] { (void)lf::materialize(m.T() + matrix(lf::shape(41, 30)), x + 1); }},
      {"transform_parts", [&] { lf::assign(lf::tie(a, b), x(range(0, 5)), b * 2); }},
      {"transform_flat transform_flat", [&] { lf::assign(lf::tie(a, b), b(range(0, 5)) + 1, b * 2); }},
      {"reduce_rows transform_parts",
       [&] { lf::assign(lf::tie(a, b), a / lf::sum(lf::exp(x), lf::axis<0>, lf::keepdims), b * 2); }},
      {"transform_flat", [&] { a = x(range(0, 5)) + 1; }},
  };
  for (const auto& [kernels, evaluate] : table)
    for (int again = 0; again < 3; ++again) {
      standin::reset();
      EXPECT_NO_THROW(evaluate());
      EXPECT_EQ(launched_now(), kernels) << again;
    }
}

TEST_F(one_launch_of_several, has_the_blocks_of_all) {
  const vector x(lf::shape(100000)), y(lf::shape(70000));
  const matrix m(lf::shape(300, 41));
  const auto blocks = [](const auto& evaluate) {
    standin::reset();
    evaluate();
    unsigned n = 0;
    for (const standin::launch& l : standin::launched()) n += l.blocks;
    return n;
  };
  const unsigned apart = blocks([&] { vector z = x + 1; }) + blocks([&] { vector z = lf::exp(y); }) +
                         blocks([&] { matrix z = m(all, range(0, 40, 2)) * 2; });
  EXPECT_EQ(blocks([&] { (void)lf::materialize(x + 1, lf::exp(y), m(all, range(0, 40, 2)) * 2); }), apart);
  EXPECT_EQ(launched_now(), "transform_parts");
}

TEST_F(one_launch_of_several, is_made_once_for_all_shapes) {
  const vector x(lf::shape(100000)), y(lf::shape(70000));
  const auto evaluate = [&](int n, int k) { (void)lf::materialize(x(range(0, n)) + 1, lf::exp(y(range(0, k)))); };
  evaluate(1000, 77);
  const long made = lf::kernels_compiled();
  for (const int n : {1, 2, 63, 4096, 99999})
    for (const int k : {5, 8, 1023}) evaluate(n, k);
  EXPECT_EQ(lf::kernels_compiled(), made);
}

TEST_F(one_launch_of_several, leaves_all_as_it_was_where_it_fails) {
  const vector x(lf::shape(1000)), y(lf::shape(77));
  vector a(lf::shape(3)), b(lf::shape(77));
  const auto evaluate = [&] { lf::assign(lf::tie(a, b), x + lf::sum(y), b * 2 + y); };
  evaluate();
  standin::reset();
  evaluate();
  const long calls = standin::calls();
  EXPECT_EQ(launched_now(), "reduce_rows transform_parts");
  const standin::balance live = standin::live();
  int failures = 0;
  for (long n = 1; n <= calls; ++n) {
    const float *const at_a = std::as_const(a).data(), *const at_b = std::as_const(b).data();
    standin::reset();
    standin::fail_at(n);
    bool thrown = false;
    try {
      evaluate();
    } catch (const lf::error&) {
      thrown = true;
      ++failures;
    }
    EXPECT_TRUE(standin::live() == live) << standin::failed();
    const bool unchanged = std::as_const(a).data() == at_a && std::as_const(b).data() == at_b;
    EXPECT_TRUE(unchanged || !thrown) << standin::failed();
  }
  EXPECT_GT(failures, 0);
  standin::reset();
  evaluate();
  EXPECT_EQ(launched_now(), "reduce_rows transform_parts");
}

TEST_F(one_launch_of_several, is_none_where_kernels_are_recorded) {
  const vector x(lf::shape(1000)), y(lf::shape(77));
  vector a(lf::shape(1000)), b(lf::shape(77));
  const lf::graph g = lf::record([&] { lf::assign(lf::tie(a, b), x + 1, y * 2); });
  EXPECT_EQ(g.kernels().size(), 2u);  // which the GPU runs beside each other
}

TEST_F(one_launch_of_several, is_said_to_be_one) {
  const vector x(lf::shape(1000)), y(lf::shape(77));
  EXPECT_EQ(
      lf::explain(lf::plan(x + 1, y * 2)),
      "results float32[1000] float32[77] on cuda: 1 kernel, predicted 3.1 us\n"
      "#1 transform  (x0 + x1)\n"
      "   1000 positions, path flat, compiled at run time: what is equal is read and computed once; reads 3.9 KiB, "
      "writes 3.9 KiB\n"
      "   x0: float32 contiguous\n"
      "   x1: float32 constant\n"
      "#1 transform  (x0 * x1)\n"
      "   77 positions, path flat, in the launch of the one before, compiled at run time: what is equal is read "
      "and computed once; reads 308 B, writes 308 B\n"
      "   x0: float32 contiguous\n"
      "   x1: float32 constant\n");
  const lf::kernel_trace trace;
  (void)lf::materialize(x + 1, y * 2);
  ASSERT_EQ(trace.kernels().size(), 2u);
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_FALSE(trace.kernels()[0].joined);
  EXPECT_TRUE(trace.kernels()[1].joined && trace.kernels()[1].made);
}

}  // namespace
