// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs on the host: threads over blocks of positions that stay in a cache; each step goes over its whole block, in a
// loop that was compiled for its operation and types (compiled).
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/plan/graph.hpp>

namespace lazyfuse {

namespace host_detail {
void run_graph(const planning::graph_plan& p);
}

template <>
struct kernel<dpp::graph, host> {
  static constexpr int most_steps = 0;
  static const char* path(planning::graph_plan&) { return "blocks"; }
  static void launch(const planning::graph_plan& p) { host_detail::run_graph(p); }
};

}  // namespace lazyfuse
