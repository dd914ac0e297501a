// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of up to 2^30 numbers, computed as they are added, so that they need no memory: constant, of one sign and
// increasing, as a whole, along rows and along columns. The error is at most four epsilons of the sum of the
// magnitudes. Expected values: the same numbers are sums of integers, which are exact in int64.
#include "support/arrays.hpp"

#include <algorithm>
#include <cmath>

namespace {

template <class Space>
class long_sums : public test::on<Space> {};
TYPED_TEST_SUITE(long_sums, test::spaces, test::space_name);

constexpr double most = 4;

/// 2^30, and on the host, where computing so many numbers takes seconds, fewer.
template <class Space>
constexpr lf::index_t many = lf::index_t{1} << (std::is_same_v<Space, lf::host> ? 26 : 30);
template <class Space>
constexpr lf::index_t in_lines = lf::index_t{1} << (std::is_same_v<Space, lf::host> ? 25 : 30);
constexpr lf::index_t thousand_million = lf::index_t{1} << 30;

/// Shapes of so many elements: few and many, rows and columns, which are summed along the longer axis.
std::vector<lf::shape<2>> shapes(lf::index_t n) {
  return {lf::shape(4, n / 4), lf::shape(1 << 10, n >> 10), lf::shape(n >> 10, 1 << 10), lf::shape(n / 4, 4)};
}
/// Numbers as expressions, and what they are: high * high_unit + low * low_unit.
template <class X, class High, class Low>
struct numbers {
  const char* name;
  X x;
  High high;
  Low low;
  double high_unit, low_unit;
};

/// The largest error of the sums, in epsilons of the sums of magnitudes.
template <class Sums, class Highs, class Lows>
double largest_error(const Sums& sums, const Highs& highs, const Lows& lows, double high_unit, double low_unit) {
  const auto found = test::tensor_of(sums);
  const auto high = test::tensor_of(highs), low = test::tensor_of(lows);
  double largest = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const long double exact =
        static_cast<long double>(high.values[i]) * high_unit + static_cast<long double>(low.values[i]) * low_unit;
    const long double error = std::abs(static_cast<long double>(found.values[i]) - exact) / exact;
    if (std::isnan(error)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, static_cast<double>(error));
  }
  return largest / std::numeric_limits<lf::value_t<Sums>>::epsilon();
}

template <class N, class... Axes>
void expect_exact(const N& n, Axes... along) {
  EXPECT_LE(largest_error(lf::sum(n.x, along...), lf::sum(n.high, along...), lf::sum(n.low, along...), n.high_unit,
                          n.low_unit),
            most)
      << n.name;
}

/// Every place is its own number, in row-major order: 0, 1, 2, ...
template <class T>
auto increasing(const lf::shape<2>& s) {
  const auto place = lf::arange<std::int64_t>(0, s[0])(lf::all, lf::newaxis) * s[1] + lf::arange<std::int64_t>(0, s[1]);
  const auto x = lf::cast<T>(place);
  return numbers{"increasing", x, lf::cast<std::int64_t>(x), lf::zeros<std::int64_t>(s), 1, 0};
}
/// Uniform numbers in [0, 1): their bits in two halves.
template <class T>
auto of_one_sign(const lf::shape<2>& s) {
  constexpr int digits = std::numeric_limits<T>::digits, upper = digits / 2;
  const auto x = lf::random::uniform<T>(s, lf::seed{7});
  const auto scaled = x * std::ldexp(T(1), upper);
  const auto whole = lf::floor(scaled);
  return numbers{"of one sign",
                 x,
                 lf::cast<std::int64_t>(whole),
                 lf::cast<std::int64_t>((scaled - whole) * std::ldexp(T(1), digits - upper)),
                 std::ldexp(1.0, -upper),
                 std::ldexp(1.0, -digits)};
}

template <class T, class Space>
void expect_exact_sums() {
  for (const lf::shape<2>& s : shapes(in_lines<Space>)) {
    SCOPED_TRACE(test::text({s[0], s[1]}) + " of " + std::to_string(sizeof(T)) + " bytes");
    const auto check = [&](const auto& n) {
      if (s[0] > s[1]) expect_exact(n, lf::axis<0>);
      else expect_exact(n, lf::axis<1>);
    };
    check(increasing<T>(s));
    check(of_one_sign<T>(s));
  }
  const lf::shape<2> whole(1, many<Space>);
  expect_exact(increasing<T>(whole));
  expect_exact(of_one_sign<T>(whole));
}
TYPED_TEST(long_sums, of_computed_floats) { expect_exact_sums<float, TypeParam>(); }
TYPED_TEST(long_sums, of_computed_doubles) { expect_exact_sums<double, TypeParam>(); }

/// Sums, means and norms of equal numbers: what each is, relatively.
template <class T, class Space>
void expect_exact_constants() {
  const auto expect = [](const auto& e, double exact, double epsilons, const char* what) {
    const double eps = std::numeric_limits<T>::epsilon();
    const lf::array<T, 0, Space> lowest = lf::min(e), highest = lf::max(e);
    EXPECT_NEAR(lowest.item() / exact, 1, epsilons * eps) << what;
    EXPECT_NEAR(highest.item() / exact, 1, epsilons * eps) << what;
  };
  const auto check = [&](const auto& x, double c, lf::index_t count, auto... along) {
    const double n = static_cast<double>(count);
    using results = lf::array<T, lf::rank_of<decltype(lf::sum(x, along...))>, Space>;
    expect(results(lf::sum(x, along...)), n * c, most, "sum");
    expect(results(lf::mean(x, along...)), c, most + 1, "mean");
    expect(results(lf::norm(x, along...)), c * std::sqrt(n), most / 2 + 2, "norm");
  };
  for (const double value : {300.1, 0.1, 1.9999}) {
    const T c = static_cast<T>(value);
    SCOPED_TRACE(std::to_string(value) + " of " + std::to_string(sizeof(T)) + " bytes");
    check(lf::full({thousand_million}, c), c, thousand_million);
    const lf::array<T, 0, Space> one = lf::full({1}, c)(0);  // in memory, and broadcast
    check(lf::broadcast_to(one, {thousand_million - 3}), c, thousand_million - 3);
    for (const lf::shape<2>& s : shapes(in_lines<Space>)) {
      SCOPED_TRACE(test::text({s[0], s[1]}));
      if (s[0] > s[1]) check(lf::full(s, c), c, s[0], lf::axis<0>);
      else check(lf::full(s, c), c, s[1], lf::axis<1>);
    }
  }
}
TYPED_TEST(long_sums, of_equal_floats) { expect_exact_constants<float, TypeParam>(); }
TYPED_TEST(long_sums, of_equal_doubles) { expect_exact_constants<double, TypeParam>(); }

/// Norms of 1, 2, ..., 1009, 1, 2, ...: their squares are integers.
template <class T, class Space>
void expect_exact_norms() {
  const lf::index_t n = many<Space>;
  const auto place = lf::remainder(lf::arange<std::int64_t>(0, n), 1009) + 1;
  const double squares = static_cast<double>(lf::array<std::int64_t, 0, Space>(lf::sum(place * place)).item());
  const double sum = static_cast<double>(lf::array<std::int64_t, 0, Space>(lf::sum(place)).item());
  const double eps = std::numeric_limits<T>::epsilon();
  const lf::array<T, 0, Space> norm = lf::norm(lf::cast<T>(place)), mean = lf::mean(lf::cast<T>(place));
  EXPECT_NEAR(norm.item() / std::sqrt(squares), 1, (most / 2 + 2) * eps);
  EXPECT_NEAR(mean.item() / (sum / static_cast<double>(n)), 1, (most + 1) * eps);
}
TYPED_TEST(long_sums, inside_of_norms_and_means) {
  expect_exact_norms<float, TypeParam>();
  expect_exact_norms<double, TypeParam>();
}

}  // namespace
