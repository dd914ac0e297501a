// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which nodes of a graph of assignments share a kernel: disjoint groups of the largest total gain that leave the graph
// without a cycle. For both the compiler (over a graph of types) and a running program.
#pragma once

#include <lazyfuse/error.hpp>
#include <lazyfuse/plan/node_set.hpp>

#include <bit>

namespace lazyfuse::planning {

/// Who reads what of at most N assignments, numbered from 0 in any order.
template <int N>
struct dependence_graph {
  static_assert(N > 0, "lazyfuse: a graph has room for at least one node");
  int nodes = 0;
  node_set<N> readers[N];  ///< readers[i] holds those that read what i computes

  constexpr dependence_graph() = default;
  explicit constexpr dependence_graph(int count) : nodes(count) {}

  /// Says that j reads what i computes.
  constexpr void add_edge(int i, int j) { readers[i].insert(j); }
};

/// An answer: the group of each node. Group 0 can run first, then group 1, and so on.
template <int N>
struct partition {
  int groups = 0;
  int group_of[N] = {};
  double gain = 0;  ///< of all groups, in the unit of the function that was asked
};

/// Numbers the groups in an order in which they can run, the one with the lowest node first where there is a choice
/// (Kahn 1962). label[i] is the group of node i, any number below g.nodes. False if contracting the groups leaves a
/// cycle: a group reads what another one computes from its own results. O(N^2).
template <int N>
constexpr bool order_groups(const dependence_graph<N>& g, const int* label, partition<N>& out) {
  int waits[N] = {};  // edges into a group from groups that have not run
  bool done[N] = {}, exists[N] = {};
  int groups = 0;
  for (int i = 0; i < g.nodes; ++i) {
    groups += !exists[label[i]];
    exists[label[i]] = true;
    g.readers[i].for_each([&](int j) { waits[label[j]] += label[j] != label[i]; });
  }
  for (out.groups = 0; out.groups < groups; ++out.groups) {
    int next = 0;
    while (next < g.nodes && (done[label[next]] || waits[label[next]] > 0)) ++next;
    if (next == g.nodes) return false;
    const int ready = label[next];
    done[ready] = true;
    for (int i = next; i < g.nodes; ++i) {
      if (label[i] != ready) continue;
      out.group_of[i] = out.groups;
      g.readers[i].for_each([&](int j) { waits[label[j]] -= label[j] != ready; });
    }
  }
  return true;
}

namespace partition_detail {

inline constexpr int most_nodes = 12;  // the tables have 2^N entries

/// The best partition. A partition leaves no cycle exactly if its groups can run one after the other; so the best one
/// of the nodes that have run so far is the best one before the last group and that group. Each set of nodes that
/// contains all that its members read is visited once, with every group that may follow: at most 3^nodes pairs, and
/// few where the nodes depend on each other. 2^nodes evaluations of the gain at most.
template <int N, class Gain>
constexpr void find(const dependence_graph<N>& g, const Gain& gain, int* label) {
  constexpr double unknown = -2, refused = -1;
  // Plain arrays with loops that fill them: g++ 12 shares the elements of an array of initialised structs at compile
  // time.
  unsigned reads[1u << N] = {};  // what a set's members read, members or not
  unsigned last[1u << N] = {};   // the group that runs last in the set's best partition
  double as_group[1u << N] = {}, best[1u << N] = {};
  for (int i = 0; i < g.nodes; ++i) g.readers[i].for_each([&](int j) { reads[1u << j] |= 1u << i; });
  const unsigned all = (1u << g.nodes) - 1;
  for (unsigned set = 1; set <= all; ++set) {
    reads[set] = reads[set & (set - 1)] | reads[set & (~set + 1)];
    as_group[set] = std::has_single_bit(set) ? 0 : unknown;
    best[set] = refused;  // not closed: a member reads what is outside
  }
  const auto gain_of = [&](unsigned set) {
    if (as_group[set] == unknown) {
      node_set<N> members;
      for (int i = 0; i < g.nodes; ++i)
        if (set >> i & 1) members.insert(i);
      const double value = gain(members);
      as_group[set] = value > 0 ? value : refused;
    }
    return as_group[set];
  };
  for (unsigned done = 0; done < all; ++done) {
    if (best[done] < 0) continue;
    const unsigned rest = all & ~done;
    for (unsigned group = rest; group != 0; group = (group - 1) & rest) {
      if (reads[group] & ~(done | group)) continue;  // it reads what has not run
      const double value = gain_of(group);
      if (value < 0 || best[done] + value <= best[done | group]) continue;
      best[done | group] = best[done] + value;
      last[done | group] = group;
    }
  }
  for (unsigned set = all; set != 0; set &= ~last[set])
    for (int i = 0; i < g.nodes; ++i)
      if (last[set] >> i & 1) label[i] = std::countr_zero(last[set]);
}

}  // namespace partition_detail

/// The groups of nodes that share a kernel: disjoint, of the largest sum of gains, and such that contracting each group
/// leaves the graph without a cycle, within a group (A and C, where A -> B -> C) and through several. gain(node_set<N>)
/// gives what is saved by running two or more nodes as one group; a negative number, minus infinity or NaN refuses the
/// group. Groups that gain nothing do not form. The same question always gets the same answer.
///
/// There is no better answer. It takes at most 3^nodes steps and 2^nodes evaluations of the gain, and 24 * 2^N bytes of
/// stack (12 independent nodes: 531441 steps; 10 are within the limits of g++ and clang at compile time, and take a
/// second).
///
/// Throws error if the graph has a cycle, or more nodes than room.
///
/// Source: the fusion plan of FusionStitching (Long, Yang, Lin, arXiv 1911.11576, section 4.1), there an integer linear
/// program to which constraints are added until no cycle is left; here no plan with a cycle is ever formed.
template <int N, class Gain>
constexpr partition<N> best_partition(const dependence_graph<N>& g, const Gain& gain) {
  static_assert(N <= partition_detail::most_nodes, "lazyfuse: best_partition takes at most 12 nodes");
  partition<N> result;
  int label[N] = {};
  for (int i = 0; i < N; ++i) label[i] = i;
  if (g.nodes < 0 || g.nodes > N) throw error("partition: more nodes than the graph has room for");
  for (int i = 0; i < g.nodes; ++i)
    if (g.readers[i].contains(i)) throw error("partition: a node reads what it computes itself");
  if (!order_groups(g, label, result)) throw error("partition: the graph has a cycle");

  partition_detail::find(g, gain, label);
  order_groups(g, label, result);
  node_set<N> members[N];
  for (int i = 0; i < g.nodes; ++i) members[result.group_of[i]].insert(i);
  for (int k = 0; k < result.groups; ++k)
    if (members[k].size() > 1) result.gain += gain(members[k]);
  return result;
}

}  // namespace lazyfuse::planning
