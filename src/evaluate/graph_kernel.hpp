// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of one kernel of a graph: its values numbered, its operands bound, its program found or written.
#pragma once

#include "evaluate/graph_stages.hpp"

namespace lazyfuse::graph_detail {

/// Elementwise: the nodes of the order below the roots, and what they read. Throws error where the backend refuses.
void run_transform(const graph_space& space, const execution& x, const memory_of_graph& memory,
                   const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots,
                   const graph_target* targets, const index_t* extents, int rank);
/// With reductions or scans, as they were laid out. False where the backend refuses it, or the cut was measured to be
/// faster.
bool run_stages(const graph_space& space, const execution& x, const memory_of_graph& memory, const stage_layout& layout,
                const placed_graph& placed, const graph_target* targets, const index_t* extents, int rank);

}  // namespace lazyfuse::graph_detail
