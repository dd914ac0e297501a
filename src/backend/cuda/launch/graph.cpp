// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded kernels as one CUDA graph: each plan is started once on a stream that is captured, behind the nodes that it
// waits for.
#include "backend/cuda/runtime/capture.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "core/text.hpp"
#include "observe/watch.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/record/executor.hpp>

#include <cuda.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

using node_list = std::vector<cudaGraphNode_t>;

struct graph_handle {
  cudaGraph_t graph = nullptr;
  graph_handle() { check(cudaGraphCreate(&graph, 0), "cudaGraphCreate"); }
  ~graph_handle() { (void)cudaGraphDestroy(graph); }
  graph_handle(const graph_handle&) = delete;
  graph_handle& operator=(const graph_handle&) = delete;
};

/// From construction on the stream is captured into the graph; what it is given first waits for `after`.
class capture {
 public:
  // Relaxed: meanwhile other streams of this thread allocate.
  capture(cudaStream_t stream, cudaGraph_t graph, const node_list& after) : stream_(stream) {
    check(
        cudaStreamBeginCaptureToGraph(stream, graph, after.data(), nullptr, after.size(), cudaStreamCaptureModeRelaxed),
        "cudaStreamBeginCaptureToGraph");
  }
  ~capture() {
    cudaGraph_t graph = nullptr;
    if (stream_) {
      (void)cudaStreamEndCapture(stream_, &graph);
      (void)cudaGetLastError();  // it may have failed with what is thrown
    }
  }
  capture(const capture&) = delete;
  capture& operator=(const capture&) = delete;
  /// Ends it; the nodes that would be waited for next.
  node_list end() {
    cudaStreamCaptureStatus status{};
    const cudaGraphNode_t* last = nullptr;
    std::size_t count = 0;
    check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &last, nullptr, &count),
          "cudaStreamGetCaptureInfo");
    node_list ends(last, last + count);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph), "cudaStreamEndCapture");
    return ends;
  }

 private:
  cudaStream_t stream_;
};

/// The nodes of one plan, from the last to the first: a plan gives its stream one thing after the other.
node_list nodes_between(const node_list& after, const node_list& ends) {
  node_list found;
  node_list open = ends;
  while (open.size() == 1 && std::find(after.begin(), after.end(), open[0]) == after.end()) {
    auto* const n = open[0];
    found.push_back(n);
    std::size_t count = 0;
    check(cudaGraphNodeGetDependencies(n, nullptr, nullptr, &count), "cudaGraphNodeGetDependencies");
    open.resize(count);
    if (count > 0) check(cudaGraphNodeGetDependencies(n, open.data(), nullptr, &count), "cudaGraphNodeGetDependencies");
  }
  return found;
}

bool is_kernel(cudaGraphNode_t n) {
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(n, &type), "cudaGraphNodeGetType");
  return type == cudaGraphNodeTypeKernel;
}
/// The driver's functions of kernel nodes: the runtime's know no kernel that was made at run time. Their errors have
/// the same numbers.
template <class F>
F driver_function(const char* name) {
  constexpr unsigned cuda_12 = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &function, cuda_12, cudaEnableDefault, &found), name);
  if (!function) check(cudaErrorNotSupported, name);
  return reinterpret_cast<F>(function);
}
using kernel_parameters = CUDA_KERNEL_NODE_PARAMS;
kernel_parameters parameters_of(cudaGraphNode_t n) {
  constexpr const char* name = "cuGraphKernelNodeGetParams";
  static const auto get = driver_function<CUresult (*)(CUgraphNode, kernel_parameters*)>(name);
  kernel_parameters p{};
  check(static_cast<cudaError_t>(get(n, &p)), name);
  return p;
}
cudaError_t set_parameters(cudaGraphExec_t runnable, cudaGraphNode_t n, const kernel_parameters& p) {
  static const auto set = driver_function<CUresult (*)(CUgraphExec, CUgraphNode, const kernel_parameters*)>(
      "cuGraphExecKernelNodeSetParams");
  return static_cast<cudaError_t>(set(runnable, n, &p));
}

class on_cuda final : public record_detail::executor {
 public:
  on_cuda() = default;
  ~on_cuda() override {
    // Launches that run go on; memory is given back in the order of the stream that they are on.
    if (runnable_) (void)cudaGraphExecDestroy(runnable_);
    if (stream_) (void)cudaStreamDestroy(stream_);
  }

  void build(const std::vector<record_detail::node>& nodes, int device) override {
    const device_scope scope(device);
    device_ = device;
    nodes_ = &nodes;
    graph_.emplace();
    // The legacy stream does not wait for it, nor it for that.
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    parts_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      node_list after;
      for (const int before : nodes[i].after) {
        const node_list& ends = parts_[static_cast<std::size_t>(before)].ends;
        after.insert(after.end(), ends.begin(), ends.end());
      }
      parts_[i].ends = captured(i, graph_->graph, after);
      parts_[i].nodes = parts_[i].parameters = nodes_between(after, parts_[i].ends);
    }
    check(cudaGraphInstantiate(&runnable_, graph_->graph, 0), "cudaGraphInstantiate");
  }

  void launch(const std::vector<record_detail::use_of_memory>& memory, const stream_handle* given) override {
    std::optional<on> given_scope;
    if (given) given_scope.emplace(given->handle);
    const device_scope scope(device_);
    auto* const stream = current_stream();
    for (const record_detail::use_of_memory& u : memory) use(u.memory, u.written, stream);
    for (const part& p : parts_)
      for (const handles<1>& room : p.rooms.all()) use(room.memory[0], true, stream);
    check(cudaGraphLaunch(runnable_, stream), "cudaGraphLaunch");
    if (trace_detail::environment().sync && !capturing(stream))
      check(cudaStreamSynchronize(stream), "a kernel of a graph");
  }

  void update(const std::vector<int>& changed) override {
    const device_scope scope(device_);
    // Every plan is captured once more, into a graph of its own that has the new parameters, before anything changes.
    const auto again = std::make_shared<graph_handle>();
    struct change {
      cudaGraphNode_t node;
      kernel_parameters was, is;
    };
    std::vector<change> changes;
    std::vector<node_list> captured_again;
    for (const int number : changed) {
      const auto i = static_cast<std::size_t>(number);
      const part& p = parts_[i];
      const node_list ends = captured(i, again->graph, {});
      const node_list& now = captured_again.emplace_back(nodes_between({}, ends));
      bool alike = now.size() == p.nodes.size() && ends.size() <= 1;
      for (std::size_t k = 0; alike && k < now.size(); ++k) {
        alike = is_kernel(now[k]) == is_kernel(p.nodes[k]);
        if (alike && is_kernel(now[k]))
          changes.push_back({p.nodes[k], parameters_of(p.parameters[k]), parameters_of(now[k])});
      }
      if (!alike)
        throw graph_error("rebind: " + name_of((*nodes_)[i], i) + " is other kernels for these arrays; record anew" +
                          place_asked());
    }
    std::size_t done = 0;
    try {
      for (; done < changes.size(); ++done)
        check(set_parameters(runnable_, changes[done].node, changes[done].is), "cuGraphExecKernelNodeSetParams");
    } catch (...) {
      for (std::size_t k = 0; k < done; ++k) (void)set_parameters(runnable_, changes[k].node, changes[k].was);
      throw;
    }
    for (std::size_t n = 0; n < changed.size(); ++n) {
      part& p = parts_[static_cast<std::size_t>(changed[n])];
      p.parameters.swap(captured_again[n]);
      p.holds_parameters = again;
    }
  }

 private:
  struct part {
    node_list ends;        ///< what waits for the plan waits for these
    node_list nodes;       ///< from the last to the first
    node_list parameters;  ///< nodes that have those with which each is launched: the same, or captured later
    std::shared_ptr<const graph_handle> holds_parameters;
    capture_rooms rooms;
  };

  /// Starts plan i on the captured stream; the nodes that nothing of it follows.
  node_list captured(std::size_t i, cudaGraph_t into, const node_list& after) try {
    planning::kernel_plan& p = *(*nodes_)[i].plan;
    capture_rooms& rooms = parts_[i].rooms;
    const on scope(stream_);
    const trace_detail::launching now(p.type->program, true);  // what fails names it
    {
      const capture_scope rehearsal(rooms, true);
      (void)launch_made(p);
    }
    capture c(stream_, into, after);
    {
      const capture_scope captures(rooms, false);
      p.type->start(p);
    }
    return c.end();
  } catch (const cuda_error& e) {
    throw cuda_error(e.code(), ("node " + std::to_string(i) + ": " + e.what()).c_str());
  }

  std::optional<graph_handle> graph_;
  cudaGraphExec_t runnable_ = nullptr;
  cudaStream_t stream_ = nullptr;
  const std::vector<record_detail::node>* nodes_ = nullptr;
  std::vector<part> parts_;
  int device_ = -1;
};

}  // namespace

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse::record_detail {

std::unique_ptr<executor> new_executor(cuda) {
  if (cuda_detail::capturing(current_stream()))
    throw graph_error(
        "record: the current stream is captured into a graph already; a recorded graph can be launched "
        "there, if it has been recorded before" +
        place_asked());
  return std::make_unique<cuda_detail::on_cuda>();
}

}  // namespace lazyfuse::record_detail
