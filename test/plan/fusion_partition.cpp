// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which assignments share a kernel: the answers against a search of every partition, and what holds of any answer.
#include <lazyfuse/plan/fusion_gain.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace lf = lazyfuse;
namespace planning = lazyfuse::planning;

constexpr double never = -std::numeric_limits<double>::infinity();

/// Contracts the groups and looks for a cycle by depth-first search. Not by the library's own order.
template <int N>
bool has_cycle(const planning::dependence_graph<N>& g, const std::vector<int>& group_of) {
  const int groups = *std::max_element(group_of.begin(), group_of.end()) + 1;
  std::vector<std::vector<int>> next(static_cast<std::size_t>(groups));
  for (int i = 0; i < g.nodes; ++i)
    for (int j = 0; j < g.nodes; ++j)
      if (g.readers[i].contains(j) && group_of[std::size_t(i)] != group_of[std::size_t(j)])
        next[std::size_t(group_of[std::size_t(i)])].push_back(group_of[std::size_t(j)]);
  enum state { fresh, open, closed };
  std::vector<state> state_of(next.size(), fresh);
  for (int start = 0; start < groups; ++start) {
    std::vector<std::pair<int, std::size_t>> path;
    if (state_of[std::size_t(start)] == fresh) path.emplace_back(start, 0), state_of[std::size_t(start)] = open;
    while (!path.empty()) {
      auto& [group, edge] = path.back();
      if (edge == next[std::size_t(group)].size()) {
        state_of[std::size_t(group)] = closed;
        path.pop_back();
        continue;
      }
      const int to = next[std::size_t(group)][edge++];
      if (state_of[std::size_t(to)] == open) return true;
      if (state_of[std::size_t(to)] == fresh) path.emplace_back(to, 0), state_of[std::size_t(to)] = open;
    }
  }
  return false;
}

template <int N>
std::vector<int> groups_of(const planning::dependence_graph<N>& g, const planning::partition<N>& p) {
  return {p.group_of, p.group_of + g.nodes};
}

/// An answer must be a partition without a cycle, numbered in an order in which it can run, of groups that gain.
template <int N, class Gain>
void check(const planning::dependence_graph<N>& g, const Gain& gain, const planning::partition<N>& p) {
  EXPECT_FALSE(has_cycle(g, groups_of(g, p)));
  std::vector<planning::node_set<N>> members(static_cast<std::size_t>(p.groups));
  for (int i = 0; i < g.nodes; ++i) {
    ASSERT_TRUE(0 <= p.group_of[i] && p.group_of[i] < p.groups);
    members[std::size_t(p.group_of[i])].insert(i);
    g.readers[i].for_each([&](int j) { EXPECT_LE(p.group_of[i], p.group_of[j]); });
  }
  double total = 0;
  for (const auto& group : members) {
    ASSERT_FALSE(group.empty());
    if (group.size() < 2) continue;
    EXPECT_GT(gain(group), 0);
    total += gain(group);
  }
  EXPECT_DOUBLE_EQ(p.gain, total);
}

/// The largest total gain over every partition of at most 12 nodes whose groups can run.
template <int N, class Gain>
double best_by_trying(const planning::dependence_graph<N>& g, const Gain& gain) {
  std::vector<double> of(std::size_t{1} << g.nodes, 0);
  for (unsigned set = 1; set < of.size(); ++set) {
    if ((set & (set - 1)) == 0) continue;
    planning::node_set<N> members;
    for (int i = 0; i < g.nodes; ++i)
      if (set >> i & 1) members.insert(i);
    of[set] = gain(members);
  }
  double best = never;
  std::vector<int> label(static_cast<std::size_t>(g.nodes), 0);
  const auto place = [&](const auto& self, int i, std::vector<unsigned>& groups) -> void {
    if (i == g.nodes) {
      double total = 0;
      for (const unsigned group : groups) total += of[group];
      if (total > best && !has_cycle(g, label)) best = total;
      return;
    }
    for (std::size_t k = 0; k <= groups.size(); ++k) {
      const bool opens = k == groups.size();
      if (opens) groups.push_back(0);
      groups[k] |= 1u << i;
      label[std::size_t(i)] = static_cast<int>(k);
      self(self, i + 1, groups);
      groups[k] &= ~(1u << i);
      if (opens) groups.pop_back();
    }
  };
  std::vector<unsigned> groups;
  place(place, 0, groups);
  return best;
}

using random = std::mt19937;
int below(random& r, int n) { return static_cast<int>(r() % static_cast<unsigned>(n)); }
unsigned any(random& r) { return static_cast<unsigned>(r()); }

/// Edges in a random order of the nodes, so that i -> j with i > j occur; density is in percent.
template <int N>
planning::dependence_graph<N> random_graph(random& r, int nodes, int density) {
  std::vector<int> order(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) order[std::size_t(i)] = i;
  for (int i = nodes - 1; i > 0; --i) std::swap(order[std::size_t(i)], order[std::size_t(below(r, i + 1))]);
  planning::dependence_graph<N> g(nodes);
  for (int i = 0; i < nodes; ++i)
    for (int j = i + 1; j < nodes; ++j)
      if (below(r, 100) < density) g.add_edge(order[std::size_t(i)], order[std::size_t(j)]);
  return g;
}

/// A gain without any structure: whole numbers, so that sums are exact; some negative, some impossible.
struct arbitrary_gain {
  unsigned seed;
  template <int N>
  double operator()(const planning::node_set<N>& group) const {
    std::uint64_t h = seed;
    for (const std::uint64_t w : group.word) h = (h ^ w) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    if (h % 5 == 0) return never;
    return double(h / 5 % 40) - 12 + 4 * group.size();
  }
};

/// Assignments that read one to four arrays, results of others or inputs; two kinds of iteration.
template <int N, int Inputs>
planning::fusion_gain<N, Inputs> random_assignments(random& r, int nodes, int iterations) {
  planning::fusion_gain<N, Inputs> f;
  f.limits = {.bytes_per_us = 4, .launch_us = 3, .max_operands = 9};
  for (int k = 0; k < Inputs; ++k) f.add_input(8 * (1 + below(r, 50)));
  for (int i = 0; i < nodes; ++i) {
    f.add_node(8 * (1 + below(r, 50)), below(r, iterations), below(r, 4) == 0);
    for (int k = 1 + below(r, 4); k > 0; --k)
      f.add_read(i, i > 0 && below(r, 2) ? i - 1 - below(r, std::min(i, 20)) : N + below(r, Inputs));
  }
  return f;
}

/// A -> B -> C and A -> C.
constexpr planning::dependence_graph<3> figure_3() {
  planning::dependence_graph<3> g(3);
  g.add_edge(0, 1);
  g.add_edge(1, 2);
  g.add_edge(0, 2);
  return g;
}
constexpr double of_A_and_C(const planning::node_set<3>& group) {
  return group.contains(0) && group.contains(2) && !group.contains(1) ? 5 : never;
}

template <int N>
bool same(const planning::dependence_graph<N>& g, const planning::partition<N>& a, const planning::partition<N>& b) {
  return a.gain == b.gain && a.groups == b.groups && groups_of(g, a) == groups_of(g, b);
}

TEST(fusion_partition, gains_as_much_as_the_best_of_all_partitions) {
  random r(1);
  for (int n = 0; n < 300; ++n) {
    const int nodes = 2 + n % 8;
    SCOPED_TRACE("graph " + std::to_string(n) + " of " + std::to_string(nodes) + " nodes");
    const auto g = random_graph<9>(r, nodes, 10 * below(r, 7));
    const arbitrary_gain gain{any(r)};
    const auto p = planning::best_partition(g, gain);
    check(g, gain, p);
    EXPECT_EQ(p.gain, best_by_trying(g, gain));
  }
}
TEST(fusion_partition, gains_as_much_as_the_best_of_all_partitions_by_memory_traffic) {
  random r(2);
  for (int n = 0; n < 150; ++n) {
    const auto f = random_assignments<9, 4>(r, 2 + n % 8, 1 + n % 2);
    const auto p = planning::best_partition(f.graph(), f);
    check(f.graph(), f, p);
    EXPECT_EQ(p.gain, best_by_trying(f.graph(), f)) << "graph " << n;
  }
}
TEST(fusion_partition, gains_as_much_as_the_best_of_all_partitions_of_ten_to_twelve_nodes) {
  random r(3);
  for (const int nodes : {10, 10, 10, 11, 11, 12, 12, 12}) {
    const auto g = random_graph<12>(r, nodes, 25);
    const arbitrary_gain gain{any(r)};
    EXPECT_EQ(planning::best_partition(g, gain).gain, best_by_trying(g, gain)) << nodes << " nodes";
  }
}
TEST(fusion_partition, refuses_a_group_that_depends_on_itself_through_another_node) {
  const auto p = planning::best_partition(figure_3(), of_A_and_C);
  EXPECT_EQ(p.gain, 0);
  EXPECT_EQ(p.groups, 3);
}
TEST(fusion_partition, takes_the_node_between_into_the_group_where_that_is_possible) {
  const auto gain = [](const planning::node_set<3>& group) {
    return group.contains(0) && group.contains(2) ? 5.0 : never;
  };
  const auto p = planning::best_partition(figure_3(), gain);
  EXPECT_EQ(p.gain, 5);
  EXPECT_EQ(p.groups, 1);
}
TEST(fusion_partition, refuses_two_groups_that_wait_for_each_other) {
  planning::dependence_graph<4> g(4);  // 0 -> 1 and 2 -> 3: either {0, 3} or {1, 2} may form, not both
  g.add_edge(0, 1);
  g.add_edge(2, 3);
  const auto gain = [](const planning::node_set<4>& s) {
    if (s.size() != 2) return never;
    return s.contains(0) && s.contains(3) ? 3.0 : s.contains(1) && s.contains(2) ? 4.0 : never;
  };
  const auto p = planning::best_partition(g, gain);
  check(g, gain, p);
  EXPECT_EQ(p.gain, 4);
  EXPECT_EQ(groups_of(g, p), (std::vector<int>{0, 1, 1, 2}));
}
TEST(fusion_partition, forms_no_group_where_all_lose_or_gain_nothing) {
  random r(4);
  for (const double value : {0.0, -1.0, never, std::numeric_limits<double>::quiet_NaN()}) {
    for (const int nodes : {1, 5, 12}) {
      const auto g = random_graph<12>(r, nodes, 20);
      const auto p = planning::best_partition(g, [&](const planning::node_set<12>&) { return value; });
      EXPECT_EQ(p.groups, nodes) << value;
      EXPECT_EQ(p.gain, 0) << value;
    }
  }
}
TEST(fusion_partition, never_forms_a_group_of_too_many_operands) {
  planning::fusion_gain<6, 6> f;
  f.limits = {.bytes_per_us = 1, .launch_us = 1, .max_operands = 4};
  for (int i = 0; i < 6; ++i) f.add_read(f.add_node(8), f.add_input(8));
  const auto p = planning::best_partition(f.graph(), f);
  check(f.graph(), f, p);
  EXPECT_EQ(p.groups, 3) << "two reads and two writes each";
}
TEST(fusion_partition, never_joins_iterations_that_do_not_fit) {
  planning::fusion_gain<4, 1> f;
  const int x = f.add_input(1 << 20);
  for (int i = 0; i < 4; ++i) f.add_read(f.add_node(1 << 20, i % 2), x);
  const auto p = planning::best_partition(f.graph(), f);
  EXPECT_EQ(groups_of(f.graph(), p), (std::vector<int>{0, 1, 0, 1}));
}
TEST(fusion_partition, saves_a_launch_the_second_read_of_an_operand_and_a_value_that_is_not_kept) {
  // t = f(x), z = g(t, x), with t and without it afterwards
  for (const bool kept : {false, true}) {
    planning::fusion_gain<2, 1> f;
    f.limits = {.bytes_per_us = 10, .launch_us = 3};
    const int x = f.add_input(1000), t = f.add_node(400, 0, kept), z = f.add_node(200, 0, true);
    f.add_read(t, x);
    f.add_read(z, t);
    f.add_read(z, x);
    const double saved = 1000 + 400 + (kept ? 0 : 400);
    EXPECT_DOUBLE_EQ(planning::best_partition(f.graph(), f).gain, saved / 10 + 3);
  }
}
TEST(fusion_partition, saves_a_launch_and_the_second_read_of_two_that_read_the_same) {
  planning::fusion_gain<2, 1> f;
  f.limits = {.bytes_per_us = 10, .launch_us = 3};
  const int x = f.add_input(100);
  for (int i = 0; i < 2; ++i) f.add_read(f.add_node(50, 0, true), x);
  EXPECT_DOUBLE_EQ(planning::best_partition(f.graph(), f).gain, 13);
}
TEST(fusion_partition, counts_arrays_beyond_the_first_64) {
  planning::fusion_gain<2, 100> f;
  f.limits = {.bytes_per_us = 10, .launch_us = 3, .max_operands = 102};
  for (int i = 0; i < 2; ++i) f.add_node(50, 0, true);
  for (int k = 0; k < 100; ++k) {
    const int x = f.add_input(k + 1);
    for (int i = 0; i < 2; ++i) f.add_read(i, x);
  }
  EXPECT_DOUBLE_EQ(planning::best_partition(f.graph(), f).gain, 505 + 3);
}
TEST(fusion_partition, orders_the_groups_of_graphs_of_any_size) {
  random r(5);
  for (const int nodes : {13, 64, 65, 128, 200}) {
    SCOPED_TRACE(std::to_string(nodes) + " nodes");
    const auto g = random_graph<200>(r, nodes, 3);
    planning::partition<200> p;
    int label[200];
    for (int i = 0; i < nodes; ++i) label[i] = i;
    EXPECT_TRUE(planning::order_groups(g, label, p));
    EXPECT_EQ(p.groups, nodes);
    check(
        g, [](const planning::node_set<200>&) { return 0.0; }, p);
    auto circle = g;  // through all nodes
    for (int k = 0; k < nodes; ++k) circle.add_edge(k, (k + 1) % nodes);
    EXPECT_FALSE(planning::order_groups(circle, label, p));
  }
}
TEST(fusion_partition, gives_the_same_answer_every_time) {
  random r(9);
  for (const int nodes : {8, 12}) {
    const auto g = random_graph<12>(r, nodes, 8);
    const auto equal = [](const planning::node_set<12>& group) { return group.size() == 2 ? 1.0 : never; };
    EXPECT_TRUE(same(g, planning::best_partition(g, equal), planning::best_partition(g, equal)));
  }
}
TEST(fusion_partition, refuses_a_graph_with_a_cycle) {
  const auto one = [](const planning::node_set<12>&) { return 1.0; };
  for (const int nodes : {4, 12}) {
    planning::dependence_graph<12> g(nodes);
    for (int i = 0; i < 3; ++i) g.add_edge(i, (i + 1) % 3);
    EXPECT_THROW(planning::best_partition(g, one), lf::error);
  }
  planning::dependence_graph<12> self(2);
  self.add_edge(1, 1);
  EXPECT_THROW(planning::best_partition(self, one), lf::error);
  EXPECT_THROW(planning::best_partition(planning::dependence_graph<12>(13), one), lf::error);
}

/// u = x + y, v = x * y, w = u - v, s = sum(w): the sum runs elsewhere.
constexpr auto four_assignments() {
  planning::fusion_gain<4, 2> f;
  const int x = f.add_input(1 << 20), y = f.add_input(1 << 20);
  for (int i = 0; i < 2; ++i) f.add_read(f.add_node(1 << 20), x), f.add_read(i, y);
  const int w = f.add_node(1 << 20), s = f.add_node(4, 1, true);
  f.add_read(w, 0);
  f.add_read(w, 1);
  f.add_read(s, w);
  return f;
}

// At compile time.
static_assert(planning::best_partition(figure_3(), of_A_and_C).groups == 3);
static_assert(planning::best_partition(four_assignments().graph(), four_assignments()).groups == 2);
static_assert(planning::best_partition(four_assignments().graph(), four_assignments()).group_of[2] == 0);
constexpr auto apart(int nodes) {
  return planning::best_partition(planning::dependence_graph<9>(nodes),
                                  [](const planning::node_set<9>& s) { return double(s.size()); });
}
static_assert(apart(7).groups == 1);

}  // namespace
