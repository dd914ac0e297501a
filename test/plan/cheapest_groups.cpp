// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What graphs compute into memory, against every way there is, on random graphs.
#include "plan/cheapest_groups.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using lazyfuse::planning::cheapest_groups, lazyfuse::planning::grouping;

constexpr double never = std::numeric_limits<double>::infinity();

/// A graph of things of some shapes. A kernel reads what is in memory and computes the rest of what it needs again,
/// each of its things once; it takes so many of them, all that are stored of one shape. Some things
/// cannot be stored.
struct random_graph {
  int count;
  std::vector<unsigned> reads;
  std::vector<int> shape;
  std::vector<double> work, bytes;
  unsigned wanted = 0, unstorable = 0;
  int most_computed;

  random_graph(unsigned seed, int n) : count(n) {
    std::mt19937 random(seed);
    const auto some = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    most_computed = 2 + some(n);
    for (int i = 0; i < n; ++i) {
      unsigned from = 0;
      for (int j = 0; j < i; ++j)
        if (some(3) == 0) from |= 1u << j;
      reads.push_back(from);
      shape.push_back(some(3));
      work.push_back(1 + some(40));
      bytes.push_back(1 + some(20));
      if (i + 1 == n || some(4) == 0) wanted |= 1u << i;
      if (some(12) == 0) unstorable |= 1u << i;
    }
  }
  double cost(unsigned group, unsigned done) const {
    unsigned computed = 0, read = 0, open = group;
    while (open != 0) {
      const auto i = static_cast<std::size_t>(std::countr_zero(open));
      open &= open - 1;
      computed |= 1u << i;
      read |= reads[i] & done;
      open |= reads[i] & ~done & ~computed;
    }
    if (std::popcount(computed) > most_computed || (group & unstorable) != 0) return never;
    double total = 25;  // a launch
    int stored = -1;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (computed >> i & 1) total += work[i];
      if (read >> i & 1) total += bytes[i];
      if (!(group >> i & 1)) continue;
      if (stored >= 0 && shape[i] != stored) return never;
      stored = shape[i];
      total += bytes[i];
    }
    return total;
  }
  /// The least of all ways: every set that may be in memory, by every last kernel.
  double least() const {
    const unsigned all = (1u << count) - 1;
    std::vector<double> best(all + 1, never);
    best[0] = 0;
    for (unsigned done = 0; done <= all; ++done)
      for (unsigned group = 1; group <= all; ++group)
        if ((group & done) == 0 && best[done] < never)
          best[done | group] = std::min(best[done | group], best[done] + cost(group, done));
    double found = never;
    for (unsigned done = 0; done <= all; ++done)
      if ((wanted & ~done) == 0) found = std::min(found, best[done]);
    return found;
  }
};

TEST(cheapest_groups, cost_no_more_than_any_other_way_on_random_graphs) {
  int several = 0, recomputed = 0, impossible = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const random_graph g(seed, 2 + static_cast<int>(seed % 7));
    const auto cost = [&](unsigned group, unsigned done) { return g.cost(group, done); };
    const grouping found = cheapest_groups(g.count, g.wanted, cost);
    const double least = g.least();
    if (least == never) {
      ++impossible;
      EXPECT_TRUE(found.groups.empty()) << "seed " << seed;
      continue;
    }
    double sum = 0;
    unsigned done = 0;
    for (const unsigned group : found.groups) {
      EXPECT_EQ(group & done, 0u) << "seed " << seed;
      sum += g.cost(group, done);
      done |= group;
    }
    EXPECT_EQ(g.wanted & ~done, 0u) << "seed " << seed;
    EXPECT_DOUBLE_EQ(sum, found.cost) << "seed " << seed;
    EXPECT_DOUBLE_EQ(found.cost, least) << "seed " << seed;
    several += found.groups.size() > 1;
    recomputed += done != (1u << g.count) - 1;
  }
  EXPECT_GT(several, 50);
  EXPECT_GT(recomputed, 50);
  EXPECT_GT(impossible, 0);
}
TEST(cheapest_groups, are_found_of_twelve_things) {
  const random_graph g(7, 12);
  const auto cost = [&](unsigned group, unsigned done) { return g.cost(group, done); };
  EXPECT_DOUBLE_EQ(cheapest_groups(12, g.wanted, cost).cost, g.least());
}
TEST(cheapest_groups, of_nothing_are_none) {
  EXPECT_TRUE(cheapest_groups(0, 0, [](unsigned, unsigned) { return 1.0; }).groups.empty());
  EXPECT_TRUE(cheapest_groups(3, 0, [](unsigned, unsigned) { return 1.0; }).groups.empty());
}
TEST(cheapest_groups, that_cost_the_same_are_the_fewest) {
  // Both at once for 2, or one after the other for 1 each.
  const auto cost = [](unsigned group, unsigned) { return group == 3 ? 2.0 : 1.0; };
  EXPECT_EQ(cheapest_groups(2, 3, cost).groups, std::vector<unsigned>{3});
}

}  // namespace
