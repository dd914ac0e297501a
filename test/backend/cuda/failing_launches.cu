// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every call of the CUDA runtime that a statement makes fails in turn, launches too: what is thrown names the call and
// the reason, the destination is as it was, nothing leaks, and the library works on. No GPU: a runtime of the tests'
// own stands in.
#include "support/failing_new.hpp"
#include "support/standin_cudart.hpp"
#include "support/statements.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace {

using matrix = test::matrix<lf::cuda>;

/// What z is: where, its extents, its bytes, which lie in the host's memory here.
struct value {
  const float* data;
  lf::shape<2> shape;
  std::vector<float> elements;
  explicit value(const matrix& z) : data(z.data()), shape(z.shape()), elements(z.data(), z.data() + z.size()) {}
};

/// Whether z is what it was. A copy of its own, made since others shared it, is a kernel that only copies.
::testing::AssertionResult unchanged(const matrix& z, const value& before, const lf::kernel_trace& ran) {
  if (!(z.shape() == before.shape)) return ::testing::AssertionFailure() << "another shape";
  bool copied = false;
  for (const lf::kernel_record& k : ran.kernels())
    for (const void* to : k.written)
      if (to >= z.data() && to < z.data() + z.size()) {
        if (k.name != "x0" || z.data() == before.data) return ::testing::AssertionFailure() << "written by " << k.name;
        copied = true;
      }
  if (z.data() != before.data && !copied) return ::testing::AssertionFailure() << "other memory";
  if (!copied && value(z).elements != before.elements) return ::testing::AssertionFailure() << "other elements";
  return ::testing::AssertionSuccess();
}

/// Runs the statement; returns the text of what was thrown, empty if nothing was.
template <class F>
std::string thrown_by(const F& run) {
  try {
    run();
  } catch (const lf::cuda_error& e) {
    return e.what();
  } catch (const lf::memory_error& e) {
    return e.what();
  }
  return {};
}

/// In a process of its own: the n-th call since its beginning fails, then all works. Returns its status, 2 if there are
/// fewer calls.
int first_use_with_failing_call(long n) {
  const pid_t child = fork();
  if (child == 0) {
    const auto run = [] {
      const matrix x = test::operand<lf::cuda>(1);
      const matrix z = lf::softmax(x, lf::axis<1>);
      (void)lf::sum(z * x).item();
    };
    standin::fail_at(n);
    (void)thrown_by(run);
    const bool failed = !standin::failed().empty();
    standin::reset();
    const bool works = thrown_by(run).empty() && standin::launches().size() == 2 && standin::live().pools == 1;
    _exit(works ? failed ? 0 : 2 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
// Before the other tests of the program, whose calls would be the first ones.
TEST(failing_calls, at_first_use_are_made_up_for_at_the_next) {
  long n = 1;
  int status = 0;
  for (; status == 0 && n < 500; ++n) ASSERT_NE(status = first_use_with_failing_call(n), 1) << "call " << n;
  EXPECT_EQ(status, 2);
  EXPECT_GT(n, 20);
}

/// The assignments of every kind, and some on another stream, which waits for what was begun on the first.
std::vector<test::statement<lf::cuda>> all_statements() {
  std::vector<test::statement<lf::cuda>> all(std::begin(test::statements<lf::cuda>),
                                             std::end(test::statements<lf::cuda>));
  static const cudaStream_t other = [] {
    cudaStream_t s = nullptr;
    cudaStreamCreate(&s);
    return s;
  }();
  all.push_back({"z = x + y on another stream", [](auto& z, auto& x, auto& y) {
                   const lf::on scope(other);
                   z = x + y;
                 }});
  all.push_back({"z(0) = sum(x) on another stream, z shared", [](auto& z, auto& x, auto&) {
                   const auto sharer = z;
                   const lf::on scope(other);
                   z(0) = lf::sum(x);
                 }});
  return all;
}

class failing_launches : public ::testing::Test {
 protected:
  matrix x = test::operand<lf::cuda>(1), y = test::operand<lf::cuda>(2);
  void TearDown() override { standin::reset(); }
};

TEST_F(failing_launches, leave_destinations_as_they_were) {
  long failures = 0;
  for (const auto& [text, run] : all_statements()) {
    SCOPED_TRACE(text);
    {
      matrix z = test::operand<lf::cuda>(100);  // what is made once: tables, memory for partial results
      run(z, x, y);
    }
    std::vector<std::string> launches;
    const standin::balance live = standin::live();
    long calls = 0;
    {
      matrix z = test::operand<lf::cuda>(100);
      standin::reset();
      run(z, x, y);
      launches = standin::launches();
      calls = standin::calls();
    }
    ASSERT_EQ(standin::live(), live);
    for (long n = 1; n <= calls; ++n) {
      SCOPED_TRACE("call " + std::to_string(n) + " of " + std::to_string(calls));
      {
        matrix z = test::operand<lf::cuda>(100);
        const value before(z);
        const lf::kernel_trace ran;
        standin::fail_at(n);
        const std::string what = thrown_by([&, run = run] { run(z, x, y); });
        const std::string failed = standin::failed();
        ASSERT_FALSE(failed.empty());
        standin::reset();
        if (what.empty()) continue;  // a question whose answer was not needed
        ++failures;
        EXPECT_TRUE(unchanged(z, before, ran)) << failed;
        if (failed == "cudaMallocFromPoolAsync") EXPECT_NE(what.find("cuda memory"), std::string::npos) << what;
        else EXPECT_NE(what.find(failed + ": made to fail (cudaErrorLaunchOutOfResources)"), std::string::npos) << what;
      }
      EXPECT_EQ(standin::live(), live);
      matrix z = test::operand<lf::cuda>(100);
      standin::reset();
      run(z, x, y);
      EXPECT_EQ(standin::launches(), launches);
    }
  }
  std::printf("%ld calls failed\n", failures);
  EXPECT_GT(failures, 50);
}

// The library's own memory of the host, for what it keeps beside the arrays. The stand-in's is not counted.
TEST_F(failing_launches, leave_destinations_as_they_were_when_the_host_has_no_memory) {
  standin::quiet = [](bool begins) { test::others += begins ? 1 : -1; };
  long failures = 0;
  for (const auto& [text, run] : all_statements()) {
    SCOPED_TRACE(text);
    {
      matrix z = test::operand<lf::cuda>(100);
      run(z, x, y);
    }
    const standin::balance live = standin::live();
    matrix whole = test::operand<lf::cuda>(100);
    standin::reset();
    run(whole, x, y);
    const std::vector<std::string> launches = standin::launches();
    bool done = false;
    for (long n = 1; !done && n < 1000; ++n) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      const standin::balance live_before = standin::live();
      const long new_before = test::live;
      bool thrown = false;
      {
        matrix z = test::operand<lf::cuda>(100);
        const value before(z);
        standin::reset();
        test::made = 0;
        test::fails = n;
        try {
          run(z, x, y);
        } catch (const std::bad_alloc&) {
          thrown = true;
        } catch (const lf::memory_error&) {
          thrown = true;
        }
        test::fails = 0;
        done = test::made < n;
        if (thrown) {
          ++failures;
          if (!launches.empty()) EXPECT_LT(standin::launches().size(), launches.size());  // the last one writes z
          EXPECT_TRUE(z.shape() == before.shape);
          if (z.data() == before.data) EXPECT_EQ(value(z).elements, before.elements);
        }
      }
      if (thrown) {
        EXPECT_EQ(standin::live(), live_before);
        EXPECT_EQ(test::live, new_before);
      }
    }
    EXPECT_TRUE(done);
    whole = matrix();
    EXPECT_EQ(standin::live(), live);
  }
  std::printf("%ld allocations failed\n", failures);
  EXPECT_GT(failures, 10);
  standin::quiet = nullptr;
}

TEST_F(failing_launches, are_named_by_their_expression) {
  const auto text = [&](const auto& run) {
    matrix z = test::operand<lf::cuda>(100);
    standin::reset();
    run(z);
    std::string last;
    for (long n = standin::calls(); n > 0 && last.empty(); --n) {
      standin::fail_at(n);
      const std::string what = thrown_by([&] { run(z); });
      if (standin::failed().find("Launch") != std::string::npos) last = what;
    }
    return last;
  };
  EXPECT_EQ(text([&](matrix& z) { z = x * 2 + y; }),
            "((x0 * x1) + x2): cudaLaunchKernel: made to fail (cudaErrorLaunchOutOfResources)");
  EXPECT_EQ(text([&](matrix& z) { z = lf::sum(x * y, lf::axis<0>, lf::keepdims); }),
            "sum((x0 * x1)): cudaLaunchKernel: made to fail (cudaErrorLaunchOutOfResources)");
}

/// What a statement launches, in order, and how many arrays it allocates.
struct expected {
  const char* text;
  void (*run)(matrix& z, const matrix& x, const matrix& y);
  std::vector<std::string> kernels;
  long allocations;
};
TEST_F(failing_launches, do_not_hide_what_plans_say) {
  using lf::axis, lf::keepdims;
  const expected table[] = {
      {"z = sin(x) * 2 + cos(y), in place",
       [](auto& z, auto& x, auto& y) { z = lf::sin(x) * 2 + lf::cos(y); },
       {"transform_flat"},
       0},
      {"z = x * y, new", [](auto&, auto& x, auto& y) { const matrix z = x * y; }, {"transform_flat"}, 1},
      {"z = x.T + y.T",
       [](auto&, auto& x, auto& y) { const auto z = lf::materialize(lf::transpose(x) + lf::transpose(y)); },
       {"transform_strided"},
       1},
      {"sum(x * y, axis<1>)",
       [](auto&, auto& x, auto& y) { (void)lf::materialize(lf::sum(x * y, axis<1>)); },
       {"reduce_rows"},
       1},
      {"sum(x * y, axis<0>)",
       [](auto&, auto& x, auto& y) { (void)lf::materialize(lf::sum(x * y, axis<0>)); },
       {"reduce_columns"},
       1},
      {"min and max", [](auto&, auto& x, auto&) { (void)lf::materialize(lf::min(x), lf::max(x)); }, {"reduce_rows"}, 2},
      {"softmax",
       [](auto&, auto& x, auto&) { (void)lf::materialize(lf::softmax(x, axis<1>)); },
       {"rows_in_registers"},
       1},
      {"a barrier",
       [](auto&, auto& x, auto& y) { (void)lf::materialize(x * lf::barrier(y + 1)); },
       {"transform_flat", "transform_flat"},
       2},
      {"reductions along unlike axes",
       [](auto&, auto& x, auto&) { (void)lf::materialize(x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims)); },
       {"reduce_columns", "reduce_rows", "transform_strided"},
       3},
  };
  for (const expected& e : table) {
    matrix z = test::operand<lf::cuda>(100);
    const lf::kernel_trace ran;
    standin::reset();
    e.run(z, x, y);
    EXPECT_EQ(standin::launches(), e.kernels) << e.text;
    EXPECT_EQ(ran.allocations(), e.allocations) << e.text;
    EXPECT_EQ(ran.launches(), static_cast<long>(e.kernels.size())) << e.text;
  }
}

}  // namespace
