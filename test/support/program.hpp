// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the programs of docs/examples/programs: NumPy's answers, by so many kernels at most.
#pragma once

#include "answered.hpp"

#include <string>

namespace test {

template <class Space>
class program : public answered<program<Space>, Space> {
 public:
  static constexpr const char* family = "programs";

 protected:
  static auto line(const char* name) { return array_of<Space, 1>(program::answers().template get<double>(name)); }
  static auto matrix(const char* name) { return array_of<Space, 2>(program::answers().template get<double>(name)); }

  /// run() is an expression or an array. kernels: what it and its evaluation launch at most.
  template <class F>
  static void expect(const std::string& name, int kernels, const F& run, const within& tolerance = {}) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(run());
    EXPECT_LE(trace.launches(), kernels) << name;
    EXPECT_TRUE(agrees(result, program::answers(), name, tolerance));
  }
};

}  // namespace test
