// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spaces that typed tests run over: host, or cuda where the target is lazyfuse::cuda, and there a few run over
// both.
#pragma once

#include <gtest/gtest.h>

#include <string>

#if defined(LAZYFUSE_CUDA)
#include <lazyfuse/cuda.hpp>
#else
#include <lazyfuse/lazyfuse.hpp>
#endif

namespace lf = lazyfuse;

namespace test {

/// Why tests of a space cannot run here; empty if they can.
template <class Space>
std::string why_unavailable() {
#if defined(LAZYFUSE_CUDA)
  if constexpr (std::is_same_v<Space, lf::cuda>) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(status);
    if (count == 0) return "no CUDA device";
  }
#endif
  return {};
}

/// Whether no kernel is compiled with the test: expressions are planned by their values then, not by their types.
template <class Space>
inline constexpr bool planned_by_values = std::is_same_v<lf::kernel_space<Space>, lf::made_in<lf::cuda>>;

/// How stencils of few points go on the GPU: through shared memory in kernels that were compiled with the test. Those
/// made at run time read neighbours from the cache.
inline constexpr const char* small_stencils = planned_by_values<lf::cuda> ? "strided" : "window";

/// Fixture of every test that runs in one space: skips, with the reason, where the space is missing.
template <class Space>
class on : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_unavailable<Space>(); !why.empty()) GTEST_SKIP() << why;
  }
};

#if defined(LAZYFUSE_CUDA)
using spaces = ::testing::Types<lf::cuda>;
/// For the few files that show that one program may use both spaces. (The .cpp twins test the host space.)
using every_space = ::testing::Types<lf::host, lf::cuda>;
#else
using spaces = ::testing::Types<lf::host>;
using every_space = spaces;
#endif

/// Names the instances of a typed suite after their space.
struct space_name {
  template <class Space>
  static std::string GetName(int) {
    return Space::name;
  }
};

/// An operation in a space: what tests of the whole registry run over.
template <class Op, class Space>
struct operation_in {
  using operation = Op;
  using space = Space;
};
template <class... Op, class Space>
::testing::Types<operation_in<Op, Space>...> all_in(lf::list<Op...>, ::testing::Types<Space>);
template <class Operations>
using on_the_device = decltype(all_in(Operations{}, spaces{}));

struct operation_name {
  template <class Case>
  static std::string GetName(int) {
    return std::string(Case::space::name) + "_" + Case::operation::name;
  }
};

}  // namespace test
