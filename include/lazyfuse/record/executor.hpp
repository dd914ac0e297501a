// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs a graph in a space. The graph itself, its nodes and what each of them must wait for, is the same in all.
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/plan/kernel_plan.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lazyfuse::record_detail {

/// A kernel of a graph: its plan, whose path is decided, and which nodes, all before this one, must have ended.
struct node {
  planning::kernel_plan* plan;
  std::vector<int> after;
};
/// Memory that a graph uses.
struct use_of_memory {
  allocation* memory;
  bool written;
};
/// What was in one place is in another: the number of the memory, which stays, and the addresses of the two.
struct moved_memory {
  int number;
  const void *was, *is;
};

/// "node 3 (x0 * 2)"
std::string name_of(const node& n, std::size_t number);

class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;
  /// Once, before all else. device: where the memory is; -1 where that does not matter. The nodes stay where they are.
  virtual void build(const std::vector<node>& nodes, int device) = 0;
  /// On the current stream unless there is one, ordered with what uses the memory before and after.
  virtual void launch(const std::vector<use_of_memory>& memory, const stream_handle* stream) = 0;
  /// The plans of these nodes have other memory of the same layout. True if they run as they were decided, and it is
  /// done. If it throws, nothing has changed.
  virtual bool patch(const std::vector<int>& changed, const moved_memory& moved) = 0;
  /// The same where not, once they are decided again.
  virtual void update(const std::vector<int>& changed, const moved_memory& moved) = 0;
};

/// Throws graph_error where nothing can be recorded now.
std::unique_ptr<executor> new_executor(host);
std::unique_ptr<executor> new_executor(cuda);

}  // namespace lazyfuse::record_detail
