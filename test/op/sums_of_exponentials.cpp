// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of exp(x - max(x)) in one pass, as threads make them and as they merge what they have, against the same in
// double, or in long double.
#include <lazyfuse/op/exponential.hpp>
#include <lazyfuse/op/statistics.hpp>
#include <lazyfuse/op/sum_of_exponentials.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace {

namespace lf = lazyfuse;
using monoid = lf::op::exponentials<lf::op::exp>;
template <class T>
using sums = lf::exponential_sum<T>;

/// So many numbers are united at a time; those that are left, one at a time.
template <int Together, class T>
sums<T> of_thread(const std::vector<T>& x, std::size_t first, std::size_t step) {
  sums<T> a = monoid::identity<sums<T>>();
  std::size_t i = first;
  for (; Together > 1 && i + (Together - 1) * step < x.size(); i += Together * step) {
    sums<T> lone[Together];
    for (std::size_t k = 0; k < Together; ++k) lone[k] = lf::op::lone_exponential{}(x[i + k * step]);
    a = monoid::united<Together>(a, lone);
  }
  for (; i < x.size(); i += step) a = monoid{}(a, lf::op::lone_exponential{}(x[i]));
  return a;
}
/// By so many threads, whose sums are merged in a tree.
template <int Together, class T>
T by_threads(const std::vector<T>& x, std::size_t threads, T largest) {
  std::vector<sums<T>> all;
  for (std::size_t t = 0; t < threads; ++t) all.push_back(of_thread<Together>(x, t, threads));
  if (Together > 1) {  // as warps do: at the largest shift first
    T top = monoid::level(all[0]);
    for (const sums<T>& a : all) top = std::max(top, monoid::level(a));
    for (sums<T>& a : all) a = monoid::at_level(a, top);
  }
  for (std::size_t half = threads / 2; half > 0; half /= 2)
    for (std::size_t t = 0; t < half; ++t)
      all[t] = Together > 1 ? monoid::of_one_level(all[t], all[t + half]) : monoid{}(all[t], all[t + half]);
  return lf::op::shifted_sum<lf::op::exp>{}(all[0], largest);
}
template <class T>
void expect_near(const char* what, std::size_t n, const std::function<double(std::size_t)>& number) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(number(i));
  const T largest = *std::max_element(x.begin(), x.end());
  long double wanted = 0;
  for (const T e : x) wanted += std::exp(static_cast<long double>(e) - static_cast<long double>(largest));
  for (const std::size_t threads : {1, 2, 64, 1024}) {
    const double levels = std::log2(static_cast<double>(threads));
    for (const auto& [together, made] :
         {std::pair(1, by_threads<1>(x, threads, largest)), std::pair(4, by_threads<4>(x, threads, largest)),
          std::pair(8, by_threads<8>(x, threads, largest))}) {
      const double off = static_cast<double>(std::abs(made / wanted - 1)) / std::numeric_limits<T>::epsilon();
      // A difference of up to 16 is rounded to half an epsilon of 16, which its exponential carries on.
      EXPECT_LE(off, 4 + levels + 8) << what << ", " << n << " numbers by " << threads << " threads, " << together
                                     << " at a time";
    }
  }
}

TEST(sums_of_exponentials, do_not_drift_whatever_the_order) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{200'000}}) {
    expect_near<float>("equal", n, [](std::size_t) { return 3.0; });
    expect_near<float>("growing slowly", n, [](std::size_t i) { return static_cast<double>(i) * 1e-7; });
    expect_near<float>("growing", n, [](std::size_t i) { return static_cast<double>(i) * 1e-4; });
    expect_near<float>("growing fast", n, [](std::size_t i) { return static_cast<double>(i % 5000) * 0.5; });
    expect_near<float>("shrinking", n, [n](std::size_t i) { return static_cast<double>(n - i) * 1e-4; });
    expect_near<float>("far from zero", n, [](std::size_t i) { return 1e4 + static_cast<double>(i % 17); });
    expect_near<float>("mixed", n, [](std::size_t i) { return static_cast<double>(i * 7919 % 10007) * 1e-3; });
    expect_near<double>("growing", n, [](std::size_t i) { return static_cast<double>(i) * 1e-4; });
  }
}

TEST(sums_of_exponentials, know_no_largest_number_too_small_for_them) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const lf::op::shifted_sum<lf::op::exp> shifted;
  const lf::op::plain_sum<lf::op::exp> plain;
  using list = std::initializer_list<float>;
  const auto one_by_one = [](list x) { return of_thread<1>(std::vector<float>(x), 0, 1); };
  const auto united = [](list x) {  // with nothing in the place of some
    sums<float> a = monoid::identity<sums<float>>(), lone[8] = {a, a, a, a, a, a, a, a};
    std::transform(x.begin(), x.end(), std::begin(lone) + 1, lf::op::lone_exponential{});
    return monoid::united<8>(a, lone);
  };
  const auto expect_all = [&](const auto& all) {
    EXPECT_EQ(shifted(all({-infinity, -infinity}), -infinity), 0);
    EXPECT_EQ(shifted(all({-infinity, 2, -infinity}), 2.0F), 1);
    EXPECT_EQ(shifted(all({1, infinity, 2}), infinity), infinity);
    EXPECT_TRUE(std::isnan(shifted(all({1, nan, 2}), nan)));
    EXPECT_TRUE(std::isnan(plain(all({-infinity, -infinity}), -infinity)));
    EXPECT_TRUE(std::isnan(plain(all({1, infinity}), infinity)));
    EXPECT_EQ(plain(all({-3e38F, 3e38F}), 3e38F), 1);
    EXPECT_EQ(shifted(all({0, 0, 0}), 0.0F), 3);
  };
  expect_all(one_by_one);
  expect_all(united);
}

}  // namespace
