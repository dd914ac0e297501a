// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether random numbers have the distributions they promise, and nothing to do with each other. The seeds are fixed;
// limits are what fair samples exceed once in a million times (test/data/generate.py).
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using lf::seed;
using std::int32_t;
using std::int64_t;
namespace random = lf::random;

template <class Space>
class random_statistics : public test::on<Space> {};
TYPED_TEST_SUITE(random_statistics, test::spaces, test::space_name);

const test::reference_data& limits() {
  static const test::reference_data data("random");
  return data;
}
double limit(const std::string& name) { return limits().get<double>(name).values[0]; }

constexpr int64_t count = 1 << 20;

/// The numbers, made in the space and read on the host.
template <class Space, class E>
auto numbers(const E& e) {
  return test::tensor_of(lf::array<lf::value_t<E>, 1, Space>(e)).values;
}

/// Chi-square of how often each of the bins was met, all of them equally likely.
void expect_even(const std::vector<int64_t>& bins) {
  double total = 0, sum = 0;
  for (const int64_t n : bins) total += double(n);
  const double expected = total / double(bins.size());
  for (const int64_t n : bins) sum += (double(n) - expected) * (double(n) - expected) / expected;
  EXPECT_LT(sum, limit("chi2/" + std::to_string(bins.size() - 1)));
}
template <class Values, class F>
void expect_even(const Values& values, int bins, const F& bin_of) {
  std::vector<int64_t> met(static_cast<std::size_t>(bins));
  for (const auto v : values) ++met[static_cast<std::size_t>(bin_of(v))];
  expect_even(met);
}
/// That a mean of n terms of that deviation is what it should be.
void expect_mean(double mean, double expected, double deviation, double n) {
  EXPECT_LT(std::abs(mean - expected), limit("gauss") * deviation / std::sqrt(n));
}
/// Products of neighbours of distance 1, 2, 3, 4, 64 and 4096: their mean is zero, if that of the values is.
template <class Values>
void expect_uncorrelated(const Values& x, const Values& y, double mean, double variance) {
  for (const std::size_t lag : {0, 1, 2, 3, 4, 64, 4096}) {
    if (lag == 0 && &x == &y) continue;
    SCOPED_TRACE("distance " + std::to_string(lag));
    double sum = 0;
    for (std::size_t i = 0; i + lag < x.size(); ++i) sum += (double(x[i]) - mean) * (double(y[i + lag]) - mean);
    expect_mean(sum / double(x.size() - lag), 0, variance, double(x.size() - lag));
  }
}
/// The largest distance between the values' distribution and F, by Kolmogorov and Smirnov.
template <class Values, class F>
void expect_distribution(Values values, const F& f) {
  std::sort(values.begin(), values.end());
  double distance = 0;
  const double n = double(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = f(double(values[i]));
    distance = std::max({distance, p - double(i) / n, double(i + 1) / n - p});
  }
  EXPECT_LT(distance * std::sqrt(n), limit("kolmogorov"));
}

template <class Space, class T>
void check_uniform() {
  SCOPED_TRACE(test::name_of<T>());
  const auto x = numbers<Space>(random::uniform<T>({count}, seed(1)));
  expect_even(x, 256, [](T v) { return int(v * 256); });
  // The last bits that all elements of a type have.
  const double last = std::is_same_v<T, float> ? 0x1p24 : 0x1p53;
  expect_even(x, 256, [&](T v) { return int64_t(double(v) * last) & 255; });
  expect_distribution(x, [](double v) { return v; });
  double sum = 0, squares = 0;
  for (const T v : x) {
    sum += v;
    squares += (v - 0.5) * (v - 0.5);
  }
  expect_mean(sum / count, 0.5, std::sqrt(1.0 / 12), count);
  expect_mean(squares / count, 1.0 / 12, std::sqrt(1.0 / 180), count);
  expect_uncorrelated(x, x, 0.5, 1.0 / 12);
  // Neighbours in a plane of 16 x 16 parts: those of a block, and those of two blocks.
  for (const std::size_t first : {0, 1}) {
    std::vector<int64_t> met(256);
    for (std::size_t i = first; i + 1 < x.size(); i += 2)
      ++met[std::size_t(x[i] * 16) * 16 + std::size_t(x[i + 1] * 16)];
    expect_even(met);
  }
}
TYPED_TEST(random_statistics, of_uniform_numbers) {
  check_uniform<TypeParam, float>();
  check_uniform<TypeParam, double>();
}

template <class Space, class T>
void check_normal() {
  SCOPED_TRACE(test::name_of<T>());
  const auto x = numbers<Space>(random::normal<T>({count}, seed(2)));
  const auto bounds = limits().get<double>("parts/normal").values;
  expect_even(x, 16, [&](T v) { return std::lower_bound(bounds.begin(), bounds.end(), double(v)) - bounds.begin(); });
  expect_distribution(x, [](double v) { return 0.5 * std::erfc(-v * std::sqrt(0.5)); });
  double moment[5] = {};
  for (const T v : x)
    for (int k = 1; k <= 4; ++k) moment[k] += std::pow(double(v), k) / count;
  expect_mean(moment[1], 0, 1, count);
  expect_mean(moment[2], 1, std::sqrt(2.0), count);
  expect_mean(moment[3], 0, std::sqrt(15.0), count);
  expect_mean(moment[4], 3, std::sqrt(96.0), count);
  expect_uncorrelated(x, x, 0, 1);
  std::vector<T> squares(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) squares[i] = x[i] * x[i];
  expect_uncorrelated(squares, squares, 1, 2);
  // The two elements of a pair point in all directions equally often.
  std::vector<int64_t> met(16);
  for (std::size_t i = 0; i < x.size(); i += 2) {
    const double turn = std::atan2(double(x[i + 1]), double(x[i])) / (2 * std::acos(-1.0)) + 0.5;
    ++met[std::min<std::size_t>(15, std::size_t(turn * 16))];
  }
  expect_even(met);
}
TYPED_TEST(random_statistics, of_normal_numbers) {
  check_normal<TypeParam, float>();
  check_normal<TypeParam, double>();
}
TYPED_TEST(random_statistics, of_the_tails_of_normal_numbers) {
  const auto z = random::normal<float>({int64_t{1} << 24}, seed(3));
  const double n = double(1 << 24), p = std::erfc(4 / std::sqrt(2.0));  // beyond four deviations, either side
  const double beyond = double(lf::sum(lf::abs(z) > 4.0f).item());
  expect_mean(beyond / n, p, std::sqrt(p), n);
}

template <class Space, class T>
void check_exponential() {
  SCOPED_TRACE(test::name_of<T>());
  const auto x = numbers<Space>(random::exponential<T>({count}, seed(4), 2));
  const auto bounds = limits().get<double>("parts/exponential").values;
  expect_even(x, 16,
              [&](T v) { return std::lower_bound(bounds.begin(), bounds.end(), double(v) / 2) - bounds.begin(); });
  expect_distribution(x, [](double v) { return -std::expm1(-v / 2); });
  double sum = 0;
  for (const T v : x) sum += v;
  expect_mean(sum / count, 2, 2, count);
  expect_uncorrelated(x, x, 2, 4);
}
TYPED_TEST(random_statistics, of_exponential_numbers) {
  check_exponential<TypeParam, float>();
  check_exponential<TypeParam, double>();
}

TYPED_TEST(random_statistics, of_integers_without_a_bias_for_any_of_them) {
  const auto few = numbers<TypeParam>(random::integers<int32_t>({count}, -50, 50, seed(5)));
  expect_even(few, 100, [](int32_t v) { return v + 50; });
  const auto wide = numbers<TypeParam>(random::integers<int64_t>({count}, 1, 101, seed(5)));
  expect_even(wide, 100, [](int64_t v) { return v - 1; });
  // Of 3 * 2^61 numbers, plain products give two thirds of them three words and one third two.
  const auto most = numbers<TypeParam>(random::integers<int64_t>({count}, 0, 3 * (int64_t{1} << 61), seed(5)));
  expect_even(most, 96, [](int64_t v) { return v % 3 * 32 + (v >> 56) % 32; });
  const auto half = numbers<TypeParam>(random::integers<int32_t>({count}, 0, 3 * (int64_t{1} << 29), seed(5)));
  expect_even(half, 96, [](int32_t v) { return v % 3 * 32 + (v >> 24) % 32; });
}
TYPED_TEST(random_statistics, of_truth_values) {
  for (const double p : {0.5, 0.01, 0.9}) {
    const auto x = numbers<TypeParam>(random::bernoulli({count}, p, seed(6)));
    double sum = 0;
    for (const bool v : x) sum += v;
    expect_mean(sum / count, p, std::sqrt(p * (1 - p)), count);
    expect_uncorrelated(x, x, p, p * (1 - p));
  }
}

TYPED_TEST(random_statistics, of_seeds_that_are_near_or_split) {
  const seed s(42);
  const auto draw = [](const seed& from) { return numbers<TypeParam>(random::uniform<float>({count / 4}, from)); };
  const auto x = draw(s);
  for (const seed& other : {seed(43), seed(42 + (int64_t{1} << 32)), s.split(0), s.split(1), s.split(0).split(0)})
    expect_uncorrelated(x, draw(other), 0.5, 1.0 / 12);
  expect_uncorrelated(draw(s.split(0)), draw(s.split(1)), 0.5, 1.0 / 12);
  // The first number of each of many seeds, near ones and split ones.
  std::vector<float> first, of_split;
  for (int k = 0; k < 65536; ++k) {
    const auto number = [](const seed& from) {
      return lf::random_detail::below_one(lf::philox({}, lf::philox_key::of(from.key, from.stream)).word[0]);
    };
    first.push_back(number(seed(k)));
    of_split.push_back(number(s.split(k)));
  }
  for (const auto& v : {first, of_split}) {
    expect_even(v, 256, [](float u) { return int(u * 256); });
    expect_uncorrelated(v, v, 0.5, 1.0 / 12);
  }
}

}  // namespace
