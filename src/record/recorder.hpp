// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What records kernels: their plans, the memory that they use, and what follows from it.
#pragma once

#include "observe/recording.hpp"

#include <lazyfuse/evaluate/plan_list.hpp>
#include <lazyfuse/record/executor.hpp>
#include <lazyfuse/record/graph.hpp>

#include <unordered_map>

namespace lazyfuse::record_detail {

/// Memory that kernels of a graph use: who of them wrote it last, and who has read it since.
struct block {
  allocation* memory;  ///< null of all that is borrowed, which may overlap
  bool written = false;
  int writer = -1;
  std::vector<int> readers;
  std::vector<int> users = {};  ///< all nodes that read or write it
  std::size_t use = 0;          ///< which of the graph's uses of memory it is
};

/// Everything that a graph is. Memory is held while it lives.
struct contents {
  plan_list plans;
  std::vector<node> nodes;
  std::vector<block> blocks;
  std::vector<use_of_memory> uses;
  std::unique_ptr<executor> runs;
  bool on_device;
  int device = -1;

  contents(std::unique_ptr<executor> e, bool is_on_device) : runs(std::move(e)), on_device(is_on_device) {}
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;
  ~contents();

  void add(const planning::kernel_plan& p);
  /// Once all nodes are there.
  void list_uses();
  /// That of memory, or null.
  block* find(const allocation* a);
  /// From now on the block is other memory, which no other block is.
  void replace(block& b, allocation* instead);

 private:
  std::unordered_map<const allocation*, std::size_t> block_of_;
  block& block_of(allocation* a);
};

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
