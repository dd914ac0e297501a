// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and layer norm of half and bfloat16: rows of every length that threads share differently, dense, off
// alignment and reversed, weights that differ from column to column, in place. What is wanted is computed here, in
// double.
#include "support/arrays.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace {

#if defined(__CUDACC__)
// Registers have what was converted once: a context that did not say so would convert in every pass, and no value
// tells.
using one_half = lf::list<lf::ir::memory<lf::half>>;
using as_float = lf::ir::apply<lf::op::cast<float>, lf::ir::arg<0>>;
using softmaxed = lf::ir::apply<lf::op::subtract, as_float, lf::ir::stage<lf::ir::combined<lf::op::max>, as_float>>;
using row_of_halves = lf::cuda_detail::row_in_registers<lf::ir::staged<lf::list<softmaxed>, one_half>, 8, 1, one_half,
                                                        lf::index_sequence<0>>;
static_assert(lf::ir::has_precomputed<as_float, lf::cuda_detail::row_context<row_of_halves>>);
#endif

template <class Space>
class rows_of_16_bits : public test::on<Space> {};
TYPED_TEST_SUITE(rows_of_16_bits, test::spaces, test::space_name);

constexpr int rows = 3;
constexpr int lengths[] = {1, 7, 8, 40, 257, 264, 1001, 1024, 1032, 8192, 8200, 16384, 16392};

/// Numbers that bfloat16 holds, from -4 to 4: no two rows are alike, and no period divides a thread's share.
double element(int row, int column) { return ((row * 29 + column * 37) % 61 - 30) / 8.0; }
double weight(int column) { return (column * 13 % 23 - 11) / 4.0; }
double bias(int column) { return (column * 7 % 19 - 9) / 2.0; }

using line = std::vector<double>;
line softmax(line x) {
  double sum = 0;
  for (double& v : x) sum += v = std::exp(v - 4);
  for (double& v : x) v /= sum;
  return x;
}
line layer_norm(line x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) squares += (v - mean) * (v - mean) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const int column = static_cast<int>(k);
    x[k] = (x[k] - mean) / std::sqrt(squares + 1e-5) * weight(column) + bias(column);
  }
  return x;
}

template <class Space, class T>
struct matrices {
  int length;
  lf::array<T, 2, Space> x;
  lf::array<T, 1, Space> w, b;

  explicit matrices(int n) : length(n) {
    std::vector<T> elements, weights, biases;
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < n; ++k) elements.push_back(T(element(r, k)));
    for (int k = 0; k < n; ++k) {
      weights.push_back(T(weight(k)));
      biases.push_back(T(bias(k)));
    }
    x = test::array_of<Space, 2>(test::tensor<T>({rows, n}, elements));
    w = test::array_of<Space, 1>(test::tensor<T>({n}, weights));
    b = test::array_of<Space, 1>(test::tensor<T>({n}, biases));
  }
  /// How many elements are off by more than the rounding to T, a thousandth of that, and the slack.
  template <class E, class F>
  int wrong(const E& e, F of, double slack, bool reversed = false) const {
    const lf::array<double, 2, lf::host> z = lf::cast<double>(lf::to<lf::host>(e));
    const double half_ulp = std::is_same_v<T, lf::half> ? 0x1p-11 : 0x1p-8;
    int count = 0;
    for (int r = 0; r < rows; ++r) {
      line row;
      for (int k = 0; k < length; ++k) row.push_back(element(r, reversed ? length - 1 - k : k));
      const line want = of(row);
      for (int k = 0; k < length; ++k) {
        const double value = std::as_const(z).data()[r * length + k], wanted = want[static_cast<std::size_t>(k)];
        const double bound = 1.001 * half_ulp * std::abs(wanted) + slack;
        count += !(std::abs(value - wanted) <= bound);
      }
    }
    return count;
  }
};

constexpr double subnormal = 0x1p-25;  // below half's normal numbers roundings are absolute
constexpr double cancelled = 0x1p-17;  // a sum with a bias keeps the error that its terms had in float

template <class Space, class T>
void check(int n) {
  const matrices<Space, T> m(n);
  const auto what = [n](const char* text) { return std::string(text) + " of rows of " + std::to_string(n); };
  EXPECT_EQ(m.wrong(lf::softmax(m.x), softmax, subnormal), 0) << what("softmax");
  EXPECT_EQ(m.wrong(lf::layer_norm(m.x, m.w, m.b), layer_norm, cancelled), 0) << what("layer_norm");
  EXPECT_EQ(m.wrong(lf::softmax(lf::flip(m.x, lf::axis<1>)), softmax, subnormal, true), 0)
      << what("softmax, reversed,");

  // one element off alignment
  lf::array<T, 2, Space> wide = lf::zeros<T>({rows, n + 1});
  wide(lf::all, lf::range(1, lf::end)) = m.x;
  const auto off = wide(lf::all, lf::range(1, lf::end));
  EXPECT_EQ(m.wrong(lf::softmax(off), softmax, subnormal), 0) << what("softmax off alignment");
  EXPECT_EQ(m.wrong(lf::layer_norm(off, m.w, m.b), layer_norm, cancelled), 0) << what("layer_norm off alignment");

  lf::array<T, 2, Space> z = lf::flip(lf::flip(m.x, lf::axis<1>), lf::axis<1>);  // memory of its own
  z = lf::layer_norm(z, m.w, m.b);
  EXPECT_EQ(m.wrong(z, layer_norm, cancelled), 0) << what("layer_norm in place");
}
TYPED_TEST(rows_of_16_bits, have_the_rounded_results_of_real_numbers) {
  for (const int n : lengths) {
    check<TypeParam, lf::half>(n);
    check<TypeParam, lf::bfloat16>(n);
  }
}

TYPED_TEST(rows_of_16_bits, keep_nan_where_one_is_and_ignore_minus_infinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const int n : {8, 1032, 16384}) {
    lf::array<lf::half, 2, TypeParam> x = lf::zeros<lf::half>({2, n});
    x(0, lf::range(n - 1, n)) = lf::half(nan);
    x(1, lf::range(n - 1, n)) = lf::half(-infinity);
    const auto z = lf::softmax(x);
    EXPECT_EQ(lf::count_nonzero(lf::isnan(z), lf::axis<1>)(0).item(), n);
    EXPECT_EQ(lf::count_nonzero(lf::isnan(z), lf::axis<1>)(1).item(), 0);
    EXPECT_EQ(static_cast<float>(lf::array(z)(1, n - 1).item()), 0.0f);
  }
}

TYPED_TEST(rows_of_16_bits, that_are_only_copied_keep_their_bits) {
  const lf::half quiet_negative = __builtin_bit_cast(lf::half, std::uint16_t{0xfe00});
  lf::array<lf::half, 1, TypeParam> x = lf::full({64}, quiet_negative);
  EXPECT_TRUE(lf::all(lf::signbit(lf::array(lf::flip(x)))).item());
  EXPECT_FALSE(lf::any(lf::signbit(lf::array(-x))).item());
  EXPECT_TRUE(lf::array_equal(lf::copysign(lf::ones<lf::half>({64}), x), lf::full({64}, lf::half(-1.0f))));
}

}  // namespace
