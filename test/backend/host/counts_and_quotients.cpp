// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops of the host do with conditions and whole numbers in their own ways: any and all that decide early, counts
// in bytes, and quotients by one divisor; against plain loops.
#include "support/arrays.hpp"
#include "support/host_threads.hpp"

#include <limits>
#include <random>
#include <vector>

namespace {

using lf::axis, lf::range;

TEST(conditions, decide_wherever_they_stand) {
  for (const std::int64_t n : {1, 31, 33, 4096, 4097, 32768, 32769, 200'003})
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      lf::array<bool, 1> none = lf::zeros<bool>({n}), every = lf::ones<bool>({n});
      EXPECT_FALSE(lf::any(none).item()) << n;
      EXPECT_TRUE(lf::all(every).item()) << n;
      none(at) = true;
      every(at) = false;
      EXPECT_TRUE(lf::any(none).item()) << n << " " << at;
      EXPECT_FALSE(lf::all(every).item()) << n << " " << at;
      EXPECT_EQ(lf::count_nonzero(none).item(), 1);
      EXPECT_EQ(lf::count_nonzero(every).item(), n - 1);
    }
}
TEST(conditions, decide_and_are_counted_along_any_axis) {
  const auto t = test::generate<std::int32_t>({70, 5003}, [](const test::extents& i) {
    return static_cast<std::int32_t>((i[0] * 31 + i[1] * 17) % 977 + (i[0] % 3 == 0 ? 1 : 0));
  });
  const lf::array<std::int32_t, 2> x = test::array_of<lf::host, 2>(t);
  const auto any_of = [&](int along) {
    test::tensor<bool> want(test::extents{along == 0 ? 5003 : 70});
    for (std::int64_t r = 0; r < 70; ++r)
      for (std::int64_t c = 0; c < 5003; ++c)
        if (t.values[static_cast<std::size_t>(r * 5003 + c)] == 0)
          want.values[static_cast<std::size_t>(along == 0 ? c : r)] = true;
    return want;
  };
  const lf::array<bool, 2> zero = x == 0;
  for (const int threads : {1, 3}) {
    const test::same_threads_after restore;
    omp_set_num_threads(threads);
    EXPECT_TRUE(test::evaluates_to(lf::any(zero, axis<0>), any_of(0)));
    EXPECT_TRUE(test::evaluates_to(lf::any(zero, axis<1>), any_of(1)));
    EXPECT_TRUE(test::evaluates_to(lf::logical_not(lf::all(x != 0, axis<1>)), any_of(1)));
    EXPECT_TRUE(test::evaluates_to(lf::any(zero.T(), axis<0>), any_of(1)));
  }
  std::int64_t count = 0;
  double sum = 0;
  for (const std::int32_t v : t.values) count += v > 400, sum += v;
  EXPECT_EQ(lf::count_nonzero(x > 400).item(), count);
  EXPECT_EQ(lf::sum(lf::sum(x > 400, axis<1>)).item(), count);
  EXPECT_EQ(lf::sum(lf::sum(x > 400, axis<0>)).item(), count);
  // Beside others, which end their runs sooner.
  const auto doubles = lf::cast<double>(x);
  EXPECT_EQ((lf::count_nonzero(x > 400) + lf::sum(doubles)).item(), static_cast<double>(count) + sum);
  EXPECT_EQ((lf::count_nonzero(x > 400) - lf::argmax(x) * 0 + lf::count_nonzero(x <= 400)).item(), 70 * 5003);
  EXPECT_NEAR((lf::var(doubles) * 0.0 + lf::count_nonzero(x > 400)).item(), static_cast<double>(count), 1e-6);
}

/// Elements and divisors of all sizes, against the operations as they are.
template <class T>
void expect_right_quotients() {
  std::mt19937_64 random(1);
  const T least = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
  std::vector<T> x, divisors;
  for (int k = 0; k < 20; ++k) {
    for (const T v : {T(least + T(k)), T(largest - T(k)), T(k), T(-k)}) x.push_back(v), divisors.push_back(v);
    x.push_back(static_cast<T>(random() >> (random() % 64)));
  }
  for (int bit = 0; bit < 8 * int(sizeof(T)); ++bit)
    for (const int beside : {-1, 0, 1}) {
      divisors.push_back(static_cast<T>((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(beside)));
      divisors.push_back(static_cast<T>(0 - (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(beside)));
    }
  for (int k = 0; k < 40; ++k) divisors.push_back(static_cast<T>(random() >> (random() % 64)));
  const lf::array<T, 1> a = lf::borrow(x.data(), lf::shape<1>{static_cast<std::int64_t>(x.size())});
  for (const T d : divisors) {
    const lf::array<T, 1> quotient = lf::floor_divide(a, d), rest = lf::remainder(a, d);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(quotient.data()[i], lf::op::floor_divide{}(x[i], d)) << +x[i] << " / " << +d;
      EXPECT_EQ(rest.data()[i], lf::op::remainder{}(x[i], d)) << +x[i] << " % " << +d;
    }
  }
}
TEST(quotients, by_one_divisor_are_right) {
  expect_right_quotients<lf::int8>();
  expect_right_quotients<lf::int32>();
  expect_right_quotients<lf::int64>();
  expect_right_quotients<lf::uint16>();
  expect_right_quotients<lf::uint64>();
}
TEST(quotients, by_one_divisor_of_any_layout_are_right) {
  const auto n = lf::materialize(lf::reshape(lf::arange<std::int64_t>(60'000) * 7919 - 100'000'000, {300, 200}));
  const auto exact = [](const auto& x) {
    return lf::materialize((x - lf::remainder(x, 37)) - lf::floor_divide(x, 37) * 37);
  };
  EXPECT_TRUE(lf::all(exact(n) == 0).item());
  EXPECT_TRUE(lf::all(exact(n.T()) == 0).item());
  EXPECT_TRUE(lf::all(exact(n(range(3, 9), range(5, 190, 3))) == 0).item());
  EXPECT_TRUE(lf::all(exact(n(lf::all, range(0, 3))) == 0).item());
}

}  // namespace
