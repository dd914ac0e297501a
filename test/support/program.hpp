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

  /// run() is an expression, or has run: then it is an array, or `ready` says that it is a view of one. kernels: what
  /// it and its evaluation launch at most.
  template <class F>
  static void expect(const std::string& name, int kernels, const F& run, const within& tolerance = {},
                     bool ready = false) {
    lf::kernel_trace trace;
    const auto e = run();
    const auto at_once = trace.launches();
    const auto result = lf::materialize(e);
    EXPECT_LE(ready ? at_once : trace.launches(), kernels) << name;
    EXPECT_TRUE(agrees(result, program::answers(), name, tolerance));
  }
};

}  // namespace test
