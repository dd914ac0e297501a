// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that are put together while a program runs: a graph of nodes without types, whose equal parts are one,
// and the plan of a kernel made of it. What a type of expression knows of an operation or a source is in a table of
// each.
#pragma once

#include <lazyfuse/plan/kernel_plan.hpp>

#include <memory>
#include <vector>

namespace lazyfuse::planning {

struct graph_source_type;

/// An operation on arguments of certain types.
struct graph_operation {
  const char* word;  ///< as codes of programs have it
  int arity, cost;
  int bytes;                        ///< of an element of the result
  const graph_source_type* memory;  ///< of its results
  /// n elements of the result, which may lie where an argument does, element by element.
  void (*block)(const void* const* arguments, void* result, index_t n);
};

/// A source that is told by an offset where an element is.
struct graph_source_type {
  operand_type type;
  int bytes;  ///< of an element
  bool in_memory, is_constant;
  const char* name;  ///< of element types that NumPy does not know
  /// n elements from an offset on, in steps.
  void (*load)(const void* source, index_t offset, index_t step, index_t n, void* to);
  /// Offset 0 is where `by` was.
  void (*move)(void* source, index_t by);
};

/// The largest source that is an operand of a graph.
inline constexpr int most_source_bytes = 64;

/// What a graph reads and does not compute itself (evaluate/graph.hpp): a reduction, say, which is in memory first.
struct graph_computation;

struct graph_view;

/// A node, which never changes: an operation on others, a view of another, an operand, or something computed first. It
/// is counted as memory is, so that expressions hold nodes as they hold arrays.
struct graph_node : allocation {
  int rank = 0, weight = 0;  ///< weight: operations that it takes, counted as often as they are read
  bool has_views = false;    ///< itself, or below
  index_t extents[max_rank] = {};

  const graph_operation* operation = nullptr;
  std::vector<const graph_node*> arguments;  ///< whose extents broadcast
  std::shared_ptr<const graph_view> view;    ///< of the one argument

  const graph_source_type* source_type = nullptr;  ///< of operands, and of what is computed first
  alignas(16) unsigned char source[most_source_bytes] = {};
  index_t steps[max_rank] = {};
  index_t first = 0;             ///< of what is computed first: the element that the steps begin at
  allocation* memory = nullptr;  ///< of an operand
  std::shared_ptr<const graph_computation> computation;

  graph_node(int r, const index_t* e);
  index_t size() const;
};

/// A counted reference to a node.
class graph_ref {
 public:
  graph_ref() = default;
  /// Takes over a count, of a new node.
  explicit graph_ref(graph_node* n) { node_.memory[0] = n; }
  static graph_ref share(const graph_node* n);
  graph_node* get() const { return static_cast<graph_node*>(node_.memory[0]); }
  graph_node* operator->() const { return get(); }
  const handles<1>& handle() const { return node_; }

 private:
  handles<1> node_;
};

graph_ref operation_node(const graph_operation& op, const graph_ref* arguments, int rank, const index_t* extents);
/// first: where a source in memory begins.
graph_ref operand_node(const graph_source_type& type, const void* source, allocation* memory, int rank,
                       const index_t* extents, const index_t* steps);
/// Element i is at offset + steps . i of the dense memory that is computed first.
graph_ref computed_node(std::shared_ptr<const graph_computation> what, const graph_source_type& type, int rank,
                        const index_t* extents, const index_t* steps, index_t offset);
/// Element i of the view is the node's element at offset + steps . i in row-major order. There is none where it does
/// not move along the node's axes, as diagonals and reshapes.
graph_ref view_node(const graph_ref& node, int rank, const index_t* extents, const index_t* steps, index_t offset);

struct graph_program;

/// Results of one kernel of a graph, at most.
inline constexpr int most_graph_results = 8;

struct graph_plan : kernel_plan {
  static constexpr int most = most_graph_results + most_operands;
  const graph_program* program;
  operand_info bound[most];
  index_t steps[most][max_rank];
  struct alignas(16) {
    unsigned char bytes[most_source_bytes];
  } sources[most];
};

}  // namespace lazyfuse::planning
