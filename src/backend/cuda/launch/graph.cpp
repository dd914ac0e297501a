// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded kernels as one CUDA graph: each plan is started once on a stream that is captured, behind the nodes that it
// waits for.
#include "backend/cuda/launch/node_parameters.hpp"
#include "backend/cuda/runtime/capture.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "core/text.hpp"
#include "observe/watch.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/record/executor.hpp>

#include <algorithm>
#include <cstddef>
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
      parts_[i].nodes = nodes_between(after, parts_[i].ends);
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

  bool patch(const std::vector<int>& changed, const record_detail::moved_memory& moved) override {
    const std::ptrdiff_t distance = distance_of(moved);
    if (distance % alignment != 0) return false;
    for (const int i : changed)
      if (!part_of(i).places_of(moved.number)) return false;
    const device_scope scope(device_);
    std::size_t done = 0;
    try {
      for (; done < changed.size(); ++done) move(part_of(changed[done]), moved.number, distance);
    } catch (...) {
      for (std::size_t k = 0; k <= done; ++k) try {
          move(part_of(changed[k]), moved.number, -distance);
        } catch (const cuda_error&) {  // it has its bytes at least
        }
      throw;
    }
    return true;
  }

  void update(const std::vector<int>& changed, const record_detail::moved_memory& moved) override {
    const device_scope scope(device_);
    // Every plan is captured once more, into a graph of its own, from which its parameters are taken before anything
    // changes.
    const graph_handle again;
    std::vector<std::vector<kernel>> others;
    for (const int number : changed) {
      const auto i = static_cast<std::size_t>(number);
      part& p = parts_[i];
      const node_list ends = captured(i, again.graph, {});
      const node_list now = nodes_between({}, ends);
      bool alike = now.size() == p.nodes.size() && ends.size() <= 1;
      for (std::size_t k = 0; alike && k < now.size(); ++k) alike = is_kernel(now[k]) == is_kernel(p.nodes[k]);
      if (!alike)
        throw graph_error("rebind: " + name_of((*nodes_)[i], i) + " is other kernels for these arrays; record anew" +
                          place_asked());
      if (!p.kernels) p.kernels = kernels_of(p.nodes, p.nodes);
      others.push_back(kernels_of(now, p.nodes));
    }
    struct step {
      const kernel *was, *is;
    };
    std::vector<step> steps;
    for (std::size_t n = 0; n < changed.size(); ++n) {
      const part& p = part_of(changed[n]);
      for (std::size_t k = 0; k < others[n].size(); ++k) steps.push_back({&(*p.kernels)[k], &others[n][k]});
    }
    std::size_t done = 0;
    try {
      for (; done < steps.size(); ++done) set(*steps[done].is);
    } catch (...) {
      for (std::size_t k = 0; k < done; ++k) (void)steps[k].was->parameters.set(runnable_, steps[k].was->node);
      throw;
    }
    for (std::size_t n = 0; n < changed.size(); ++n) {
      part& p = part_of(changed[n]);
      if (distance_of(moved) % alignment != 0) p.known.clear();  // they may be other kernels now
      else if (stays_as_decided(changed[n])) learn(p, moved, others[n]);
      p.kernels = std::move(others[n]);
    }
  }

 private:
  /// Of what is allocated. Kernels are chosen by alignment, and may be others where it is less.
  static constexpr std::ptrdiff_t alignment = 256;
  static std::ptrdiff_t distance_of(const record_detail::moved_memory& m) {
    return static_cast<const char*>(m.is) - static_cast<const char*>(m.was);
  }

  /// A kernel node, and what it is started with.
  struct kernel {
    cudaGraphNode_t node;
    node_parameters parameters;
  };
  /// Where the addresses of one block of memory are in the parameters of a part's kernels.
  struct places {
    int memory;
    std::vector<std::vector<unsigned>> words;
  };
  struct part {
    node_list ends;   ///< what waits for the plan waits for these
    node_list nodes;  ///< from the last to the first
    capture_rooms rooms;
    std::optional<std::vector<kernel>> kernels;  ///< once it has been rebound
    std::vector<places> known;

    const places* places_of(int memory) const {
      for (const places& p : known)
        if (p.memory == memory) return &p;
      return nullptr;
    }
  };
  part& part_of(int number) { return parts_[static_cast<std::size_t>(number)]; }

  static std::vector<kernel> kernels_of(const node_list& captured, const node_list& nodes) {
    std::vector<kernel> all;
    for (std::size_t k = 0; k < captured.size(); ++k)
      if (is_kernel(captured[k])) all.push_back({nodes[k], node_parameters(captured[k])});
    return all;
  }
  void set(const kernel& k) const { check(k.parameters.set(runnable_, k.node), "cuGraphExecKernelNodeSetParams"); }
  /// All kernels of a part get their bytes; of the launch, if no call fails.
  void move(part& p, int memory, std::ptrdiff_t distance) {
    const places& at = *p.places_of(memory);
    for (std::size_t k = 0; k < at.words.size(); ++k) (*p.kernels)[k].parameters.move(at.words[k], distance);
    for (std::size_t k = 0; k < at.words.size(); ++k)
      if (!at.words[k].empty()) set((*p.kernels)[k]);
  }
  /// Whether which kernel runs does not change with its addresses, as long as they are aligned alike: not by how far
  /// apart operands in several blocks are.
  bool stays_as_decided(int number) const {
    const planning::kernel_plan& p = *(*nodes_)[static_cast<std::size_t>(number)].plan;
    if (!p.by_address) return true;
    const allocation* only = nullptr;
    for (int k = p.type->targets; k < p.type->targets + p.type->operands; ++k) {
      const planning::operand_info& o = p.info[k];
      if (!o.steps || o.element_size == 0) continue;
      if (!o.owner || o.owner->foreign || (only && o.owner != only)) return false;
      only = o.owner;
    }
    return true;
  }
  /// Finds the addresses by what has changed.
  static void learn(part& p, const record_detail::moved_memory& moved, const std::vector<kernel>& is) {
    if (p.places_of(moved.number)) return;
    places found{moved.number, {}};
    for (std::size_t k = 0; k < is.size(); ++k) {
      auto words = (*p.kernels)[k].parameters.moved_by(distance_of(moved), is[k].parameters);
      if (!words) return;
      found.words.push_back(std::move(*words));
    }
    p.known.push_back(std::move(found));
  }

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
