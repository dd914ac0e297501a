// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed into memory, what together, and what once more by whoever needs it: the cheapest way to some
// results.
#pragma once

#include <functional>
#include <vector>

namespace lazyfuse::planning {

/// The things that are decided on at a time, at most.
inline constexpr int most_decided = 12;

/// Sets of things, a bit for each: those that one kernel puts in memory, one kernel after the other.
struct grouping {
  std::vector<unsigned> groups;
  double cost = 0;
};

/// The kernels that put all wanted ones of `count` things in memory at the least total cost, and whatever else makes
/// them cheaper. cost(group, done): of one kernel that computes this group when those in `done` are in memory, and all
/// else from what it reads; infinite where that is no kernel. What is done once is not done again. Ties go to fewer
/// kernels, then to lower bits. Empty where nothing is wanted, or nothing leads there. least: no kernel costs less.
///
/// There is no cheaper way: sets of finished things are visited in the order of what they cost (uniform-cost search,
/// Dijkstra 1959), at most 2^count of them, each with 2^(count - size) groups, and only those from which one kernel
/// more could be cheaper than all wanted ones in a single one. The cost must not be negative.
grouping cheapest_groups(int count, unsigned wanted, const std::function<double(unsigned group, unsigned done)>& cost,
                         double least = 0);

}  // namespace lazyfuse::planning
