// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uniform-cost search over sets of what is in memory.
#include "plan/cheapest_groups.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace lazyfuse::planning {

grouping cheapest_groups(int count, unsigned wanted, const std::function<double(unsigned, unsigned)>& cost,
                         double least) {
  constexpr double never = std::numeric_limits<double>::infinity();
  struct way {
    double cost = never;
    int kernels = 0;
    unsigned last = 0;  // group
  };
  using state = std::tuple<double, int, unsigned>;  // cost, kernels, done
  std::vector<way> best(std::size_t{1} << count);
  std::priority_queue<state, std::vector<state>, std::greater<>> open;
  const unsigned all = (1u << count) - 1;
  const double at_once = wanted != 0 ? cost(wanted, 0) : never;
  best[0] = {0, 0, 0};
  open.push({0, 0, 0});
  while (!open.empty()) {
    const auto [so_far, kernels, done] = open.top();
    open.pop();
    if (so_far > best[done].cost || kernels > best[done].kernels) continue;  // a better way was found meanwhile
    if ((wanted & ~done) == 0) {
      grouping found{{}, so_far};
      for (unsigned set = done; set != 0; set &= ~best[set].last) found.groups.push_back(best[set].last);
      std::reverse(found.groups.begin(), found.groups.end());
      return found;
    }
    const unsigned rest = all & ~done;
    for (unsigned group = rest; group != 0; group = (group - 1) & rest) {
      const double total = done == 0 && group == wanted ? at_once : so_far + cost(group, done);
      way& to = best[done | group];
      if ((wanted & ~(done | group)) != 0 && total + least >= at_once) continue;
      if (!(total < never) || std::tie(to.cost, to.kernels) <= std::make_tuple(total, kernels + 1)) continue;
      to = {total, kernels + 1, group};
      open.push({total, kernels + 1, done | group});
    }
  }
  return {};
}

}  // namespace lazyfuse::planning
