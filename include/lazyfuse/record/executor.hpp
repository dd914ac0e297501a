// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs a graph in a space. The graph itself, its nodes and what each of them must wait for, is the same in all.
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/plan/kernel_plan.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lazyfuse::record_detail {

/// Memory that a graph uses.
struct use_of_memory {
  allocation* memory;
  bool written;
  bool on_host;
};

/// A function of the user's. CUDA calls it on a thread of its own: what it throws is kept for the next launch.
struct host_call {
  std::function<void()> function;
  std::exception_ptr thrown = nullptr;
  std::mutex mutex = {};
};

enum class node_kind { kernel, copy, call, loop, branch };

/// A part of a graph. Nodes are known by their numbers.
struct node {
  node_kind kind;
  std::vector<int> after = {};  ///< those beside it, all before it, that must have ended
  bool within = false;          ///< a loop or branch
  /// Of a kernel: its plan, whose path is decided.
  planning::kernel_plan* plan = nullptr;
  /// Of a copy: so many bytes.
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
  /// Of a call.
  std::shared_ptr<host_call> call = nullptr;
  /// Of a loop, whose body runs as long as this is `wanted`, and a branch: the first body runs if it is, else the
  /// second, if there is one.
  const bool* condition = nullptr;
  bool wanted = true;
  int condition_writer = -1;  ///< the last node of a loop's body that writes the condition
  std::vector<std::vector<int>> bodies = {};
  /// Of all but kernels, whose plans say it.
  std::vector<use_of_memory> memory = {};
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
  /// Once, before all else. parts: the nodes that are in no other. device: where the memory is; -1 where that does not
  /// matter. The nodes stay where they are.
  virtual void build(const std::vector<node>& nodes, const std::vector<int>& parts, int device) = 0;
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
