// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices as large as libraries compute them: of every type they know, wherever the matrices lie, alone
// and inside of expressions; against loops over plain numbers that are small enough for sums to be exact.
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using lf::all, lf::end, lf::newaxis, lf::none, lf::range;
using std::int64_t;
using test::numbers;

template <class Space>
class large_products : public test::on<Space> {};
TYPED_TEST_SUITE(large_products, test::spaces, test::space_name);

/// Kernels made at run time are told apart from the library by their path.
template <class Space, class E>
void expect_library(const E& e, const char* what) {
  if (!test::planned_by_values<Space> || lf::ir::checked_build) return;
  const auto p = lf::plan(e);
  ASSERT_EQ(p.kernels.size(), 1u) << what;
  EXPECT_EQ(p.kernels[0].path, "library") << what;
}

/// Two matrices, and what NumPy's x @ y is: sums that are exact, and of 16-bit reals rounded once.
template <class T, class Space>
struct factors {
  int64_t m, n, k;
  test::tensor<T> left = numbers<T>({m, k}, 1), right = numbers<T>({k, n}, 2);
  lf::array<T, 2, Space> x = test::array_of<Space, 2>(left), y = test::array_of<Space, 2>(right);

  double sum(int64_t i, int64_t j) const {
    double all = 0;
    const auto *a = &left.values[left.offset({i, 0})], *b = &right.values[right.offset({0, j})];
    for (int64_t l = 0; l < k; ++l)
      all += static_cast<double>(static_cast<float>(a[l])) * static_cast<double>(static_cast<float>(b[l * n]));
    return all;
  }
  template <class F>
  test::tensor<T> each(const F& f) const {
    return test::generate<T>({m, n}, [&](const test::extents& i) { return T(static_cast<float>(f(sum(i[0], i[1])))); });
  }
  test::tensor<T> product() const {
    return each([](double s) { return s; });
  }
};

/// x in memory that has room around it: rows further apart than they are long, beginning anywhere.
template <class T, class Space>
auto in_the_middle(const lf::array<T, 2, Space>& x) {
  lf::array<T, 2, Space> wide = lf::zeros<T>({x.shape()[0] + 2, x.shape()[1] + 5});
  wide(range(1, -1), range(3, -2)) = x;
  return wide;
}

template <class T, class Space>
void check_layouts() {
  const factors<T, Space> of{101, 70, 67};
  const auto want = of.product();
  const auto expect = [&](const auto& e, const char* what, bool by_library = true) {
    if (by_library) expect_library<Space>(e, what);
    EXPECT_TRUE(test::evaluates_to(e, want)) << what;
  };
  const lf::array<T, 2, Space> xt = of.x.T(), yt = of.y.T();
  expect(lf::matmul(of.x, of.y), "rows of both");
  expect(lf::matmul(xt.T(), of.y), "columns of the first");
  expect(lf::matmul(of.x, yt.T()), "columns of the second");
  expect(lf::matmul(xt.T(), yt.T()), "columns of both");
  expect(lf::matmul(yt, xt).T(), "turned");
  expect(lf::einsum<"ij,jk->ik">(of.x, of.y), "einsum");
  const auto wx = in_the_middle(of.x), wy = in_the_middle(of.y);
  expect(lf::matmul(wx(range(1, -1), range(3, -2)), wy(range(1, -1), range(3, -2))), "parts of rows");
  lf::array<T, 2, Space> result = lf::zeros<T>({of.m + 2, of.n + 3});
  result(range(2, none), range(3, none)) = lf::matmul(of.x, of.y);
  EXPECT_TRUE(test::evaluates_to(result(range(2, none), range(3, none)), want)) << "into a part";
  EXPECT_EQ(static_cast<float>(result(1, 5).item()), 0.0f) << "beside the part";
  lf::array<T, 2, Space> turned = lf::zeros<T>({of.n, of.m});
  turned = lf::matmul(of.x, of.y).T();
  EXPECT_TRUE(test::evaluates_to(turned.T(), want)) << "into columns";
  // What no library takes goes by a kernel.
  const lf::array<T, 2, Space> backwards = of.x(all, range(none, none, -1));
  expect(lf::matmul(backwards(all, range(none, none, -1)), of.y), "backwards", false);
  lf::array<T, 2, Space> apart = lf::zeros<T>({2 * of.m, 2 * of.k});
  apart(range(none, none, 2), range(none, none, 2)) = of.x;
  expect(lf::matmul(apart(range(none, none, 2), range(none, none, 2)), of.y), "every other element", false);
}

TYPED_TEST(large_products, of_float_lie_anywhere) { check_layouts<float, TypeParam>(); }
TYPED_TEST(large_products, of_double_lie_anywhere) { check_layouts<double, TypeParam>(); }
TYPED_TEST(large_products, of_half_lie_anywhere) { check_layouts<lf::half, TypeParam>(); }
TYPED_TEST(large_products, of_bfloat16_lie_anywhere) { check_layouts<lf::bfloat16, TypeParam>(); }

TYPED_TEST(large_products, of_complex_numbers_are_exact) {
  const factors<float, TypeParam> of{70, 80, 50},
      other{70, 80, 50, numbers<float>({70, 50}, 3), numbers<float>({50, 80}, 4)};
  const auto check = [&]<class T>(T) {
    using complex = lf::complex<T>;
    const lf::array<complex, 2, TypeParam> x = lf::cast<complex>(of.x) + complex(0, 1) * lf::cast<complex>(other.x),
                                           y = lf::cast<complex>(of.y) - complex(0, 1) * lf::cast<complex>(other.y);
    expect_library<TypeParam>(lf::matmul(x, y), "complex");
    const lf::array<complex, 2, TypeParam> z = lf::matmul(x, y);
    EXPECT_TRUE(
        test::evaluates_to(lf::cast<double>(lf::real(z)), test::generate<double>({70, 80}, [&](const test::extents& i) {
                             return of.sum(i[0], i[1]) + other.sum(i[0], i[1]);
                           })));
  };
  check(float{});
  check(double{});
}

TYPED_TEST(large_products, of_batches_are_one_each) {
  const int64_t b = 5, m = 40, n = 50, k = 36;
  const auto x = numbers<float>({b, m, k}, 5), y = numbers<float>({b, k, n}, 6);
  const auto ax = test::array_of<TypeParam, 3>(x), ay = test::array_of<TypeParam, 3>(y);
  const auto want = [&](bool one_x, bool one_y) {
    return test::generate<float>({b, m, n}, [&, one_x, one_y](const test::extents& i) {
      float all = 0;
      for (int64_t l = 0; l < k; ++l) all += x[{one_x ? 2 : i[0], i[1], l}] * y[{one_y ? 3 : i[0], l, i[2]}];
      return all;
    });
  };
  expect_library<TypeParam>(lf::matmul(ax, ay), "both");
  EXPECT_TRUE(test::evaluates_to(lf::matmul(ax, ay), want(false, false)));
  EXPECT_TRUE(test::evaluates_to(lf::matmul(ax, ay(3)), want(false, true))) << "one matrix for all";
  EXPECT_TRUE(test::evaluates_to(lf::matmul(ax(2), ay), want(true, false)));
  const lf::array<float, 3, TypeParam> by_rows = lf::permute_dims<1, 0, 2>(ax);
  EXPECT_TRUE(test::evaluates_to(lf::matmul(lf::permute_dims<1, 0, 2>(by_rows), ay), want(false, false)))
      << "the batch between rows";
}

TYPED_TEST(large_products, inside_of_expressions_are_computed_first_where_a_library_is) {
  const factors<float, TypeParam> of{300, 257, 129};
  const auto bias = numbers<float>({257}, 7);
  const auto b = test::array_of<TypeParam, 1>(bias);
  const lf::kernel_trace trace;
  const lf::array<float, 2, TypeParam> z = lf::maximum(2 * lf::matmul(of.x, of.y) + b, 0.0f);
  EXPECT_LE(trace.launches(), 2);
  EXPECT_LE(trace.allocations(), 2) << "the result, and the product";
  EXPECT_TRUE(test::evaluates_to(z, test::generate<float>({300, 257}, [&](const test::extents& i) {
                                   return std::max(2 * static_cast<float>(of.sum(i[0], i[1])) + bias[{i[1]}], 0.0f);
                                 })));
  const auto two = lf::matmul(of.x, of.y) - lf::matmul(of.x, of.y + 1.0f);
  EXPECT_TRUE(test::evaluates_to(lf::materialize(two), test::generate<float>({300, 257}, [&](const test::extents& i) {
                                   const float* const row = &of.left.values[of.left.offset({i[0], 0})];
                                   float all = 0;
                                   for (int64_t l = 0; l < 129; ++l) all -= row[l];
                                   return all;
                                 })));
  EXPECT_TRUE(test::evaluates_to(
      lf::materialize(lf::cast<double>(lf::matmul(of.x, of.y))),
      test::generate<double>({300, 257}, [&](const test::extents& i) { return of.sum(i[0], i[1]); })));
}

TYPED_TEST(large_products, of_half_beside_others_are_rounded_once) {
  const factors<lf::half, TypeParam> of{200, 130, 64};
  const lf::array<lf::half, 2, TypeParam> z = lf::matmul(of.x, of.y) + lf::half(1.0f);
  EXPECT_TRUE(
      test::evaluates_to(z, of.each([](double s) { return static_cast<float>(lf::half(static_cast<float>(s))) + 1; })));
}

TYPED_TEST(large_products, keep_nan_and_infinity_where_they_are) {
  factors<float, TypeParam> of{128, 96, 64};
  of.x(5, 7) = std::numeric_limits<float>::quiet_NaN();
  of.y(9, 11) = std::numeric_limits<float>::infinity();
  const auto z = test::tensor_of(lf::materialize(lf::matmul(of.x, of.y)));
  for (int64_t i = 0; i < 128; ++i)
    for (int64_t j = 0; j < 96; ++j) {
      const float v = z[{i, j}];
      if (i == 5) ASSERT_TRUE(std::isnan(v)) << j;
      else if (j == 11) ASSERT_FALSE(std::isfinite(v)) << i;
      else ASSERT_EQ(v, static_cast<float>(of.sum(i, j))) << i << ", " << j;
    }
}

TYPED_TEST(large_products, have_the_same_bits_each_time) {
  const lf::array<float, 2, TypeParam> x = lf::random::normal<float>({300, 5000}, lf::seed{1}),
                                       y = lf::random::normal<float>({5000, 200}, lf::seed{2});
  const lf::array<float, 2, TypeParam> first = lf::matmul(x, y);
  for (int turn = 0; turn < 5; ++turn) {
    const lf::array<float, 2, TypeParam> again = lf::matmul(x, y);
    ASSERT_TRUE(lf::array_equal(first, again));
  }
}

}  // namespace
