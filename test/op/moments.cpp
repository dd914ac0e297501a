// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moments of many, merged on one level as the lanes of a warp do, against the variance in long double.
#include <lazyfuse/op/statistics.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

namespace lf = lazyfuse;
using monoid = lf::op::moments;
constexpr std::size_t lanes = 32;
template <class T>
using parts = std::array<std::vector<T>, lanes>;

/// What each lane adds up, brought to one level in a butterfly, in which lanes keep their own, and then merged.
template <class T>
lf::moment_sums<T> merged(const parts<T>& x) {
  std::array<lf::moment_sums<T>, lanes> all{};
  for (std::size_t l = 0; l < lanes; ++l)
    for (const T e : x[l]) all[l] = monoid{}(all[l], lf::op::sample{}(e));
  std::array<decltype(monoid::level(all[0])), lanes> level{};
  for (std::size_t l = 0; l < lanes; ++l) level[l] = monoid::level(all[l]);
  for (std::size_t apart = 1; apart < lanes; apart *= 2) {
    const auto before = level;
    for (std::size_t l = 0; l < lanes; ++l) level[l] = monoid::common_level(before[l], before[l ^ apart]);
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    all[l] = monoid::at_level(all[l], level[l]);
    EXPECT_EQ(all[l].shift, all[0].shift) << "lane " << l;
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) all[l] = monoid::of_one_level(all[l], all[l + half]);
  return all[0];
}
template <class T>
T variance(const parts<T>& x) {
  const lf::moment_sums<T> m = merged(x);
  return lf::op::variance_of{}(m, 1 / m.count, 1 / m.count);
}
template <class T>
long double wanted(const parts<T>& x) {
  long double count = 0, sum = 0, squares = 0;
  for (const auto& part : x)
    for (const T e : part) count += 1, sum += static_cast<long double>(e);
  for (const auto& part : x)
    for (const T e : part)
      squares += (static_cast<long double>(e) - sum / count) * (static_cast<long double>(e) - sum / count);
  return squares / count;
}
template <class T>
void expect_near(const parts<T>& x, const char* what) {
  const long double want = wanted(x);
  EXPECT_NEAR(static_cast<double>(variance(x)), static_cast<double>(want),
              static_cast<double>(want) * (sizeof(T) == 4 ? 4e-6 : 1e-14))
      << what;
}
/// So many numbers for each lane, from -1 to 1.
template <class T>
parts<T> usual(std::size_t count) {
  parts<T> x;
  for (std::size_t l = 0; l < lanes; ++l)
    for (std::size_t i = 0; i < count; ++i) x[l].push_back(static_cast<T>((i * 37 + l * 11) % 201) / 100 - 1);
  return x;
}

template <class T>
class moments : public testing::Test {};
using numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(moments, numbers);

/// Halfway between the shifts, squares of all others would be half a million times as large as those that count.
TYPED_TEST(moments, of_lanes_of_which_one_has_a_single_far_number) {
  for (const std::size_t lane : {0, 13, 31}) {
    parts<TypeParam> x = usual<TypeParam>(4000);
    x[lane] = {TypeParam(1000)};
    expect_near(x, "one far number");
  }
}
TYPED_TEST(moments, of_lanes_of_which_some_have_nothing) {
  parts<TypeParam> x = usual<TypeParam>(300);
  for (std::size_t l = 5; l < lanes; ++l) x[l].clear();
  for (auto& part : x)
    for (auto& e : part) e += 1000;
  expect_near(x, "some lanes");
  EXPECT_EQ(merged(parts<TypeParam>{}).count, 0);
}
TYPED_TEST(moments, of_lanes_of_unlike_means) {
  parts<TypeParam> x = usual<TypeParam>(100);
  for (std::size_t l = 0; l < lanes; ++l)
    for (auto& e : x[l]) e += static_cast<TypeParam>(10 * l);
  expect_near(x, "a step for each lane");
}
TYPED_TEST(moments, of_equal_numbers_have_no_variance) {
  parts<TypeParam> x;
  for (std::size_t l = 0; l < lanes; ++l) x[l].assign(1 + 7 * l, TypeParam(0.1));
  EXPECT_EQ(variance(x), 0);
}

}  // namespace
