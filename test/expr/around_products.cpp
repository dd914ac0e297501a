// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bias, scale, activation and residual around products of matrices, which a library may compute with them: of every
// type that has such a library, wherever operands and results lie; against plain loops.
#include "support/numbers.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using lf::all, lf::newaxis, lf::none, lf::range;
using std::int64_t;
using test::numbers;

template <class Space>
class around_products : public test::on<Space> {};
TYPED_TEST_SUITE(around_products, test::spaces, test::space_name);

constexpr int64_t m = 101, n = 70, k = 67;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double plain(float x) { return static_cast<double>(x); }
double plain(double x) { return x; }
double relu(double x) { return x > 0 || x != x ? x : 0; }
double gelu_tanh(double x) { return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

/// Of 16-bit reals, whether they are rounded once, or once more at each step.
template <class T>
constexpr double tolerance = std::is_same_v<T, lf::half>       ? 2e-3
                             : std::is_same_v<T, lf::bfloat16> ? 2e-2
                                                               : 1e-5;

template <class T>
std::vector<double> sums_of(const T* x, const T* y) {
  std::vector<double> sums;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += plain(x[i * k + l]) * plain(y[l * n + j]);
      sums.push_back(sum);
    }
  return sums;
}

/// Matrices, a bias of columns and one of rows, and a residual; and the sums of products.
template <class T, class Space>
struct operands {
  test::tensor<T> tx = numbers<T>({m, k}, 1), ty = numbers<T>({k, n}, 2), tc = numbers<T>({m, n}, 3),
                  trow = numbers<T>({n}, 4), tcolumn = numbers<T>({m}, 5);
  lf::array<T, 2, Space> x = test::array_of<Space, 2>(tx), y = test::array_of<Space, 2>(ty),
                         c = test::array_of<Space, 2>(tc);
  lf::array<T, 1, Space> row = test::array_of<Space, 1>(trow), column = test::array_of<Space, 1>(tcolumn);

  std::vector<double> sums = sums_of(tx.values.data(), ty.values.data());

  double sum(int64_t i, int64_t j) const { return sums[static_cast<std::size_t>(i * n + j)]; }
  double c_at(int64_t i, int64_t j) const { return plain(tc[{i, j}]); }
  double row_at(int64_t j) const { return plain(trow[{j}]); }
  double column_at(int64_t i) const { return plain(tcolumn[{i}]); }
};

/// Within the rounding of the steps: errors of 16-bit steps are as large as the largest value on the way.
template <class T, class F>
void expect_values(const char* what, const test::tensor<T>& got, const F& want, double scale = 1) {
  int wrong = 0;
  for (int64_t i = 0; i < got.shape[0]; ++i)
    for (int64_t j = 0; j < got.shape[1] && wrong < 3; ++j) {
      const double w = want(i, j), g = plain(got[{i, j}]);
      if (w != w ? g != g : std::abs(g - w) <= tolerance<T> * (scale + std::abs(w))) continue;
      ++wrong;
      ADD_FAILURE() << what << " at " << i << ", " << j << ": " << g << ", not " << w;
    }
}

template <class T, class Space>
void check_what_is_added() {
  const operands<T, Space> of;
  const auto& x = of.x;
  const auto& y = of.y;
  const auto xy = [&](int64_t i, int64_t j) { return of.sum(i, j); };
  const auto expect = [&](const char* what, const auto& e, const auto& want) {
    expect_values(what, test::tensor_of(lf::materialize(e)), want, 200);
  };
  const T two(2.0f), half(0.5f);
  expect("bias", lf::matmul(x, y) + of.row, [&](int64_t i, int64_t j) { return xy(i, j) + of.row_at(j); });
  expect("a bias of rows", of.column(all, newaxis) + lf::matmul(x, y),
         [&](int64_t i, int64_t j) { return xy(i, j) + of.column_at(i); });
  expect("bias and relu", lf::relu(lf::matmul(x, y) + of.row),
         [&](int64_t i, int64_t j) { return relu(xy(i, j) + of.row_at(j)); });
  expect("scale and residual", two * lf::matmul(x, y) - half * of.c,
         [&](int64_t i, int64_t j) { return 2 * xy(i, j) - of.c_at(i, j) / 2; });
  expect("all of them", lf::maximum(of.c - lf::matmul(x, y) + of.row, T(0.0f)),
         [&](int64_t i, int64_t j) { return relu(of.c_at(i, j) - xy(i, j) + of.row_at(j)); });
  expect("a residual after the activation", of.c + lf::relu(lf::matmul(x, y) + of.row),
         [&](int64_t i, int64_t j) { return of.c_at(i, j) + relu(xy(i, j) + of.row_at(j)); });
}
TYPED_TEST(around_products, of_float_are_what_loops_give) { check_what_is_added<float, TypeParam>(); }
TYPED_TEST(around_products, of_double_are_what_loops_give) { check_what_is_added<double, TypeParam>(); }
TYPED_TEST(around_products, of_half_are_rounded_once_or_at_each_step) { check_what_is_added<lf::half, TypeParam>(); }

template <class T, class Space>
void check_gelu() {
  const operands<T, Space> of;
  const T small(0.0078125f);  // to where gelu is no line
  expect_values(
      "gelu_tanh",
      test::tensor_of(lf::materialize(lf::gelu_tanh(small * lf::matmul(of.x, of.y) + of.row * T(0.0f) + T(0.0f)))),
      [&](int64_t i, int64_t j) { return gelu_tanh(of.sum(i, j) / 128); });
  const lf::array<T, 1, Space> bias = of.row / T(64.0f);
  expect_values("bias and gelu_tanh",
                test::tensor_of(lf::materialize(lf::gelu_tanh(small * lf::matmul(of.x, of.y) + bias))),
                [&](int64_t i, int64_t j) { return gelu_tanh(of.sum(i, j) / 128 + of.row_at(j) / 64); });
  expect_values("the exact gelu", test::tensor_of(lf::materialize(lf::gelu(small * lf::matmul(of.x, of.y) + bias))),
                [&](int64_t i, int64_t j) {
                  const double v = of.sum(i, j) / 128 + of.row_at(j) / 64;
                  return v / 2 * std::erfc(-v / std::sqrt(2.0));
                });
}
TYPED_TEST(around_products, have_their_gelu_whichever_it_is) {
  check_gelu<float, TypeParam>();
  check_gelu<lf::bfloat16, TypeParam>();
}

TYPED_TEST(around_products, are_written_where_they_are_wanted) {
  const operands<float, TypeParam> of;
  const auto residual = [&](int64_t i, int64_t j) { return of.sum(i, j) + of.c_at(i, j); };
  lf::array<float, 2, TypeParam> c = of.c;
  c += lf::matmul(of.x, of.y);
  expect_values("+=", test::tensor_of(c), residual);
  lf::array<float, 2, TypeParam> flipped = lf::flip(of.c, lf::axis<0>);
  flipped = lf::flip(flipped, lf::axis<0>) + lf::matmul(of.x, of.y);
  expect_values("its own rows backwards", test::tensor_of(flipped), residual);
  lf::array<float, 2, TypeParam> wide = lf::zeros<float>({m + 2, n + 3});
  wide(range(2, none), range(3, none)) = lf::matmul(of.x, of.y) + of.row;
  expect_values("a part", test::tensor_of(lf::materialize(wide(range(2, none), range(3, none)))),
                [&](int64_t i, int64_t j) { return of.sum(i, j) + of.row_at(j); });
  EXPECT_EQ(wide(1, 5).item(), 0.0f);
  lf::array<float, 2, TypeParam> turned = lf::zeros<float>({n, m});
  turned = (lf::matmul(of.x, of.y) + of.row).T();
  expect_values("turned", test::tensor_of(turned), [&](int64_t j, int64_t i) { return of.sum(i, j) + of.row_at(j); });
  lf::array<float, 2, TypeParam> own = of.x(all, range(0, k)), square = lf::matmul(of.x.T(), of.x);
  own = lf::matmul(own, square) + own;
  const lf::array<float, 2, TypeParam> apart = lf::matmul(of.x, square);
  const auto product = test::tensor_of(apart);
  expect_values("a factor that is overwritten", test::tensor_of(own), [&](int64_t i, int64_t j) {
    return plain(product[{i, j}]) + plain(of.tx[{i, j}]);
  });
}

TYPED_TEST(around_products, of_batches_have_one_bias_or_each_their_own) {
  constexpr int64_t count = 3;
  const auto x = numbers<float>({count, m, k}, 6), y = numbers<float>({count, k, n}, 7),
             each = numbers<float>({count, 1, n}, 8);
  const operands<float, TypeParam> of;
  const auto ax = test::array_of<TypeParam, 3>(x), ay = test::array_of<TypeParam, 3>(y),
             ab = test::array_of<TypeParam, 3>(each);
  std::vector<double> sums;
  for (int64_t b = 0; b < count; ++b) {
    const std::vector<double> here =
        sums_of(&x.values[static_cast<std::size_t>(b * m * k)], &y.values[static_cast<std::size_t>(b * k * n)]);
    sums.insert(sums.end(), here.begin(), here.end());
  }
  const auto sum = [&](const test::extents& i) { return sums[static_cast<std::size_t>((i[0] * m + i[1]) * n + i[2])]; };
  EXPECT_TRUE(
      test::evaluates_to(lf::matmul(ax, ay) + of.row, test::generate<float>({count, m, n}, [&](const test::extents& i) {
                           return static_cast<float>(sum(i) + of.row_at(i[2]));
                         })));
  EXPECT_TRUE(test::evaluates_to(lf::relu(lf::matmul(ax, ay) + ab),
                                 test::generate<float>({count, m, n}, [&](const test::extents& i) {
                                   return static_cast<float>(relu(sum(i) + plain(each[{i[0], 0, i[2]}])));
                                 })));
}

TYPED_TEST(around_products, keep_nan_where_it_is) {
  operands<float, TypeParam> of;
  of.x(5, 7) = static_cast<float>(nan);
  of.row(9) = static_cast<float>(nan);
  of.c(2, 3) = static_cast<float>(nan);
  const auto either = [&](int64_t i, int64_t j, double otherwise) { return i == 5 || j == 9 ? nan : otherwise; };
  const auto expect = [&](const char* what, const auto& e, const auto& want) {
    expect_values(what, test::tensor_of(lf::materialize(e)), want, 1);
  };
  expect("relu", lf::relu(lf::matmul(of.x, of.y) + of.row),
         [&](int64_t i, int64_t j) { return either(i, j, relu(of.sum(i, j) + of.row_at(j))); });
  expect("at least 0", lf::maximum(lf::matmul(of.x, of.y) + of.row, 0.0f),
         [&](int64_t i, int64_t j) { return either(i, j, relu(of.sum(i, j) + of.row_at(j))); });
  expect("NaN that is multiplied by 0", lf::matmul(of.x, of.y) + 0.0f * of.c,
         [&](int64_t i, int64_t j) { return i == 5 || (i == 2 && j == 3) ? nan : of.sum(i, j); });
  expect("a product that is", 0.0f * lf::matmul(of.x, of.y) + of.row,
         [&](int64_t i, int64_t j) { return either(i, j, of.row_at(j)); });
  for (const float least : {0.0f, 1.0f, 0.0f})  // evaluations are kept by all but their scalars
    expect("a bound", lf::maximum(lf::matmul(of.x, of.y), least), [&](int64_t i, int64_t j) {
      return i == 5 ? nan : of.sum(i, j) > plain(least) ? of.sum(i, j) : plain(least);
    });
}

}  // namespace
