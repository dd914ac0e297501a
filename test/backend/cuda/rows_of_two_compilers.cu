// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows and columns by kernels that were compiled with the program, and by those made at run time: where types know
// which operands are one, these add up in the same order, so results have the same bits.
#include "support/arrays.hpp"

namespace {

using lf::axis, lf::keepdims;

class rows_of_two_compilers : public test::on<lf::cuda> {
 protected:
  void TearDown() override {
    lf::use_jit(before);
    lf::tune_detail::forget();
  }
  const lf::jit before = lf::current_jit();

  template <class T, int R>
  static lf::array<T, R, lf::cuda> some(const lf::shape<R>& s) {
    return lf::cast<T>(lf::sin(lf::reshape(lf::arange<float>(s.size()), s)));
  }
  template <class E>
  static void expect_same(const E& e, lf::index_t rows, lf::index_t columns) {
    lf::tune_detail::remember(lf::tune_detail::rows_of(e), lf::plan_choice::rows);  // whatever the device's costs are
    lf::use_jit(lf::jit::off);
    const auto compiled = lf::materialize(e);
    lf::use_jit(lf::jit::always);
    const lf::kernel_trace t;
    const auto made = lf::materialize(e);
    ASSERT_EQ(t.launches(), 1) << rows << " x " << columns;
    EXPECT_TRUE(t.kernels()[0].made) << rows << " x " << columns;
    EXPECT_TRUE(lf::array_equal(compiled, made)) << rows << " x " << columns;
  }
  /// Kernels are made of expressions that have several operands.
  template <class T>
  static void check(lf::index_t rows, lf::index_t columns) {
    const auto x = some<T>(lf::shape(rows, columns));
    const auto w = some<T>(lf::shape(columns));
    const T factor(0.75f);  // types would take a column of the rank of x for x
    expect_same(lf::softmax(x, axis<1>) * w, rows, columns);
    expect_same(lf::softmax(x, axis<0>) * factor, rows, columns);
    if constexpr (std::is_same_v<T, float>) {
      expect_same((x - lf::mean(x, axis<1>, keepdims)) * w, rows, columns);
      expect_same(lf::logsumexp(x + w, axis<1>), rows, columns);
      expect_same((x - lf::mean(x, axis<0>)) * factor, rows, columns);
    }
  }
};

TEST_F(rows_of_two_compilers, have_the_same_bits) {
  for (const auto& [rows, columns] : {std::pair{3, 1000},
                                      {3, 8193},
                                      {50, 12288},
                                      {4, 50257},
                                      {2, 262147},
                                      {1, (1 << 22) + 1},
                                      {5000, 33},
                                      {700, 1001}}) {
    check<float>(rows, columns);
    check<lf::half>(rows, columns);
    if (columns < 100000) check<double>(rows, columns);
  }
}

}  // namespace
