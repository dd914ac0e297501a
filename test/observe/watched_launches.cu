// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LAZYFUSE_SYNC, LAZYFUSE_EXPLAIN and a tool for NVTX see of launches. Each test asks for it in a process of its
// own, since the environment is read once. No GPU: a runtime of the tests' own stands in.
#include "support/arrays.hpp"
#include "support/standin_cudart.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace {

using matrix = lf::array<float, 2, lf::cuda>;
using lf::axis, lf::keepdims;

/// Runs f and ends the process: with 0, or with 1 and the text of what was thrown.
template <class F>
[[noreturn]] void end_after(const F& f) {
  try {
    f();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "thrown: %s\n", e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}
matrix operand() { return test::array_of<lf::cuda, 2>(test::counting<float>({64, 100})); }

class watched_launches : public ::testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(watched_launches, that_fault_are_named_by_LAZYFUSE_SYNC) {
  EXPECT_EXIT(end_after([] {
                setenv("LAZYFUSE_SYNC", "1", 1);
                const matrix x = operand();
                standin::fault_at(2);
                const matrix y = x * 2 + 1, z = lf::sqrt(y), w = y - z;
              }),
              testing::ExitedWithCode(1),
              "thrown: sqrt\\(x0\\): cudaStreamSynchronize: an illegal memory access was encountered "
              "\\(cudaErrorIllegalAddress\\) \\(.*watched_launches.cu:[0-9]+\\)\n$");
  EXPECT_EXIT(end_after([] {
                setenv("LAZYFUSE_SYNC", "1", 1);
                matrix x = operand();
                standin::fault_at(1);
                x = lf::sqrt(x);  // an assignment has no place to name
              }),
              testing::ExitedWithCode(1), "thrown: sqrt\\(x0\\): .*cudaErrorIllegalAddress\\)\n$");
}
TEST_F(watched_launches, that_fault_are_found_late_without_it) {
  EXPECT_EXIT(end_after([] {
                const matrix x = operand();
                standin::fault_at(1);
                const matrix y = lf::sqrt(x);
                (void)lf::to<lf::host>(y);
              }),
              testing::ExitedWithCode(1),
              "thrown: cuda.*: an illegal memory access was encountered \\(cudaErrorIllegalAddress\\) "
              "\\(.*watched_launches.cu:[0-9]+\\); a kernel launched "
              "before may be at fault: LAZYFUSE_SYNC=1 names it\n$");
}
TEST_F(watched_launches, are_waited_for_one_by_one_by_LAZYFUSE_SYNC_alone) {
  const auto calls = [](const char* sync) {
    setenv("LAZYFUSE_SYNC", sync, 1);
    const matrix x = operand();
    matrix y = x * 2;
    standin::reset();
    y = x * 2;
    y = x * 2;
    std::fprintf(stderr, "%ld calls\n", standin::calls());
  };
  EXPECT_EXIT(end_after([&] { calls("0"); }), testing::ExitedWithCode(0), "^2 calls\n$");
  // each launch also asks whether the stream is captured, and waits
  EXPECT_EXIT(end_after([&] { calls("1"); }), testing::ExitedWithCode(0), "^6 calls\n$");
}

TEST_F(watched_launches, are_printed_by_LAZYFUSE_EXPLAIN) {
  EXPECT_EXIT(end_after([] {
                setenv("LAZYFUSE_EXPLAIN", "1", 1);
                const matrix x = operand();
                const matrix y = x * 2 + 1;
              }),
              testing::ExitedWithCode(0),
              "^#1 transform  \\(\\(x0 \\* x1\\) \\+ x2\\)\n"
              "   6400 positions, path flat; reads 25 KiB, writes 25 KiB\n"
              "   x0: float32 contiguous\n"
              "   x1: float32 constant\n"
              "   x2: float32 constant\n"
              "   measured: 250 us, [0-9.]+ of the predicted [0-9.]+ us\n$");
  EXPECT_EXIT(end_after([] {
                setenv("LAZYFUSE_EXPLAIN", "1", 1);
                const matrix x = operand();
                const matrix y = lf::softmax(x, axis<1>);
              }),
              testing::ExitedWithCode(0), "   pass 1: r0 = max\\(x0\\)\n.*   results in: warp.*   measured: 250 us");
  EXPECT_EXIT(
      end_after([] {
        setenv("LAZYFUSE_EXPLAIN", "1", 1);
        const matrix x = operand();
        const matrix y = x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims);
        const matrix z = x * 2;
      }),
      testing::ExitedWithCode(0),
      "^#1 reduce  sum\\(x0\\)\n.*to a temporary, cut at a reduction\n.*#2 reduce .*#3 transform .*"
      "3 kernels: reads [0-9.]+ KiB, writes [0-9.]+ KiB; measured: 750 us, [0-9.]+ of the predicted [0-9.]+ us\n"
      "#1 transform  \\(x0 \\* x1\\)\n");
}
TEST_F(watched_launches, of_the_host_are_printed_too) {
  EXPECT_EXIT(end_after([] {
                setenv("LAZYFUSE_EXPLAIN", "1", 1);
                const lf::array<float, 1, lf::host> x{1, 2, 3};
                const lf::array<float, 1, lf::host> y = x * 2;
              }),
              testing::ExitedWithCode(0), "^#1 transform  \\(x0 \\* x1\\)\n   3 positions, path loop.*   measured: ");
}
TEST_F(watched_launches, that_fail_end_the_plan_that_is_printed) {
  EXPECT_EXIT(end_after([] {
                setenv("LAZYFUSE_EXPLAIN", "1", 1);
                const matrix x = operand();
                try {
                  for (long n = 1;; ++n) {  // until it is the second launch that fails
                    standin::fail_at(n);
                    const matrix y = x * lf::barrier(x + 1);
                  }
                } catch (const lf::error&) {
                }
                for (long n = 1; standin::failed() != "cudaLaunchKernel" || standin::launches().empty(); ++n) try {
                    standin::fail_at(n);
                    const matrix y = x * lf::barrier(x + 1);
                  } catch (const lf::error&) {
                  }
                standin::reset();
                std::fprintf(stderr, "now\n");
                const matrix y = x * 2;
              }),
              testing::ExitedWithCode(0), "now\n#1 transform");
}

TEST_F(watched_launches, are_ranges_with_readable_names_for_profilers) {
  EXPECT_EXIT(end_after([] {
                setenv("NVTX_INJECTION64_PATH", NVTX_RECORDER, 1);
                const matrix x = operand(), y = operand();
                const auto s = lf::materialize(lf::sum(x * y + 2));
                const matrix z = (x + y) * (x - y) - lf::sin(x) / lf::cos(x);
                const auto m = lf::materialize(lf::max(lf::abs(x), axis<1>));
              }),
              testing::ExitedWithCode(0),
              "^push lazyfuse: sum\\(x0 \\* x1 \\+ x2\\)\npop\n"
              "push lazyfuse: \\(x0 \\+ x1\\) \\* \\(x2 - x3\\) - sin\\(x4\\) / cos\\(x4\\)\npop\n"
              "push lazyfuse: max\\(abs\\(x0\\)\\)\npop\n$");
}
TEST_F(watched_launches, cost_next_to_nothing_while_nobody_watches) {
  const matrix x = operand();  // the CUDA library is in use
  double least = 1e9;
  for (int round = 0; round < 50; ++round) {
    constexpr int count = 10000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const lf::trace_detail::launching now("program", true);
      EXPECT_FALSE(now.watched());
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count() / count);
  }
  std::printf("%.1f ns a launch\n", least);
  EXPECT_LT(least, 1000);  // no file, no lock that is waited for; how little it is, bench/gpu/launch_cost.cu says
}

}  // namespace
