// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass over rows hands on to later ones is not computed again: values of elements that are dear, and what a row
// or column has in common. An operation that counts its calls tells.
#include "support/arrays.hpp"

#include <atomic>

namespace {

std::atomic<int> calls{0};

/// 2 x, at a price, counted.
struct twice : lf::exact_operation {
  using rule = lf::rules::number_only;
  static constexpr const char* name = "twice";
  static constexpr int cost = 40;
  template <lf::number T>
  T operator()(T x) const {
    calls.fetch_add(1, std::memory_order_relaxed);
    return x + x;
  }
};
auto twice_of(const auto& x) { return lf::map<twice>(x); }

constexpr lf::index_t rows = 37, columns = 45, elements = rows * columns;

struct handed_on : ::testing::Test {
  lf::array<float, 2> x = lf::reshape(lf::arange<float>(float(elements)), {rows, columns}) + 1;

  /// One kernel of rows; so many calls.
  void expect_calls(int expected, const auto& e) {
    ASSERT_EQ(lf::plan(e).kernels.size(), 1u) << lf::explain(e);
    calls = 0;
    const lf::array<float, 2> out = e;
    EXPECT_EQ(calls, expected) << lf::explain(e);
  }
};

TEST_F(handed_on, dear_values_of_a_row) {
  const auto d = twice_of(x);
  expect_calls(elements, d / lf::sum(d, lf::axis<1>, lf::keepdims));
}

TEST_F(handed_on, dear_values_that_the_second_stage_computes) {
  const auto d = twice_of(x - lf::max(x, lf::axis<1>, lf::keepdims));
  expect_calls(elements, d / lf::sum(d, lf::axis<1>, lf::keepdims));
}

TEST_F(handed_on, what_a_row_has_in_common) { expect_calls(rows, x - twice_of(lf::max(x, lf::axis<1>, lf::keepdims))); }

TEST_F(handed_on, what_a_column_has_in_common) {
  expect_calls(columns, x - twice_of(lf::max(x, lf::axis<0>, lf::keepdims)));
}

TEST_F(handed_on, what_tall_columns_have_in_common) {
  constexpr lf::index_t height = 1 << 18;
  x = lf::reshape(lf::arange<float>(float(height * 6)), {height, 6});
  expect_calls(6, x - twice_of(lf::max(x, lf::axis<0>, lf::keepdims)));
}

}  // namespace
