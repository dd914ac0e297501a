// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of two files, one by nvcc, one by the C++ compiler, with the same expressions: each gets from its own what
// that can do.
#include "support/standin_cudart.hpp"

#include <lazyfuse/cuda.cuh>

#include <gtest/gtest.h>

#include "backend/cuda/two_compilers.hpp"

#include <cstdlib>

namespace {

namespace lf = lazyfuse;
using test::vector;

/// How many kernels the evaluation launches, and of these, which were made at run time.
struct launched {
  std::size_t kernels = 0, made = 0;
};
launched by(const std::function<void()>& evaluate) {
  const lf::kernel_trace t;
  evaluate();
  launched n;
  for (const auto& k : t.kernels()) {
    ++n.kernels;
    n.made += k.made;
  }
  return n;
}

TEST(two_compilers, of_one_program_make_kernels_each_in_its_own_way) {
  ::setenv("LAZYFUSE_CACHE", "off", 1);
  const vector x(lf::shape(1000)), y(lf::shape(1000));
  const auto mine = test::evaluations(x, y), theirs = test::by_the_cpp_compiler(x, y);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const long before = lf::kernels_compiled();
    const launched by_nvcc = by(mine[i]);
    EXPECT_GT(by_nvcc.kernels, 0u) << i;
    EXPECT_EQ(by_nvcc.made, 0u) << i;
    EXPECT_EQ(lf::kernels_compiled(), before) << i;
    const launched by_cpp = by(theirs[i]);
    EXPECT_EQ(by_cpp.kernels, by_nvcc.kernels) << i;
    EXPECT_EQ(by_cpp.made, by_cpp.kernels) << i;
  }
}

TEST(two_compilers, of_one_program_pass_arrays_to_each_other) {
  vector x(lf::shape(1000));
  const lf::kernel_trace t;
  x = test::one_more_by_the_cpp_compiler(x * 2) * 3;
  ASSERT_EQ(t.kernels().size(), 3u);
  EXPECT_FALSE(t.kernels()[0].made);
  EXPECT_TRUE(t.kernels()[1].made);
  EXPECT_FALSE(t.kernels()[2].made);
  EXPECT_EQ(t.kernels()[1].elements, 1000);
}

}  // namespace
