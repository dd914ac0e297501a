// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over arguments that are broadcast along other axes: sums over pairs, products of matrices by broadcasting,
// the nearest of several points; of odd sizes, batches and layouts, against loops over plain numbers.
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using lf::all, lf::axis, lf::newaxis, lf::range;
using std::int32_t, std::int64_t;
using test::numbers;

template <class Space>
class pairs_and_products : public test::on<Space> {
 protected:
  template <class T, int R>
  static lf::array<T, R, Space> of(const test::tensor<T>& t) {
    return test::array_of<Space, R>(t);
  }
  /// Where kernels are made for values, all of these are one, by tiles.
  template <class... E>
  static void expect_tiles(const char* pattern, const E&... e) {
    if (!test::planned_by_values<Space> || lf::ir::checked_build) return;
    const auto p = lf::plan(e...);
    ASSERT_EQ(p.kernels.size(), 1u);
    EXPECT_EQ(p.kernels[0].pattern, pattern);
    EXPECT_EQ(p.kernels[0].path, "tiles");
  }
};
TYPED_TEST_SUITE(pairs_and_products, test::spaces, test::space_name);

struct sizes {
  int64_t rows, columns, depth;
};

TYPED_TEST(pairs_and_products, sum_several_functions_of_pairs_at_once) {
  for (const sizes& of : {sizes{700, 513, 1}, {32, 9001, 1}, {2049, 256, 1}}) {
    const int64_t n = of.rows, m = of.columns;
    const auto x = numbers<int32_t>({n}, 1), y = numbers<int32_t>({m}, 2), w = numbers<int32_t>({m}, 3);
    const auto a = this->template of<int32_t, 1>(x), b = this->template of<int32_t, 1>(y),
               c = this->template of<int32_t, 1>(w);
    const auto d = a(all, newaxis) - b(newaxis);
    const auto sum = lf::sum(d * d * c(newaxis), axis<1>);
    const auto most = lf::max(d, axis<1>);
    const auto count = lf::sum(lf::where(d > c(newaxis), 1, 0), axis<1>) + a;
    lf::array<int64_t, 1, TypeParam> s{lf::shape(n)}, k{lf::shape(n)};
    lf::array<int32_t, 1, TypeParam> t{lf::shape(n)};
    this->expect_tiles("reduce", sum, most, count);
    lf::assign(lf::tie(s, t, k), sum, most, count);
    const auto over = [&](const auto& f, int64_t first, const auto& combined) {
      return [&, first](const test::extents& i) {
        int64_t all = first;
        for (int64_t j = 0; j < m; ++j) all = combined(all, f(int64_t{x[i]}, j));
        return all;
      };
    };
    const auto plus = [](int64_t p, int64_t q) { return p + q; };
    EXPECT_TRUE(test::evaluates_to(
        s, test::generate<int64_t>(
               {n}, over([&](int64_t v, int64_t j) { return (v - y[{j}]) * (v - y[{j}]) * w[{j}]; }, 0, plus))));
    EXPECT_TRUE(test::evaluates_to(
        lf::cast<int64_t>(t), test::generate<int64_t>({n}, over([&](int64_t v, int64_t j) { return v - y[{j}]; }, -1000,
                                                                [](int64_t p, int64_t q) { return std::max(p, q); }))));
    EXPECT_TRUE(test::evaluates_to(
        k - lf::cast<int64_t>(a),
        test::generate<int64_t>({n},
                                over([&](int64_t v, int64_t j) { return int64_t{v - y[{j}] > w[{j}]}; }, 0, plus))));
  }
}

TYPED_TEST(pairs_and_products, find_where_a_function_of_pairs_is_least) {
  const int64_t n = 611, m = 777;
  const auto x = numbers<int32_t>({n}, 4), y = numbers<int32_t>({m}, 5);
  const auto a = this->template of<int32_t, 1>(x), b = this->template of<int32_t, 1>(y);
  const auto e = lf::argmin(lf::abs(a(all, newaxis) - b(newaxis)), axis<1>);
  this->expect_tiles("reduce", e);
  EXPECT_TRUE(test::evaluates_to(e, test::generate<int64_t>({n}, [&](const test::extents& i) {  // the first of several
                                   int64_t at = 0;
                                   for (int64_t j = 1; j < m; ++j)
                                     if (std::abs(x[i] - y[{j}]) < std::abs(x[i] - y[{at}])) at = j;
                                   return at;
                                 })));
}

/// Products of every type, of sizes that fill no tile, and of more than one batch, from every layout.
template <class Space, class T, class Result>
void multiply(const sizes& s, double tolerance) {
  const int64_t m = s.rows, n = s.columns, k = s.depth;
  const auto x = numbers<T>({m, k}, 6), y = numbers<T>({n, k}, 7);
  const auto a = test::array_of<Space, 2>(x), b = test::array_of<Space, 2>(y);
  const auto term = [&](const test::extents& i, int64_t l) {
    const auto exact = [](T v) { return static_cast<double>(static_cast<float>(v)); };
    return exact(T(x[{i[0], l}])) * exact(T(y[{i[1], l}]));
  };
  const auto added = [&](const auto& f) {
    return test::generate<double>({m, n}, [&](const test::extents& i) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += f(term(i, l));
      return sum;
    });
  };
  const auto want = added([](double v) { return v; }), large = added([](double v) { return std::abs(v); });
  const auto expect = [&](const char* layout, const auto& e) {
    const auto have = test::tensor_of(lf::cast<double>(e));
    ASSERT_EQ(have.shape, want.shape) << layout;
    for (std::size_t i = 0; i < have.values.size(); ++i)
      ASSERT_NEAR(have.values[i], want.values[i], tolerance * large.values[i]) << layout << ", " << i;
  };
  const auto product = [](const auto& p, const auto& q) { return lf::sum(p(all, newaxis) * q(newaxis), axis<2>); };
  expect("rows of both", product(a, b));
  const lf::array<T, 2, Space> at = a.T(), bt = b.T();  // columns in memory
  expect("columns of the second", product(a, bt.T()));
  expect("columns of the first", product(at.T(), b));
  expect("columns of both", product(at.T(), bt.T()));
  lf::array<T, 2, Space> wide = lf::zeros<T>({m, k + 3});
  wide(all, range(1, k + 1)) = a;
  expect("a part of rows", product(wide(all, range(1, k + 1)), b));
  lf::array<Result, 2, Space> turned = lf::zeros<Result>({n, m});
  turned = product(a, b).T();
  expect("into columns", turned.T());
}
TYPED_TEST(pairs_and_products, multiply_matrices_of_every_type) {
  for (const sizes& s : {sizes{130, 67, 33}, {64, 64, 100}, {33, 200, 257}}) {
    multiply<TypeParam, float, float>(s, 0);  // whole numbers below 2^24
    multiply<TypeParam, double, double>(s, 0);
    multiply<TypeParam, int32_t, int64_t>(s, 0);
    multiply<TypeParam, lf::half, lf::half>(s, 1.0 / 1024);  // products and the result are rounded
    multiply<TypeParam, lf::bfloat16, lf::bfloat16>(s, 1.0 / 128);
  }
}

TYPED_TEST(pairs_and_products, are_of_batches_and_of_other_operations_than_products) {
  const int64_t batches = 3, m = 65, n = 70, k = 21;
  const auto x = numbers<float>({batches, m, k}, 8), y = numbers<float>({batches, n, k}, 9);
  const auto a = this->template of<float, 3>(x), b = this->template of<float, 3>(y);
  const auto p = a(all, all, newaxis), q = b(all, newaxis);
  const auto want = [&](float first, const auto& f) {
    return test::generate<float>({batches, m, n}, [&, first](const test::extents& i) {
      float all = first;
      for (int64_t l = 0; l < k; ++l) all = f(all, x[{i[0], i[1], l}], y[{i[0], i[2], l}]);
      return all;
    });
  };
  this->expect_tiles("reduce", lf::min(p + q, axis<3>));
  EXPECT_TRUE(test::evaluates_to(lf::min(p + q, axis<3>),
                                 want(1e9f, [](float s, float u, float v) { return std::min(s, u + v); })));
  EXPECT_TRUE(test::evaluates_to(lf::sum(lf::abs(p - q), axis<3>),
                                 want(0, [](float s, float u, float v) { return s + std::abs(u - v); })));
  EXPECT_TRUE(test::evaluates_to(lf::max(lf::abs(p - q), axis<3>) - lf::min(p + q, axis<3>),
                                 test::generate<float>({batches, m, n}, [&](const test::extents& i) {
                                   float most = 0, least = 1e9f;
                                   for (int64_t l = 0; l < k; ++l) {
                                     const float u = x[{i[0], i[1], l}], v = y[{i[0], i[2], l}];
                                     most = std::max(most, std::abs(u - v));
                                     least = std::min(least, u + v);
                                   }
                                   return most - least;
                                 })));
}

TYPED_TEST(pairs_and_products, find_the_nearest_of_several_points) {
  for (const sizes& s : {sizes{1000, 60, 12}, {333, 33, 17}, {4100, 7, 40}, {2000, 129, 1}}) {
    const int64_t n = s.rows, k = s.columns, d = s.depth;
    const auto x = numbers<float>({n, d}, 10), y = numbers<float>({k, d}, 11);
    const auto p = this->template of<float, 2>(x), c = this->template of<float, 2>(y);
    const auto distances = lf::sum(lf::square(p(all, newaxis) - c(newaxis)), axis<2>);
    const auto distance = [&](int64_t i, int64_t j) {
      float sum = 0;
      for (int64_t l = 0; l < d; ++l) sum += (x[{i, l}] - y[{j, l}]) * (x[{i, l}] - y[{j, l}]);
      return sum;
    };
    const auto nearest = [&](int64_t i) {
      int64_t at = 0;
      for (int64_t j = 1; j < k; ++j)
        if (distance(i, j) < distance(i, at)) at = j;
      return at;
    };
    if (d > 1 && k > 8) this->expect_tiles("nested", lf::argmin(distances, axis<1>));
    EXPECT_TRUE(
        test::evaluates_to(lf::argmin(distances, axis<1>),
                           test::generate<int64_t>({n}, [&](const test::extents& i) { return nearest(i[0]); })));
    EXPECT_TRUE(test::evaluates_to(lf::min(distances, axis<1>), test::generate<float>({n}, [&](const test::extents& i) {
                                     return distance(i[0], nearest(i[0]));
                                   })));
    const auto w = numbers<float>({k}, 12), v = numbers<float>({n}, 13);
    const auto weights = this->template of<float, 1>(w), values = this->template of<float, 1>(v);
    const auto most = lf::max(distances + weights(newaxis) * values(all, newaxis), axis<1>) - values;
    if (d > 1 && k > 8) this->expect_tiles("nested", most);
    EXPECT_TRUE(test::evaluates_to(most, test::generate<float>({n}, [&](const test::extents& i) {
                                     float all = -1e9f;
                                     for (int64_t j = 0; j < k; ++j)
                                       all = std::max(all, distance(i[0], j) + w[{j}] * v[i]);
                                     return all - v[i];
                                   })));
  }
}

TYPED_TEST(pairs_and_products, have_elements_of_every_size) {
  const int64_t m = 70, n = 90, k = 65;
  const auto x = numbers<int32_t>({m, k}, 16), y = numbers<int32_t>({n, k}, 17);
  const auto of_pair = [&](const auto& f) {
    return test::generate<int64_t>({m, n}, [&](const test::extents& i) {
      int64_t sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += f(x[{i[0], l}], y[{i[1], l}]);
      return sum;
    });
  };
  const auto a = this->template of<int32_t, 2>(x), b = this->template of<int32_t, 2>(y);
  const auto product = [](const auto& p, const auto& q) { return lf::sum(p(all, newaxis) * q(newaxis), axis<2>); };
  const auto want = of_pair([](int64_t u, int64_t v) { return u * v; });
  const lf::array<std::int8_t, 2, TypeParam> a8 = lf::cast<std::int8_t>(a), b8 = lf::cast<std::int8_t>(b);
  EXPECT_TRUE(test::evaluates_to(product(lf::cast<int32_t>(a8), lf::cast<int32_t>(b8)), want));
  const lf::array<bool, 2, TypeParam> positive = a > 40, negative = b < -40;
  EXPECT_TRUE(test::evaluates_to(lf::any(positive(all, newaxis) & negative(newaxis), axis<2>),
                                 test::generate<bool>({m, n}, [&](const test::extents& i) {
                                   bool some = false;
                                   for (int64_t l = 0; l < k; ++l)
                                     some = some || (x[{i[0], l}] > 40 && y[{i[1], l}] < -40);
                                   return some;
                                 })));
  const lf::array<lf::complex<float>, 2, TypeParam> ac = lf::complex<float>(0, 1) * lf::cast<float>(a),
                                                    bc = lf::cast<lf::complex<float>>(b);
  EXPECT_TRUE(test::evaluates_to(lf::cast<int64_t>(lf::imag(product(ac, bc))), want));
  const lf::array<lf::complex<double>, 2, TypeParam> ad = lf::cast<lf::complex<double>>(ac),
                                                     bd = lf::cast<lf::complex<double>>(bc);
  EXPECT_TRUE(test::evaluates_to(lf::cast<int64_t>(lf::imag(product(ad, bd))), want));
  // Elements of three bytes, and of six.
  const auto sums_of = [&]<class Part>(Part) {
    using element = lf::vec<Part, 3>;
    lf::array<element, 2, TypeParam> e{lf::shape(m, k)};
    lf::component<0>(e) = lf::cast<Part>(a), lf::component<1>(e) = lf::cast<Part>(a) * Part(0);
    lf::component<2>(e) = lf::cast<Part>(lf::floor_divide(lf::abs(a), 2));
    const lf::array<element, 2, TypeParam> least = lf::min(e(all, newaxis) + e(newaxis), axis<2>);
    EXPECT_TRUE(test::evaluates_to(
        lf::cast<int64_t>(lf::component<2>(least)), test::generate<int64_t>({m, m}, [&](const test::extents& i) {
          int64_t all = 1000;
          for (int64_t l = 0; l < k; ++l)
            all = std::min<int64_t>(all, std::abs(x[{i[0], l}]) / 2 + std::abs(x[{i[1], l}]) / 2);
          return all;
        })));
  };
  sums_of(std::int8_t{});
  sums_of(std::int16_t{});
  // Points that are elements.
  using point = lf::vec<float, 3>;
  const auto c = numbers<float>({3, 2000}, 18);
  lf::array<point, 1, TypeParam> p{lf::shape(2000)};
  const auto parts = this->template of<float, 2>(c);
  lf::component<0>(p) = parts(0), lf::component<1>(p) = parts(1), lf::component<2>(p) = parts(2);
  const lf::array<point, 1, TypeParam> q = p(range(0, 300));
  const auto sums = lf::sum(p(newaxis) - q(all, newaxis), axis<1>);
  this->expect_tiles("reduce", sums);
  const lf::array<point, 1, TypeParam> r = sums;
  EXPECT_TRUE(test::evaluates_to(lf::component<2>(r), test::generate<float>({300}, [&](const test::extents& i) {
                                   float sum = 0;
                                   for (int64_t j = 0; j < 2000; ++j) sum += c[{2, j}] - c[{2, i[0]}];
                                   return sum;
                                 })));
}

TYPED_TEST(pairs_and_products, do_not_drift_where_all_terms_are_one_number) {
  const int64_t n = 64, k = 20000;
  const lf::array<float, 2, TypeParam> a = lf::full<float>({n, k}, 0.1f), b = lf::full<float>({n, k}, 0.7f);
  const lf::array<float, 2, TypeParam> y = lf::sum(a(all, newaxis) * b(newaxis), axis<2>);
  const auto have = test::tensor_of(y);
  const double want = static_cast<double>(0.1f) * static_cast<double>(0.7f) * static_cast<double>(k),
               eps = std::numeric_limits<float>::epsilon();
  // Libraries of products add up without what rounding loses: some 10 epsilons of so many equal terms.
  const double bound = std::is_same_v<TypeParam, lf::host> ? 8 : 32;
  for (const float v : have.values) ASSERT_NEAR(v, want, bound * eps * want);
  const lf::array<float, 1, TypeParam> u = lf::full<float>({n}, 0.1f), w = lf::full<float>({k}, 0.7f);
  const auto pairs = test::tensor_of(lf::sum(u(all, newaxis) * w(newaxis), axis<1>));
  for (const float v : pairs.values) ASSERT_NEAR(v, want, 8 * eps * want);
}

TYPED_TEST(pairs_and_products, keep_nan_and_infinity) {
  const int64_t n = 100, m = 3000;
  auto y = numbers<float>({m}, 14);
  y.values[1234] = std::numeric_limits<float>::quiet_NaN();
  const auto x = numbers<float>({n}, 15);
  const auto a = this->template of<float, 1>(x), b = this->template of<float, 1>(y);
  for (const float v : test::tensor_of(lf::max(a(all, newaxis) + b(newaxis), axis<1>)).values)
    ASSERT_TRUE(std::isnan(v));
  y.values[1234] = std::numeric_limits<float>::infinity();
  const auto c = this->template of<float, 1>(y);
  for (const float v : test::tensor_of(lf::sum(a(all, newaxis) + c(newaxis), axis<1>)).values)
    ASSERT_EQ(v, std::numeric_limits<float>::infinity());
}

/// Floats whose exponents are drawn from a range, and every so often one of the `special` numbers.
test::tensor<float> drawn(int64_t n, int seed, int least, int most, const std::vector<float>& special, int64_t often) {
  std::uint64_t state = static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15u;
  const auto next = [&](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  return test::generate<float>({n}, [&](const test::extents& i) {
    if (!special.empty() && i[0] % often == 0) return special[static_cast<std::size_t>(i[0] / often) % special.size()];
    const float mantissa = 1 + static_cast<float>(next(1u << 23)) / (1u << 23);
    const int exponent = least + static_cast<int>(next(static_cast<std::uint64_t>(most - least + 1)));
    return std::ldexp(next(2) == 0 ? mantissa : -mantissa, exponent);
  });
}
/// One pair of each row is looked at, bit by bit: quotients and roots are computed together, for a few rows at a time.
template <class Space, class Expect>
void round_correctly(const test::tensor<float>& x, const test::tensor<float>& y, const Expect& expect_tiles) {
  const int64_t n = x.size(), m = y.size();
  const auto chosen = test::generate<int64_t>({n}, [&](const test::extents& i) { return i[0] * 37 % m; });
  const auto a = test::array_of<Space, 1>(x), b = test::array_of<Space, 1>(y);
  const auto c = test::array_of<Space, 1>(chosen);
  const auto p = a(all, newaxis), q = b(newaxis);
  const auto root = lf::sqrt(lf::abs(q) + 0.0f * p);
  const auto is = [&](const auto& e, const auto& f, const char* what) {
    const auto one = lf::max(
        lf::where(lf::arange<int64_t>(m) == c(all, newaxis), e, -std::numeric_limits<float>::infinity()), axis<1>);
    expect_tiles(one);
    const auto got = test::tensor_of(one);
    for (int64_t i = 0; i < n; ++i) {
      const float v = got.values[static_cast<std::size_t>(i)], want = f(x[{i}], y[{chosen[{i}]}]);
      if (std::isnan(want)) ASSERT_TRUE(std::isnan(v)) << what << " of " << x[{i}] << " and " << y[{chosen[{i}]}];
      else
        ASSERT_TRUE(v == want && std::signbit(v) == std::signbit(want))
            << what << " of " << x[{i}] << " and " << y[{chosen[{i}]}] << ": " << v << ", not " << want;
    }
  };
  is(
      p / q, [](float u, float v) { return u / v; }, "the quotient");
  is(
      1.0f / (p * q), [](float u, float v) { return 1.0f / (u * v); }, "the reciprocal of the product");
  is(
      root, [](float, float v) { return std::sqrt(std::abs(v)); }, "the root");
  is(
      p / root, [](float u, float v) { return u / std::sqrt(std::abs(v)); }, "the quotient by the root");
  // Programs of more operations take smaller steps.
  is(
      p / root + q / (p * p), [](float u, float v) { return u / std::sqrt(std::abs(v)) + v / (u * u); },
      "the sum of quotients");
}
TYPED_TEST(pairs_and_products, round_quotients_and_roots_correctly) {
  constexpr float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min(),
                  all_ones = 0x1.fffffcp1f;
  const auto tiles = [&](const auto& e) { this->expect_tiles("reduce", e); };
  const auto check = [&](const test::tensor<float>& x, const test::tensor<float>& y) {
    round_correctly<TypeParam>(x, y, tiles);
  };
  check(drawn(1500, 1, -8, 8, {}, 1), drawn(700, 2, -8, 8, {all_ones, 4.0f, 0x1.fffffep1f}, 50));
  check(drawn(1500, 3, -60, 59, {}, 1), drawn(700, 4, -60, 59, {}, 1));
  check(drawn(1500, 5, -149, 127, {0.0f, -0.0f, huge, -huge, tiny, -tiny, 1.0f}, 10), drawn(700, 6, -149, 127, {}, 1));
  check(drawn(1500, 7, -4, 4, {0.0f, -0.0f, 1.0f}, 3), drawn(700, 8, -4, 4, {tiny, 0x1p-126f, huge, 0.0f, -0.0f}, 9));
}

}  // namespace
