// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel of a graph that holds reductions or scans: which pattern computes it, where they lie in its iteration, and
// what it takes.
#pragma once

#include "core/scratch.hpp"
#include "evaluate/graph_memory.hpp"
#include "program/around_product.hpp"

#include <lazyfuse/plan/cost.hpp>
#include <lazyfuse/plan/rows.hpp>

#include <cstdint>
#include <memory_resource>
#include <optional>

namespace lazyfuse::graph_detail {

/// A reduction or a scan as a kernel reads it.
struct placed_stage {
  const graph_node* read;  ///< the stage, or a view of it
  const graph_node* stage;
  int frame;      ///< 0: the roots read it; k + 1: the argument of stage k
  int level = 0;  ///< stages below it that wait for each other
};

struct stage_layout {
  const char* pattern = "transform";
  int rank = 0, kept = 0;  ///< axes of the iteration, and of these the first, that are not reduced in it
  index_t extents[max_rank];
  bool one_result = false;  ///< of rows: one for each
  std::vector<placed_stage> stages;
  std::vector<axis_map> frames;  ///< the axes of the roots in the iteration, and of each stage's argument
  int levels = 0;

  double positions() const;
};

/// Kernels with stages that are not to be, by their roots.
struct refused_kernels {
  bool all_rows = false;
  bool nested = false;  ///< reductions of reductions
  std::vector<std::vector<const graph_node*>> roots = {};
  std::vector<std::vector<const graph_node*>> reductions = {};  ///< with what is computed of them
};

/// Lays out one kernel for roots that are broadcast to the extents. Returns null, or why that is none.
const char* lay_out(const memory_of_graph& memory, const std::vector<const graph_node*>& roots, const index_t* extents,
                    int rank, const refused_kernels& refused, stage_layout& to);

/// The axes of an iteration that the axes of a node move along, 4 bits each, 15 for none: nodes of one shape in several
/// places of an iteration are several values.
using node_axes = std::uint64_t;
int axis_in(node_axes axes, int k);
/// Of a node that is broadcast to a frame.
node_axes axes_of(const graph_node& n, const axis_map& frame);

/// A node where it lies in the iteration.
struct placed_node {
  const graph_node* node;
  node_axes axes;
  int stage;         ///< of the layout, or -1
  int first, count;  ///< of its arguments among the numbers
  bool is_operand;
  friend bool operator==(const placed_node& a, const placed_node& b) { return a.node == b.node && a.axes == b.axes; }
};
/// From this length on, if what is read twice was written twice, a part between stages is written as a function, step
/// by step.
inline constexpr int most_part = 100;

/// The values of a kernel, each behind its arguments.
struct placed_graph {
  std::pmr::vector<placed_node> values;
  std::pmr::vector<int> arguments, roots;
  explicit placed_graph(scratch& m) : values(&m), arguments(&m), roots(&m) {}
  std::size_t argument(const placed_node& v, int a) const {
    const int at = v.first + a;
    return static_cast<std::size_t>(arguments[static_cast<std::size_t>(at)]);
  }
};
/// False where a kernel takes fewer operands or steps.
bool place(const memory_of_graph& memory, const std::vector<const graph_node*>& roots, const stage_layout& layout,
           int most_steps, placed_graph& to);

/// An array, and how a copy of it is to lie.
struct operand_in_order {
  const graph_node* node = nullptr;
  axis_order order{};
};
/// A large operand that lies in another order than the others, and that a kernel of a GPU would take longer to read
/// than to copy first; none: null.
operand_in_order operand_to_copy(const memory_of_graph& memory, const stage_layout& layout, const placed_graph& g);

/// The types of factors and results of a kernel that is a product of matrices, and what a library computes of it; none
/// of others.
struct product_types {
  dtype factors, result;
  ir::around_product around;
  const placed_node* operands[2];  ///< that are multiplied
};
/// results: how they are to lie, along the axes of the roots.
std::optional<product_types> product_of_matrices(const memory_of_graph& memory, const stage_layout& layout,
                                                 const placed_graph& g, const index_t* results);

/// One of its operands that is to be copied, since it lies as no library reads it; none: null.
operand_in_order factor_to_copy(const memory_of_graph& memory, const stage_layout& layout, const product_types& p);

/// What the kernel asks of a machine; written: bytes.
work work_of(const memory_of_graph& memory, const stage_layout& layout, const placed_graph& g, double written,
             bool on_device);

}  // namespace lazyfuse::graph_detail
