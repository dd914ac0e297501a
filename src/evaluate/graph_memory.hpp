// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a graph is in memory while it is evaluated.
#pragma once

#include "plan/graph_program.hpp"

#include <lazyfuse/evaluate/graph.hpp>

#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace lazyfuse::graph_detail {

class graph_recording;
struct graph_values {
  std::map<const void*, run_detail::room> known;  ///< dense; by graph_computation::key(), and by node
  run_detail::temporaries made;
  std::vector<graph_ref> kept;           ///< nodes among them that nobody else holds
  std::vector<handles<1>> keys;          ///< what has an address in `known` keeps it
  graph_recording* recording = nullptr;  ///< of this evaluation
};

/// The axes of dense memory, outermost first: as they are numbered, or in another order.
struct axis_order {
  std::array<int, max_rank> axis;
  constexpr axis_order() { std::iota(axis.begin(), axis.end(), 0); }
};
/// Values in memory, dense.
struct in_memory_value {
  run_detail::room at;
  const graph_source_type* type;
  axis_order order{};
};

inline void dense_steps(const index_t* extents, int rank, index_t* steps, const axis_order& order = {}) {
  index_t step = 1;
  for (int k = rank - 1; k >= 0; --k) {
    const int axis = order.axis[static_cast<std::size_t>(k)];
    steps[axis] = step;
    step *= extents[axis];
  }
}
/// The steps of a view of dense memory; returns where it begins.
inline index_t steps_of_view(const graph_view& v, const graph_node& viewed, index_t* steps) {
  index_t dense[max_rank] = {}, first = 0;
  dense_steps(viewed.extents, viewed.rank, dense);
  for (int j = 0; j < v.rank; ++j) steps[j] = v.axis[j] >= 0 ? v.by[j] * dense[v.axis[j]] : 0;
  for (int k = 0; k < viewed.rank; ++k) first += v.start[k] * dense[k];
  return first;
}
inline bool same_extents(const graph_node& n, const index_t* extents, int rank) {
  if (n.rank != rank) return false;
  for (int k = 0; k < rank; ++k)
    if (n.extents[k] != extents[k]) return false;
  return true;
}
/// What the values of an operation or a stage are in memory.
inline const graph_source_type& memory_type(const graph_node& n) {
  return n.operation ? *n.operation->memory : *n.stage->stage->memory;
}
/// The stage that a node is, or that it is a view of; null if it is neither.
inline const graph_node* stage_read(const graph_node& n) { return n.stage ? &n : n.view ? n.arguments[0] : nullptr; }

/// Parts that are read by many positions may be computed first, which the planner decides by what kernels are predicted
/// to take: from so many operations on, where each is read so often, by so many positions.
inline bool is_repeated(const graph_node& n, double own, double readers) {
  constexpr int least_weight = 8, least_repeats = 8;
  return n.weight >= least_weight && own * least_repeats <= readers;
}
inline constexpr index_t least_positions_of_parts = 1 << 16;

/// Nodes that have been computed into memory, or are taken to have been by who plans.
class memory_of_graph {
 public:
  void put(const graph_node* n, const in_memory_value& v) { values_[n] = v; }
  void plan(const graph_node* n) { values_[n] = {{nullptr, nullptr}, &memory_type(*n)}; }
  bool holds(const graph_node* n) const {
    return !values_.empty() && (values_.contains(n) || (n->view && values_.contains(n->arguments[0])));
  }
  /// Of a node that it holds, or of what that is a view of.
  const in_memory_value* find(const graph_node* n) const {
    if (values_.empty()) return nullptr;
    const auto at = values_.find(n->view ? n->arguments[0] : n);
    return at == values_.end() ? nullptr : &at->second;
  }
  /// Whether a kernel reads it.
  bool is_operand(const graph_node* n) const { return !(n->operation || n->stage || n->view) || holds(n); }
  bool empty() const { return values_.empty(); }

 private:
  std::unordered_map<const graph_node*, in_memory_value> values_;
};

}  // namespace lazyfuse::graph_detail
