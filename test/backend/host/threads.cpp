// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distinct arrays may be used from distinct threads; const access to one array is safe. Run under ThreadSanitizer.
#include "support/arrays.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace {

template <class Space>
class threads : public test::on<Space> {};
TYPED_TEST_SUITE(threads, test::every_space, test::space_name);

/// Runs f(0), ..., f(count - 1) at the same time. Assertions are made after the threads have ended.
template <class F>
void at_once(int count, F f) {
  std::atomic<int> ready{0};
  std::vector<std::thread> running;
  for (int n = 0; n < count; ++n)
    running.emplace_back([&, n] {
      ready.fetch_add(1);
      while (ready.load() < count) std::this_thread::yield();
      f(n);
    });
  for (std::thread& t : running) t.join();
}

TYPED_TEST(threads, work_on_their_own_arrays) {
  constexpr int count = 4;
  float totals[count] = {};
  at_once(count, [&](int n) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      lf::array<float, 2, TypeParam> x = lf::full({50, 60}, float(n));
      x += 1;
      x = lf::transpose(x);
      totals[n] = lf::sum(x).item();
    }
  });
  for (int n = 0; n < count; ++n) EXPECT_EQ(totals[n], 3000.0f * float(n + 1));
}

TYPED_TEST(threads, read_one_array) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({64, 64}));
  const auto e = x * 2 + lf::transpose(x);
  constexpr int count = 4;
  float totals[count] = {};
  at_once(count, [&](int n) {
    for (int repeat = 0; repeat < 5; ++repeat) totals[n] = lf::max(e + x(0) + n).item();
  });
  for (int n = 0; n < count; ++n) EXPECT_EQ(totals[n], 3 * 4095.0f + 63 + float(n));
}

TYPED_TEST(threads, write_to_copies_of_one_array) {
  const auto t = test::counting<float>({1000});
  const auto x = test::array_of<TypeParam, 1>(t);
  constexpr int count = 4;
  float firsts[count] = {};
  at_once(count, [&](int n) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      auto mine = x;
      mine(0) = float(n + 1);
      mine += x;
      firsts[n] = mine(0).item();
    }
  });
  for (int n = 0; n < count; ++n) EXPECT_EQ(firsts[n], float(n + 1));
  EXPECT_TRUE(test::evaluates_to(x, t));
}

TYPED_TEST(threads, hand_arrays_to_each_other) {
  lf::array<float, 1, TypeParam> x{1, 2, 3};
  std::thread([&] { x = x + 1; }).join();
  float total = 0;
  std::thread([y = std::move(x), &total] { total = lf::sum(y).item(); }).join();
  EXPECT_EQ(total, 9.0f);
}

TYPED_TEST(threads, trace_their_own_work) {
  lf::kernel_trace mine;
  std::int64_t theirs = 0;
  std::thread([&] {
    lf::kernel_trace trace;
    const lf::array<float, 1, TypeParam> x = lf::zeros<float>({10}) + 1;
    theirs = trace.launches();
  }).join();
  EXPECT_EQ(theirs, 1);
  EXPECT_EQ(mine.launches(), 0);
}

}  // namespace
