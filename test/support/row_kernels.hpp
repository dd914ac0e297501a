// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of rows say of an expression: that it is one kernel, what it allocates and what it reads.
#pragma once

#include "line_reference.hpp"

namespace test {

template <class Space>
class row_kernels : public on<Space> {
 public:
  using matrix = lf::array<float, 2, Space>;
  using vector = lf::array<float, 1, Space>;
  static constexpr lf::index_t height = 60, width = 50, bytes = height * width * 4;
  matrix x, y;
  vector w;

  void SetUp() override {
    on<Space>::SetUp();
    if (this->IsSkipped()) return;
    x = array_from<Space, 2>(positive_numbers(1, {height, width}));
    y = array_from<Space, 2>(positive_numbers(2, {height, width}));
    w = array_from<Space, 1>(positive_numbers(3, {width}));
  }

  /// Evaluates e: one kernel, memory for the result alone, and so many distinct bytes read.
  template <class E>
  static void expect_one(const E& e, lf::index_t read, const char* what, const char* pattern = "rows") {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    ASSERT_EQ(trace.launches(), 1) << what;
    EXPECT_EQ(trace.kernels()[0].pattern, pattern) << what;
    EXPECT_EQ(trace.allocations(), 1) << what;
    EXPECT_EQ(trace.bytes_distinct(), read) << what << ": " << trace.kernels()[0].name;
    const auto element = static_cast<lf::index_t>(sizeof(lf::value_t<E>));
    EXPECT_EQ(trace.bytes_written(), result.size() * element) << what;
    EXPECT_EQ(trace.allocated_bytes(), result.size() * element) << what;
  }
};

}  // namespace test
