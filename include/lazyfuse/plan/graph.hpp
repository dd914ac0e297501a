// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that are put together while a program runs: a graph of nodes without types, whose equal parts are one,
// and the plan of a kernel made of it. What a type of expression knows of an operation or a source is in a table of
// each.
#pragma once

#include <lazyfuse/plan/kernel_plan.hpp>

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

/// A reduction along the last axes of its argument, or a scan along one.
struct graph_stage {
  const char* word;
  int axes;  ///< that are reduced; 0 of a scan
  int axis;  ///< of a scan
  bool reverse;
  int bytes;                        ///< of an element of the result
  const graph_source_type* memory;  ///< of its results
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

/// A counted reference to something that is counted as memory is.
template <class T>
class counted {
 public:
  counted() = default;
  /// Takes over a count, of something new.
  explicit counted(allocation* made) { held_.memory[0] = made; }
  static counted share(const allocation* known) {
    auto* const a = const_cast<allocation*>(known);
    return counted(handles<1>({{&a, 1, false}}));
  }
  T* get() const { return static_cast<T*>(held_.memory[0]); }
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  explicit operator bool() const { return held_.memory[0]; }
  const handles<1>& handle() const { return held_; }
  friend bool operator==(const counted& a, const counted& b) { return a.held_.memory[0] == b.held_.memory[0]; }

 private:
  explicit counted(const handles<1>& h) : held_(h) {}
  handles<1> held_;
};

/// A node, which never changes: an operation on others, a reduction or a scan of another, a view of another, an
/// operand, or something computed first. Expressions hold nodes as they hold arrays.
struct graph_node;
using graph_ref = counted<graph_node>;
/// What a graph reads and does not compute itself (evaluate/graph.hpp): what has no node, which is in memory first.
struct graph_computation;

graph_ref operation_node(const graph_operation& op, const graph_ref* arguments, int rank, const index_t* extents);
/// A reduction or a scan of an argument of these extents.
graph_ref stage_node(const graph_stage& stage, const graph_ref& argument, int rank, const index_t* extents);
graph_ref operand_node(const graph_source_type& type, const void* source, allocation* memory, int rank,
                       const index_t* extents, const index_t* steps);
/// Element i is at offset + steps . i of the dense memory that is computed first.
graph_ref computed_node(counted<graph_computation> what, const graph_source_type& type, int rank,
                        const index_t* extents, const index_t* steps, index_t offset);
/// Element i of the view is the node's element at offset + steps . i in row-major order. There is none where it does
/// not move along the node's axes, as diagonals and reshapes.
graph_ref view_node(const graph_ref& node, int rank, const index_t* extents, const index_t* steps, index_t offset);

/// How a leaf of some type becomes a node.
struct listed_leaf {
  int rank, extents, steps, offset;  ///< where these are in it, in bytes
  allocation* (*owner)(const void* leaf);
  void (*place)(const void* leaf, void* source);
  graph_ref (*computed)(const void* leaf);  ///< what is computed first
};
/// A node of trees that are written as a list, arguments before who reads them: an operation, a view of the results of
/// a stage, a constant that its type knows, or a leaf: an operand, a graph, or something that is computed first.
struct listed_node {
  const graph_operation* operation = nullptr;
  const graph_stage* stage = nullptr;
  const void* value = nullptr;
  const listed_leaf* leaf = nullptr;
  const graph_source_type* source = nullptr;  ///< of constants and leaves
  int rank = 0, argument_rank = 0;            ///< of a stage
  bool is_root = false;                       ///< the next tree begins behind it
};
/// Trees. The nodes are constants of their types; what they are of, leaves and extents, lies elsewhere.
struct listed_trees {
  const listed_node* nodes;
  int count, trees;
  bool is_whole;             ///< nothing is computed first
  const void* const* parts;  ///< of each node with a leaf, this; of stages, the parts_of_stage
};
/// Extents, steps and offset of the view, and the extents of the argument.
inline constexpr int parts_of_stage = 4;

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
