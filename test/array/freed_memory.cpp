// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large memory of the host that was freed becomes that of arrays to come.
#include "support/arrays.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

namespace lf = lazyfuse;

constexpr lf::index_t large = lf::index_t{10} << 20;  // floats: 40 MB, more than malloc keeps

lf::array<float, 1> filled(lf::index_t n, float value) { return lf::full<float>({n}, value); }
bool is_all(const lf::array<float, 1>& x, float value) { return lf::all(x == value).item(); }

TEST(FreedMemory, OfALargeArrayIsThatOfTheNext) {
  if (lf::ir::checked_build) GTEST_SKIP() << "checked builds free it, so that sanitizers tell who uses it still";
  const float* freed = nullptr;
  {
    const auto x = filled(large, 1);
    freed = x.data();
  }
  const auto smaller = filled(large - large / 10, 2);  // the same block, a tenth of which is not used
  EXPECT_EQ(smaller.data(), freed);
  EXPECT_TRUE(is_all(smaller, 2));
}

TEST(FreedMemory, IsOneArraysAtATime) {
  std::vector<lf::array<float, 1>> arrays;
  for (int round = 0; round < 3; ++round) {
    while (arrays.size() < 3) arrays.push_back(filled(large, static_cast<float>(arrays.size())));
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_TRUE(is_all(arrays[i], static_cast<float>(i))) << round;
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(arrays[i].data(), arrays[j].data()) << round;
    }
    arrays.resize(1);
  }
}

TEST(FreedMemory, OfMuchMoreBytesIsNotTakenForFew) {
  if (lf::ir::checked_build) GTEST_SKIP();
  const float* freed = nullptr;
  {
    const auto x = filled(3 * large, 1);
    freed = x.data();
  }
  const auto few = filled(large, 2);
  EXPECT_NE(few.data(), freed);
}

TEST(FreedMemory, IsSharedByThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(2);
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&wrong, t] {
      for (int round = 0; round < 5; ++round)
        wrong[static_cast<std::size_t>(t)] += !is_all(filled(large, t + 2.0f), t + 2.0f);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(2));
}

}  // namespace
