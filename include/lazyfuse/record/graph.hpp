// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graph: kernels with the order that their memory asks for, launched together as often as one likes (compiled).
#pragma once

#include <lazyfuse/array/array.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lazyfuse {

namespace record_detail {
class executor;
struct contents;

/// While it lives, the calling thread's kernels are recorded. Throws graph_error if they are already.
class recording {
 public:
  recording(std::unique_ptr<executor> runs, bool on_device);
  ~recording();
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  /// Ends it.
  std::shared_ptr<contents> finish();
  /// What the calling thread records, which it does.
  static contents& now();

 private:
  class taker;
  std::unique_ptr<taker> taker_;
};

/// What a graph is told of an array.
struct array_record {
  allocation* owner;
  const void* data;
};
}  // namespace record_detail

/// What record(f) returns: the kernels of a function's evaluations, and what else it has, and for each what it must
/// wait for. A graph knows memory, not names: it reads and writes where its arrays had their elements when it was
/// recorded, whoever has these by then, and that memory lives as long as the graph. Used by one thread at a time. Once
/// moved from, it may only be destroyed or assigned to.
class graph {
 public:
  explicit graph(std::shared_ptr<record_detail::contents> c);
  graph(graph&&) noexcept;
  graph& operator=(graph&&) noexcept;
  ~graph();

  /// Runs all kernels, each after those that it depends on. On the GPU it is one call of CUDA's, on the current stream,
  /// which nobody waits for; evaluations that use the same memory later come after it. Throws graph_error if an array
  /// or expression shares memory that is written, since its values would change with it; cuda_error.
  void launch(caller where = caller::here());
  /// The same on a stream.
  void launch(CUstream_st* stream, caller where = caller::here());

  /// The graph uses the elements of the second array where it used those of the first. On the GPU by new parameters of
  /// the kernels concerned, the rest stays as it is; where loops, branches or copies use them, it is made ready anew,
  /// which takes as long as recording, and so does a launch once, where many are rebound before each. Throws
  /// shape_error unless both have one shape, device_error unless they are on one device, and graph_error if no kernel
  /// uses the first or some use the second; then nothing changes.
  template <class T, int R, class Space>
  void rebind(const array<T, R, Space>& used, const array<T, R, Space>& instead, caller where = caller::here()) {
    if (!(used.shape() == instead.shape()))
      throw_shapes("rebind", used.shape().extent, R, instead.shape().extent, R, "differ", where);
    rebind_memory({used.owner(), used.data()}, {instead.owner(), instead.data()}, where);
  }
  /// Mistakes.
  template <class T, int R, class Space, class U, int S, class Other>
  void rebind(const array<T, R, Space>&, const array<U, S, Other>&) {
    static_assert(__is_same(T, U), "lazyfuse: a graph is rebound to an array of the same element type");
    static_assert(R == S, "lazyfuse: a graph is rebound to an array of the same rank");
    static_assert(__is_same(Space, Other), "lazyfuse: a graph is rebound to an array of the same space");
  }

  /// How many kernels, copies, calls, loops and branches there are, those within loops and branches included.
  int nodes() const;
  /// What each of them computes, as explain prints it, in the order in which they were recorded.
  std::vector<std::string> kernels() const;
  /// The graph in the language of Graphviz: a node for each kernel, with its pattern, program and extents; edges go to
  /// what must wait. The bodies of a loop or branch are boxes, to which dotted edges go.
  std::string dot() const;

 private:
  void rebind_memory(record_detail::array_record used, record_detail::array_record instead, caller where);
  std::shared_ptr<record_detail::contents> contents_;
};

}  // namespace lazyfuse
