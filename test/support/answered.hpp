// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of expressions in a space whose cases are NumPy texts, and their answers a family of reference data.
#pragma once

#include "arrays.hpp"
#include "reference_data.hpp"

#include <lazyfuse/observe/trace.hpp>

#include <string>

namespace test {

/// Own: the fixture, whose `family` names the data.
template <class Own, class Space>
class answered : public on<Space> {
 protected:
  static const reference_data& answers() {
    static const reference_data data(Own::family);
    return data;
  }
  template <class E>
  static void expect(const std::string& numpy, const E& e, const within& tolerance = {}) {
    EXPECT_TRUE(evaluates_to(e, answers().template get<element_of<E>>(numpy.c_str()), tolerance)) << numpy;
  }
  /// The same, by so many kernels.
  template <class E>
  static void expect_kernels(int count, const std::string& numpy, const E& e) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    EXPECT_EQ(trace.launches(), count) << numpy;
    EXPECT_EQ(trace.allocations(), count) << numpy;
    expect(numpy, result);
  }
};

}  // namespace test
