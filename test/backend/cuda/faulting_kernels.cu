// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that faults on a GPU: LAZYFUSE_SYNC names it. A fault ends the process's use of the device, so each is in a
// process of its own.
#include "support/arrays.hpp"

#include <cstdlib>

namespace {

using vector = lf::array<float, 1, lf::cuda>;

/// What a user gets wrong: it reads where nothing is.
struct reads_nothing {
  const float* nothing;
  LAZYFUSE_HD float operator()(float x) const { return x + *nothing; }
};

class faulting_kernels : public test::on<lf::cuda> {
 protected:
  void SetUp() override {
    test::on<lf::cuda>::SetUp();
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
  }
};

/// Three kernels, of which the second one faults; ends with the text of what was thrown.
[[noreturn]] void run(const char* sync) {
  setenv("LAZYFUSE_SYNC", sync, 1);
  try {
    const vector x = lf::ones<float>({1000});
    const vector y = x * 2, z = lf::map(reads_nothing{nullptr}, y) + x;
    const float s = lf::sum(z).item();
    std::fprintf(stderr, "not thrown: %g\n", static_cast<double>(s));
  } catch (const lf::cuda_error& e) {
    std::fprintf(stderr, "thrown: %s\n", e.what());
  }
  std::_Exit(3);
}

TEST_F(faulting_kernels, are_named_by_LAZYFUSE_SYNC) {
  EXPECT_EXIT(run("1"), testing::ExitedWithCode(3),
              "thrown: \\([a-z_]*\\(.*x0.*\\) \\+ x[0-9]\\): cudaStreamSynchronize: an illegal memory access was "
              "encountered \\(cudaErrorIllegalAddress\\) \\(.*faulting_kernels.cu:[0-9]+\\)\n$");
}
TEST_F(faulting_kernels, are_found_late_without_it) {
  EXPECT_EXIT(run("0"), testing::ExitedWithCode(3),
              "thrown: .*cudaErrorIllegalAddress\\) \\(.*faulting_kernels.cu:[0-9]+\\); a kernel launched before may "
              "be at fault: LAZYFUSE_SYNC=1 names "
              "it\n$");
}

}  // namespace
