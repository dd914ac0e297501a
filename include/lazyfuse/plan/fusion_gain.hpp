// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is saved by running several assignments as one kernel: memory traffic and launches.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/plan/partition.hpp>

#include <limits>

namespace lazyfuse::planning {

/// What the gain of a group is made of, and what a kernel can take.
struct fusion_limits {
  double bytes_per_us = 4.25e6;      ///< read or written
  double launch_us = 3.1;            ///< what one kernel less saves
  int max_operands = most_operands;  ///< arrays read and written
};

/// At most N assignments and the memory they read and write. A value is what node i computes (number i) or one of at
/// most Inputs arrays that exist before (number N and following). As a function of a set of nodes it is the gain in
/// microseconds for best_partition:
///
///     (traffic of the nodes apart - traffic of the group) / bandwidth + (nodes - 1) * launch
///
/// where a group reads each value once, none that it computes itself, and stores what is wanted or read outside of it.
/// Minus infinity if the nodes do not share an iteration, or take too many operands.
///
/// Source: f(P) = M(V) + (N - 1) * phi of FusionStitching (Long, Yang, Lin, arXiv 1911.11576, section 4.3) with one
/// bandwidth for all V; a gain by a curve of bandwidths is the difference of two predicted_us (plan/cost.hpp).
template <int N, int Inputs>
struct fusion_gain {
  static constexpr int values = N + Inputs;
  fusion_limits limits = {};
  int nodes = 0, inputs = 0;
  index_t bytes[values] = {};   ///< of each value
  int iteration[N] = {};        ///< equal numbers: one loop can run both
  node_set<N> wanted;           ///< results that are wanted, whoever else reads them
  node_set<values> reads[N];    ///< values a node reads
  node_set<N> readers[values];  ///< nodes that read a value

  /// A further assignment: the size of its result, its iteration, whether the result is wanted. Its number.
  constexpr int add_node(index_t result_bytes, int in = 0, bool keep = false) {
    bytes[nodes] = result_bytes;
    iteration[nodes] = in;
    if (keep) wanted.insert(nodes);
    return nodes++;
  }
  /// A further array that exists before. Its number as a value.
  constexpr int add_input(index_t size) {
    bytes[N + inputs] = size;
    return N + inputs++;
  }
  constexpr void add_read(int node, int value) {
    reads[node].insert(value);
    readers[value].insert(node);
  }

  /// The edges of the graph: who reads whose result.
  constexpr dependence_graph<N> graph() const {
    dependence_graph<N> g(nodes);
    for (int i = 0; i < nodes; ++i) g.readers[i] = readers[i];
    return g;
  }

  /// Memory that a kernel of these nodes touches.
  struct traffic {
    index_t bytes = 0;
    int operands = 0;
  };
  constexpr traffic traffic_of(const node_set<N>& group) const {
    traffic t;
    const auto touch = [&](int value) { t.bytes += bytes[value], ++t.operands; };
    node_set<values> read;
    group.for_each([&](int i) { read |= reads[i]; });
    read.for_each([&](int value) {
      if (value >= N || !group.contains(value)) touch(value);
    });
    group.for_each([&](int i) {
      if (wanted.contains(i) || readers[i].empty() || !readers[i].within(group)) touch(i);
    });
    return t;
  }

  constexpr double operator()(const node_set<N>& group) const {
    constexpr double refused = -std::numeric_limits<double>::infinity();
    const traffic fused = traffic_of(group);
    index_t apart = 0;
    int members = 0, first = -1;
    bool together = true;
    group.for_each([&](int i) {
      if (first < 0) first = i;
      together = together && iteration[i] == iteration[first];
      node_set<N> alone;
      alone.insert(i);
      apart += traffic_of(alone).bytes;
      ++members;
    });
    if (members < 2) return 0;
    if (!together || fused.operands > limits.max_operands) return refused;
    return static_cast<double>(apart - fused.bytes) / limits.bytes_per_us + (members - 1) * limits.launch_us;
  }
};

}  // namespace lazyfuse::planning
