// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compiled code knows of graphs: views, equal nodes made one, and the program of a kernel.
#pragma once

#include <lazyfuse/plan/graph.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lazyfuse::planning {

/// A view that moves along the axes of what it views.
struct graph_view {
  int rank;
  index_t extents[max_rank];
  int axis[max_rank];       ///< of what is viewed, that each axis moves along; -1: it repeats
  index_t by[max_rank];     ///< and how far a step goes
  index_t start[max_rank];  ///< along each axis of what is viewed
};

/// A reduction or a scan of a graph: of the argument over these extents, to which it is broadcast.
struct graph_stage_of {
  const graph_stage* stage;
  int rank;
  index_t extents[max_rank];
};

/// It is let go without recursion (graph.cpp).
struct graph_node : allocation {
  int rank = 0, weight = 0;  ///< weight: operations that it takes, counted as often as they are read
  bool has_views = false;    ///< itself, or below
  index_t extents[max_rank] = {};

  const graph_operation* operation = nullptr;
  std::vector<const graph_node*> arguments;     ///< whose extents broadcast
  std::unique_ptr<const graph_view> view;       ///< of the one argument
  std::unique_ptr<const graph_stage_of> stage;  ///< of the one argument

  const graph_source_type* source_type = nullptr;  ///< of operands, and of what is computed first
  alignas(16) unsigned char source[most_source_bytes] = {};
  index_t steps[max_rank] = {};
  index_t first = 0;             ///< of what is computed first: the element that the steps begin at
  allocation* memory = nullptr;  ///< of an operand
  bool moved = false;            ///< of one without: offset 0 is not where it was when it was made
  counted<graph_computation> computation;

  graph_node(int r, const index_t* e);
  index_t size() const;
};

/// How a leaf of a tree, or a view of a stage, shows what it is of; takes its parts of a list.
struct listed_view {
  const void* leaf = nullptr;
  int rank = 0;
  const index_t *extents = nullptr, *steps = nullptr;
  index_t offset = 0;
  const index_t* argument = nullptr;  ///< extents of that of a stage
  listed_view(const listed_node& n, const void* const*& parts);
};

/// Whether what is counted is a node.
bool is_node(const allocation* a);

/// Graphs as kernels compute them: views have gone down to operands, reductions and scans, and equal nodes are one. It
/// costs time in proportion to the nodes, each counted as often as it is viewed differently.
std::vector<graph_ref> canonical(const std::vector<const graph_node*>& roots);

/// Calls make(n, arguments) for nodes at and below a root, arguments before what reads them, of which find(n) knows
/// nothing yet: a node, or null. It then has to. The arguments are what it knows of them.
template <class Find, class Make>
void make_bottom_up(const graph_node* root, const Find& find, const Make& make) {
  std::vector<const graph_node*> open{root}, arguments;
  while (!open.empty()) {
    const graph_node* const n = open.back();
    if (find(n)) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    arguments.clear();
    for (const graph_node* a : n->arguments)
      if (const graph_node* const known = find(a)) arguments.push_back(known);
      else open.push_back(a);
    if (open.size() > before) continue;
    open.pop_back();
    make(n, arguments);
  }
}

/// The same of other arguments of the same shapes.
graph_ref with_arguments(const graph_node& n, const graph_node* const* arguments);

/// The kernel of a graph, without its operands: steps in an order in which each has its arguments.
struct graph_program : allocation {
  graph_program();

  struct step {
    const graph_operation* operation;  ///< null of a stage
    const graph_stage* stage;
    int first;   ///< of its arguments
    int buffer;  ///< where the host keeps its result
    int arity() const { return operation ? operation->arity : 1; }
    const char* word() const { return operation ? operation->word : stage->word; }
    const graph_source_type& memory() const { return operation ? *operation->memory : *stage->memory; }
  };
  std::vector<step> steps;
  std::vector<int> arguments;  ///< values: operands, then steps
  std::vector<int> roots;      ///< values
  std::vector<const graph_source_type*> operands;
  int buffers = 0, widest = 1, cost = 0;  ///< widest: bytes of the largest element

  kernel_type type{};
  std::string code, structs;
  std::vector<operand_type> types;
  std::vector<dtype> results;
  std::vector<const char*> result_spellings;
};

}  // namespace lazyfuse::planning
