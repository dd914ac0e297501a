// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What records kernels: their plans, the memory that they use, and what follows from it.
#pragma once

#include "observe/recording.hpp"

#include <lazyfuse/evaluate/plan_list.hpp>
#include <lazyfuse/record/executor.hpp>
#include <lazyfuse/record/graph.hpp>

#include <unordered_map>

namespace lazyfuse::record_detail {

/// Memory that nodes of a graph use.
struct block {
  allocation* memory;  ///< null of all that is borrowed, which may overlap
  bool on_host;
  bool written = false;
  std::vector<int> users = {};  ///< all nodes that read or write it
  std::size_t use = 0;          ///< which of the graph's uses of memory it is
};

/// Nodes that follow each other: those of the graph, or of one body of a loop or branch.
struct sequence {
  /// What they have done with a block so far: who wrote it last, and who has read it since.
  struct state {
    int writer = -1;
    std::vector<int> readers = {};
    bool written = false;
    bool carried = false;  ///< it was read first, and is what was there before
  };
  std::vector<int> nodes;
  std::vector<state> of_block;

  state& of(std::size_t block) {
    if (block >= of_block.size()) of_block.resize(block + 1);
    return of_block[block];
  }
};

/// Everything that a graph is. Memory is held while it lives.
struct contents {
  plan_list plans;
  std::vector<node> nodes;
  std::vector<block> blocks;
  std::vector<use_of_memory> uses;
  std::vector<sequence> open{1};  ///< while it is recorded: the graph, and in it what is being recorded
  std::vector<int> parts;         ///< in the end: the nodes of the graph
  std::unique_ptr<executor> runs;
  bool on_device;
  int device = -1;

  contents(std::unique_ptr<executor> e, bool is_on_device) : runs(std::move(e)), on_device(is_on_device) {}
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;
  ~contents();

  void add(const planning::kernel_plan& p);
  /// A node that is no kernel; what it uses is in it.
  void add(node n);
  /// What follows is a body, up to the end, which adds its nodes to the loop or branch, and the memory that it uses.
  /// Throws graph_error if an array that it reads has other memory in the end, or if it leaves a loop's condition as it
  /// is.
  void begin_body();
  void end_body(node& of);
  /// Bodies that were begun since, and their nodes, are forgotten.
  void forget(std::size_t depth, std::size_t nodes_before);

  /// Once all nodes are there.
  void finish();
  /// That of memory, or null.
  block* find(const allocation* a);
  /// From now on the block is other memory, which no other block is.
  void replace(block& b, allocation* instead);

 private:
  std::unordered_map<const allocation*, std::size_t> block_of_;
  std::size_t number_of(allocation* a, bool on_host = false);
  /// Adds a node that uses memory, behind what it must wait for.
  void append(node n, const std::vector<use_of_memory>& memory);
};

/// "while_loop"
const char* plain_name(node_kind kind);
/// The graph in Graphviz's language.
std::string dot(const contents& c);

/// Whether an operand or a target is elements in memory.
inline bool is_memory(const planning::operand_info& o) {
  return o.owner || (o.data && o.element_size + o.mapped_size > 0);
}
/// Calls f(info) for the targets and operands of a plan that are.
void for_memory(const planning::kernel_plan& p, const auto& f) {
  const int targets = p.type->targets;
  for (int i = 0; i < targets + p.type->operands; ++i)
    if (is_memory(p.info[i])) f(p.info[i], i < targets);
}

}  // namespace lazyfuse::record_detail
