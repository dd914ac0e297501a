// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which nodes of a graph with reductions and scans are computed into memory, and which of them by one kernel.
#pragma once

#include "evaluate/graph_stages.hpp"

namespace lazyfuse::graph_detail {

/// Nodes of one shape that one kernel puts in memory; none stand for the roots, which one kernel writes, the last.
using graph_group = std::vector<const graph_node*>;

/// A graph whose roots are wanted, broadcast to one shape; order: all nodes below them, each behind its arguments.
struct graph_request {
  const std::vector<const graph_node*>& order;
  const std::vector<const graph_node*>& roots;
  const index_t* extents;
  int rank;
  const index_t* result_steps;  ///< of the first root, where it is stored
  const refused_kernels& refused;
};

/// The first kernels of a graph, which put at least one more of its reductions, scans and parts in memory; with those
/// that write the roots where all can be decided at once. Exact, by predicted time, for up to 12 things that may be in
/// memory: reductions, scans, results, and parts that several of these read or that are dear and read by many
/// positions, of which only as many as there is room for. Of more, the first ones are decided without the others.
std::vector<graph_group> plan_groups(const graph_space& space, const memory_of_graph& memory, const graph_request& of);

}  // namespace lazyfuse::graph_detail
