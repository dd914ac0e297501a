// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of numbers whose roundings do not cancel: constant, of one sign, increasing. The error is at most four epsilons
// of the sum of the magnitudes, whichever function has the sum inside, along whichever axes. Expected values: long
// double.
#include "support/arrays.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace {

template <class Space>
class biased_sums : public test::on<Space> {};
TYPED_TEST_SUITE(biased_sums, test::spaces, test::space_name);

/// Element i of some data.
template <class T>
struct data_of {
  std::string name;
  std::function<T(std::int64_t)> at;
};
template <class T>
std::vector<data_of<T>> kinds_of_data() {
  std::vector<data_of<T>> all;
  for (const double c : {300.1, 0.1, 1.9999, 1.2345})
    all.push_back({"all " + std::to_string(c), [c](std::int64_t) { return static_cast<T>(c); }});
  all.push_back({"of one sign", [](std::int64_t i) {
                   std::minstd_rand random(static_cast<unsigned>(i + 1));
                   return static_cast<T>(std::generate_canonical<double, 53>(random));
                 }});
  all.push_back({"increasing", [](std::int64_t i) { return static_cast<T>(0.1) + static_cast<T>(i); }});
  all.push_back({"two values", [](std::int64_t i) { return static_cast<T>(i % 2 ? 1.1 : 0.7); }});
  return all;
}

/// How many epsilons of the sum of magnitudes `sum` is away from the sum of the n numbers at(0), at(1), ...
template <class T, class F>
double error(T sum, std::int64_t n, const F& at) {
  long double exact = 0, magnitudes = 0, part = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const T value = at(i);
    part += value;
    magnitudes += std::abs(value);
    if (i % 1024 < 1023 && i < n - 1) continue;
    exact += part;  // else the rounding of long double itself would count
    part = 0;
  }
  return static_cast<double>(std::abs(sum - exact) / (magnitudes * std::numeric_limits<T>::epsilon()));
}
constexpr double most = 4;

template <class T, class Space>
void expect_exact_sums() {
  for (const auto& data : kinds_of_data<T>()) {
    for (const std::int64_t n : {1, 2, 31, 33, 1000, 4097, 65536, 131072, 1000003, 1 << 21}) {
      SCOPED_TRACE(data.name + ", " + std::to_string(n) + " of " + std::to_string(sizeof(T)) + " bytes");
      const auto x =
          test::array_of<Space, 1>(test::generate<T>({n}, [&](const test::extents& at) { return data.at(at[0]); }));
      EXPECT_LE(error(lf::sum(x).item(), n, data.at), most) << "contiguous";
      EXPECT_LE(error(lf::sum(x(lf::range(lf::none, lf::none, 3))).item(), (n + 2) / 3,
                      [&](std::int64_t i) { return data.at(3 * i); }),
                most)
          << "every third";
      EXPECT_LE(error(static_cast<T>(lf::mean(x).item() * static_cast<T>(n)), n, data.at), most + 1) << "mean";
    }
    // Rows and columns, few and many; every line is summed and some are compared.
    const test::extents shapes[] = {{7, 100003}, {100003, 7}, {700, 1000}, {20011, 2}, {3, 262144}};
    for (const test::extents& shape : shapes) {
      SCOPED_TRACE(data.name + ", " + test::text(shape));
      const std::int64_t rows = shape[0], columns = shape[1];
      const auto x = test::array_of<Space, 2>(
          test::generate<T>(shape, [&](const test::extents& at) { return data.at(at[0] * columns + at[1]); }));
      const auto along_rows = test::tensor_of(lf::sum(x, lf::axis<1>)),
                 along_columns = test::tensor_of(lf::sum(x, lf::axis<0>));
      for (const std::int64_t i : {std::int64_t{0}, rows / 2, rows - 1})
        EXPECT_LE(error(along_rows.values[i], columns, [&](std::int64_t k) { return data.at(i * columns + k); }), most);
      for (const std::int64_t j : {std::int64_t{0}, columns / 2, columns - 1})
        EXPECT_LE(error(along_columns.values[j], rows, [&](std::int64_t k) { return data.at(k * columns + j); }), most);
      // the same where the sum is read again by every element of its row, or column
      const auto in_rows = test::tensor_of(0 * x + lf::sum(x, lf::axis<1>, lf::keepdims)),
                 in_columns = test::tensor_of(0 * x + lf::sum(x, lf::axis<0>, lf::keepdims));
      EXPECT_LE(error(in_rows.values[columns - 1], columns, data.at), most);
      EXPECT_LE(error(in_columns.values[0], rows, [&](std::int64_t k) { return data.at(k * columns); }), most);
    }
    const std::int64_t n = 5000;
    const auto x = test::array_of<Space, 3>(test::generate<T>(
        {3, n, 5}, [&](const test::extents& at) { return data.at((at[0] * n + at[1]) * 5 + at[2]); }));
    EXPECT_LE(error(test::tensor_of(lf::sum(x, lf::axis<1>)).values[6], n,
                    [&](std::int64_t k) { return data.at((n + k) * 5 + 1); }),
              most)
        << data.name << ", a middle axis";
    EXPECT_LE(error(test::tensor_of(lf::sum(x, lf::axis<0, 2>)).values[7], 15,
                    [&](std::int64_t k) { return data.at((k / 5 * n + 7) * 5 + k % 5); }),
              most)
        << data.name << ", the outer axes";
  }
}

TYPED_TEST(biased_sums, of_floats_are_within_four_epsilons_of_the_sum_of_magnitudes) {
  expect_exact_sums<float, TypeParam>();
}
TYPED_TEST(biased_sums, of_doubles_are_within_four_epsilons_of_the_sum_of_magnitudes) {
  expect_exact_sums<double, TypeParam>();
}

TYPED_TEST(biased_sums, with_infinities_are_infinite_or_nan_in_whichever_run_they_are) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const lf::index_t n : {40, 1000, 100003})
    for (const lf::index_t at : {lf::index_t{0}, n / 3, n - 1}) {
      lf::array<float, 2, TypeParam> x = lf::full({3, n}, 0.1f);
      x(1, lf::range(at, at + 1)) = infinity;
      x(2, lf::range(at, at + 1)) = infinity;
      x(2, lf::range(n / 2, n / 2 + 1)) = -infinity;
      const auto rows = test::tensor_of(lf::sum(x, lf::axis<1>)),
                 columns = test::tensor_of(lf::sum(lf::transpose(x), lf::axis<0>));
      for (const auto& sums : {rows, columns}) {
        EXPECT_TRUE(std::isfinite(sums.values[0])) << n << ' ' << at;
        EXPECT_EQ(sums.values[1], infinity) << n << ' ' << at;
        EXPECT_TRUE(std::isnan(sums.values[2])) << n << ' ' << at;
      }
    }
}

/// The variance of the n numbers at(0), at(1), ...
template <class F>
double variance(std::int64_t n, const F& at) {
  const auto mean_of = [&](const auto& value) {
    long double sum = 0, part = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      part += value(i);
      if (i % 1024 < 1023 && i < n - 1) continue;
      sum += part;
      part = 0;
    }
    return sum / n;
  };
  const auto from_first = [&](std::int64_t i) { return static_cast<long double>(at(i)) - at(0); };
  const long double mean = mean_of(from_first);
  return static_cast<double>(mean_of([&](std::int64_t i) { return (from_first(i) - mean) * (from_first(i) - mean); }));
}
/// How many epsilons a variance is away from that of the numbers at(0), ...; of equal ones: of their square.
template <class T, class F>
double error_of_variance(T var, std::int64_t n, const F& at) {
  const double exact = variance(n, at), scale = exact > 0 ? exact : static_cast<double>(at(0)) * at(0);
  return std::abs(var - exact) / (scale * std::numeric_limits<T>::epsilon());
}
template <class T, class Space>
void expect_exact_variances() {
  auto all = kinds_of_data<T>();
  all.push_back({"of both signs", [](std::int64_t i) { return static_cast<T>(i % 2 ? 1.2345 : -1.2345); }});
  all.push_back({"squares", [](std::int64_t i) { return static_cast<T>(i) * static_cast<T>(i); }});
  all.push_back({"far from zero", [](std::int64_t i) { return static_cast<T>(1000 + i % 3); }});
  for (const auto& data : all) {
    for (const std::int64_t n : {33, 100, 1000, 5000, 12345, 32768, 100003, 1 << 20}) {
      SCOPED_TRACE(data.name + ", " + std::to_string(n) + " of " + std::to_string(sizeof(T)) + " bytes");
      const auto x =
          test::array_of<Space, 1>(test::generate<T>({n}, [&](const test::extents& at) { return data.at(at[0]); }));
      EXPECT_LE(error_of_variance(lf::var(x).item(), n, data.at), most) << "contiguous";
      EXPECT_LE(error_of_variance(lf::var(x(lf::range(lf::none, lf::none, 3))).item(), (n + 2) / 3,
                                  [&](std::int64_t i) { return data.at(3 * i); }),
                most)
          << "every third";
    }
    for (const test::extents& shape : {test::extents{7, 20011}, {20011, 7}, {700, 300}}) {
      SCOPED_TRACE(data.name + ", " + test::text(shape));
      const std::int64_t rows = shape[0], columns = shape[1];
      const auto x = test::array_of<Space, 2>(
          test::generate<T>(shape, [&](const test::extents& at) { return data.at(at[0] * columns + at[1]); }));
      const auto row = [&](std::int64_t k) { return data.at(3 * columns + k); };
      const auto column = [&](std::int64_t k) { return data.at(k * columns + 3); };
      const auto along_rows = test::tensor_of(lf::var(x, lf::axis<1>)),
                 along_columns = test::tensor_of(lf::var(x, lf::axis<0>));
      EXPECT_LE(error_of_variance(along_rows.values[3], columns, row), most);
      EXPECT_LE(error_of_variance(along_columns.values[3], rows, column), most);
      const double of_row = variance(columns, row), of_column = variance(rows, column);
      if (of_row == 0 || of_column == 0) continue;
      const double eps = std::numeric_limits<T>::epsilon();
      EXPECT_NEAR(test::tensor_of(lf::std(x, lf::axis<0>)).values[3] / std::sqrt(of_column), 1, (most / 2 + 1) * eps);
      // what is normalized has a variance of one, but for the rounding of each element
      const auto in_rows = test::tensor_of(lf::layer_norm(x, lf::epsilon{0})),
                 in_columns = test::tensor_of(lf::standardize(x, lf::axis<0>));
      EXPECT_NEAR(variance(columns, [&](std::int64_t k) { return in_rows.values[3 * columns + k]; }), 1,
                  (most + 4) * eps);
      EXPECT_NEAR(variance(rows, [&](std::int64_t k) { return in_columns.values[k * columns + 3]; }), 1,
                  (most + 4) * eps);
    }
    const std::int64_t n = 5000;
    const auto x = test::array_of<Space, 3>(test::generate<T>(
        {3, n, 5}, [&](const test::extents& at) { return data.at((at[0] * n + at[1]) * 5 + at[2]); }));
    EXPECT_LE(error_of_variance(test::tensor_of(lf::var(x, lf::axis<1>)).values[6], n,
                                [&](std::int64_t k) { return data.at((n + k) * 5 + 1); }),
              most)
        << data.name << ", a middle axis";
    EXPECT_LE(error_of_variance(test::tensor_of(lf::var(x, lf::axis<1, 2>)).values[1], 5 * n,
                                [&](std::int64_t k) { return data.at(n * 5 + k); }),
              most)
        << data.name << ", the inner axes";
  }
}

TYPED_TEST(biased_sums, variances_of_floats_are_within_four_epsilons) { expect_exact_variances<float, TypeParam>(); }
TYPED_TEST(biased_sums, variances_of_doubles_are_within_four_epsilons) { expect_exact_variances<double, TypeParam>(); }

TYPED_TEST(biased_sums, of_elements_that_are_no_plain_floats) {
  const std::int64_t n = 1 << 20;
  const float c = 300.1f, eps = std::numeric_limits<float>::epsilon();
  const lf::array<lf::complex<float>, 0, TypeParam> complex_mean = lf::mean(lf::full({n}, lf::complex<float>(c, -c)));
  const auto z = complex_mean.item();
  EXPECT_NEAR(z.real(), c, most * eps * c);
  EXPECT_NEAR(z.imag(), -c, most * eps * c);
  const lf::array<lf::vec<float, 3>, 0, TypeParam> vector_mean =
      lf::mean(lf::full({n}, lf::vec<float, 3>(c, 1.1f, -c)));
  EXPECT_NEAR(vector_mean.item()[1], 1.1f, most * eps * 1.1f);
  const auto h = lf::half(300.1f);
  const lf::array<lf::half, 0, TypeParam> half_mean = lf::mean(lf::full({n}, h));
  EXPECT_EQ(static_cast<float>(half_mean.item()), static_cast<float>(h));
}

/// Functions with sums inside, of constant data: what each is, exactly.
TYPED_TEST(biased_sums, inside_of_other_functions) {
  const double eps = std::numeric_limits<float>::epsilon();
  for (const std::int64_t n : {1000, 131072, 1 << 21}) {
    for (const float c : {300.1f, 0.1f, 1.9999f, 1.2345f}) {
      SCOPED_TRACE(std::to_string(n) + " times " + std::to_string(c));
      const double d = c, count = static_cast<double>(n);
      const lf::array<float, 1, TypeParam> x = lf::full({n}, c);
      EXPECT_NEAR(lf::norm(x).item() / (d * std::sqrt(count)), 1, (most / 2 + 2) * eps);
      EXPECT_NEAR(lf::average(x, x).item() / d, 1, (2 * most + 2) * eps);
      EXPECT_NEAR(lf::cosine_similarity(x, x).item(), 1, (2 * most + 2) * eps);
      EXPECT_NEAR(test::tensor_of(lf::softmax(x)).values[0] * count, 1, (most + 2) * eps);
      EXPECT_NEAR(test::tensor_of(lf::layer_norm(x)).values[n / 2], 0, 1e-3);
      // distances of +-c from the mean: their squares are all alike
      const lf::array<float, 1, TypeParam> both =
          x * (1 - 2 * lf::remainder(lf::arange<float>(0, static_cast<float>(n)), 2));
      EXPECT_NEAR(lf::var(both).item() / (d * d), 1, 32 * eps);
      const auto [sum, mean, low] = lf::materialize(lf::sum(x), lf::mean(x), lf::min(x));
      EXPECT_NEAR(sum.item() / (d * count), 1, most * eps);
      EXPECT_NEAR(mean.item() / d, 1, (most + 1) * eps);
      EXPECT_EQ(low.item(), c);
    }
  }
}

TYPED_TEST(biased_sums, of_a_thousand_million_numbers_that_need_no_memory) {
  const std::int64_t n = std::int64_t{1} << (std::is_same_v<TypeParam, lf::host> ? 27 : 30);
  for (const float c : {300.1f, 0.1f, 1.9999f}) {
    const double exact = static_cast<double>(n) * c;
    const lf::array<float, 0, TypeParam> sum = lf::sum(lf::full({n}, c));
    EXPECT_NEAR(sum.item() / exact, 1, most * std::numeric_limits<float>::epsilon());
  }
  const double half_square = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  const lf::array<float, 0, TypeParam> sum = lf::sum(lf::cast<float>(lf::arange<std::int64_t>(0, n)));
  EXPECT_NEAR(sum.item() / half_square, 1, most * std::numeric_limits<float>::epsilon());
}

}  // namespace
