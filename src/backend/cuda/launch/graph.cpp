// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is recorded as one CUDA graph: each plan is started once on a stream that is captured, behind the nodes that it
// waits for; loops and branches are nodes that have graphs.
#include "backend/cuda/compiled/conditions.hpp"
#include "backend/cuda/compiled/node_updates.hpp"
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
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
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

cudaEvent_t new_event() {
  cudaEvent_t e = nullptr;
  check(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventBlockingSync), "cudaEventCreateWithFlags");
  return e;
}

/// What was launched, and may run: conditions end with their graph, also while the GPU looks at them.
struct launched_graph {
  cudaGraphExec_t runnable;
  std::unique_ptr<graph_handle> graph;
  cudaEvent_t ended;

  bool runs() const {
    const bool is_ready = cudaEventQuery(ended) != cudaErrorNotReady;
    if (!is_ready) (void)cudaGetLastError();
    return !is_ready;
  }
};
/// Destroys it when it has ended: now, or when another one is given here. What runs when the program ends stays.
void destroy_when_ended(launched_graph g) {
  struct those_that_run {
    std::mutex mutex;
    std::vector<launched_graph> graphs;
  };
  static auto& all = *new those_that_run;
  const std::lock_guard lock(all.mutex);
  all.graphs.push_back(std::move(g));
  std::erase_if(all.graphs, [](const launched_graph& l) {
    if (l.runs()) return false;
    (void)cudaGraphExecDestroy(l.runnable);
    (void)cudaEventDestroy(l.ended);
    return true;
  });
}

/// From construction on what the stream is given becomes nodes of the graph, of which the first wait for `after`.
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
    node_list ends = last_of(stream_);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph), "cudaStreamEndCapture");
    return ends;
  }
  /// What a captured stream would wait for next.
  static node_list last_of(cudaStream_t stream, cudaGraph_t* graph = nullptr) {
    cudaStreamCaptureStatus status{};
    const cudaGraphNode_t* last = nullptr;
    std::size_t count = 0;
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, graph, &last, nullptr, &count),
          "cudaStreamGetCaptureInfo");
    return {last, last + count};
  }
  static void set_last(cudaStream_t stream, node_list nodes) {
    check(cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nullptr, nodes.size(),
                                              cudaStreamSetCaptureDependencies),
          "cudaStreamUpdateCaptureDependencies");
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

void CUDART_CB run_call(void* given) {
  auto& call = *static_cast<record_detail::host_call*>(given);
  try {
    call.function();
  } catch (...) {  // CUDA's thread cannot take it
    const std::lock_guard lock(call.mutex);
    if (!call.thrown) call.thrown = std::current_exception();
  }
}

using record_detail::node, record_detail::node_kind;

class on_cuda final : public record_detail::executor {
 public:
  on_cuda() = default;
  ~on_cuda() override {
    // Launches that run go on; memory is given back in the order of the stream that they are on, but that of the host
    // and functions at once.
    if (uses_host_ && ended_) (void)cudaEventSynchronize(ended_);
    if (runnable_ && ended_) destroy_when_ended({runnable_, std::move(graph_), ended_});
    else {
      if (ended_) (void)cudaEventDestroy(ended_);
      if (runnable_) (void)cudaGraphExecDestroy(runnable_);
    }
    if (stream_) (void)cudaStreamDestroy(stream_);
  }

  void build(const std::vector<node>& nodes, const std::vector<int>& numbers, int device) override {
    const device_scope scope(device);
    device_ = device;
    nodes_ = &nodes;
    numbers_ = &numbers;
    // The legacy stream does not wait for it, nor it for that.
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    parts_.resize(nodes.size());
    for (const node& n : nodes) {
      has_conditions_ = has_conditions_ || !n.bodies.empty();
      for (const record_detail::use_of_memory& m : n.memory) uses_host_ = uses_host_ || m.on_host;
      if (n.call) calls_.push_back(n.call.get());
    }
    uses_host_ = uses_host_ || !calls_.empty();
    if (uses_host_ || has_conditions_) ended_ = new_event();
    make_ready();
  }

  void launch(const std::vector<record_detail::use_of_memory>& memory, const stream_handle* given) override {
    for (record_detail::host_call* const call : calls_) throw_what_was_thrown(*call);
    std::optional<on> given_scope;
    if (given) given_scope.emplace(given->handle);
    const device_scope scope(device_);
    auto* const stream = current_stream();
    if ((is_old_ || is_worth_it()) && !capturing(stream)) make_updatable();  // which may need other rooms
    uses all(stream);
    for (const record_detail::use_of_memory& u : memory)
      if (!u.on_host) all.add(u.memory, u.written);
    for (allocation* const room : rooms_) all.add(room, true);
    if (!can_be_child() && capturing(stream)) return add_to_capture(stream);
    if (!noted_.empty()) give_noted(stream);
    check(cudaGraphLaunch(runnable_, stream), "cudaGraphLaunch");
    is_uploaded_ = true;
    often_ = 0;
    ++launches_;
    if (ended_ && !capturing(stream)) check(cudaEventRecord(ended_, stream), "cudaEventRecord");
    if (trace_detail::environment().sync && !capturing(stream))
      check(cudaStreamSynchronize(stream), "a kernel of a graph");
  }

  bool patch(const std::vector<int>& changed, const record_detail::moved_memory& moved) override {
    const std::ptrdiff_t distance = distance_of(moved);
    if (distance % alignment != 0) return false;
    for (const int i : changed)
      if (!can_be_set(i) || !part_of(i).places_of(moved.number)) return false;
    const device_scope scope(device_);
    std::size_t done = 0;
    try {
      for (; done < changed.size(); ++done) move(changed[done], moved.number, distance);
    } catch (...) {
      for (std::size_t k = 0; k <= done; ++k) try {
          move(changed[k], moved.number, -distance);
        } catch (const cuda_error&) {  // it has its bytes at least
        }
      throw;
    }
    for (const int i : changed) count(part_of(i));
    return true;
  }

  void update(const std::vector<int>& changed, const record_detail::moved_memory& moved) override {
    const device_scope scope(device_);
    for (const int i : changed)
      if (!can_be_set(i)) return make_ready();
    // Every plan is captured once more, into a graph of its own, from which its parameters are taken before anything
    // changes.
    const graph_handle again;
    std::vector<std::vector<kernel>> others;
    for (const int number : changed) {
      const auto i = static_cast<std::size_t>(number);
      part& p = parts_[i];
      const node_list ends = add(i, again.graph, {});
      const node_list now = nodes_between({}, ends);
      bool alike = now.size() == p.nodes.size() && ends.size() <= 1;
      for (std::size_t k = 0; alike && k < now.size(); ++k) alike = is_kernel(now[k]) == is_kernel(p.nodes[k]);
      for (std::size_t k = 0; alike && k < now.size(); ++k) {
        if (!is_kernel(now[k])) continue;
        const bool needs_edge = waits_itself(p.nodes[k]) && !waits_itself(now[k]);  // one before it that waits
        if (needs_edge || !run_together_alike(p.nodes[k], now[k])) return make_ready();
      }
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
      for (std::size_t k = 0; k < others[n].size() && p.on_device.empty(); ++k)
        steps.push_back({&(*p.kernels)[k], &others[n][k]});
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
      const bool stays = distance_of(moved) % alignment == 0 && stays_as_decided(changed[n]);
      const bool moves = stays && learn(p, moved, others[n]);
      if (distance_of(moved) % alignment != 0) p.known.clear();  // they may be other kernels now
      p.kernels = std::move(others[n]);
      if (p.on_device.empty()) continue;
      if (moves) note(changed[n]);
      else {  // what the host would set, and what the device has set before, would be in each other's way
        p.on_device.clear();
        host_alone_ = is_old_ = true;
      }
    }
    list_rooms();
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
    node_list nodes;  ///< of a kernel of the graph itself, from the last to the first
    capture_rooms rooms;
    std::optional<std::vector<kernel>> kernels;  ///< once it has been rebound
    std::vector<places> known;
    std::vector<cudaGraphDeviceNode_t> on_device;  ///< the kernels, if kernels may change them
    bool noted = false;                            ///< that they have other addresses
    /// Before which launch the host changed them last, and before how many in a row it did.
    long changed_before = -2;
    int in_a_row = 0;

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
  void set(const kernel& k) const {
    if (!is_old_) check(k.parameters.set(runnable_, k.node), "cuGraphExecKernelNodeSetParams");
  }
  /// All kernels of a part get their bytes; of the launch, if no call fails.
  void move(int number, int memory, std::ptrdiff_t distance) {
    part& p = part_of(number);
    const places& at = *p.places_of(memory);
    for (std::size_t k = 0; k < at.words.size(); ++k) (*p.kernels)[k].parameters.move(at.words[k], distance);
    if (!p.on_device.empty()) return note(number);
    for (std::size_t k = 0; k < at.words.size(); ++k)
      if (!at.words[k].empty()) set((*p.kernels)[k]);
  }

  /// The device changes parameters of many kernels by one, instead of a call of the host's for each. Kernels that it
  /// may change take longer, since they do not begin while others end, and the graph must be made anew for them, which
  /// takes each of its nodes as long as some thirty calls. So it does for those that are rebound before several
  /// launches in a row, if so many are that one kernel is less than their calls, and that it comes back in a thousand
  /// launches; each time before twice as many as the last time, and never again once such a kernel has become another.
  static constexpr int worth_a_kernel = 8;
  bool is_worth_it() const { return often_ >= std::max(worth_a_kernel, static_cast<int>(parts_.size() / 32)); }
  /// The host has set what a part is started with.
  void count(part& p) {
    if (has_conditions_ || host_alone_ || !p.on_device.empty() || p.changed_before == launches_) return;
    p.in_a_row = p.changed_before == launches_ - 1 ? p.in_a_row + 1 : 1;
    p.changed_before = launches_;
    often_ += p.in_a_row >= in_a_row_ ? 1 : 0;
  }
  bool is_to_be_updatable(const part& p) const {
    const bool often = is_worth_it() && p.in_a_row >= in_a_row_ && p.changed_before == launches_;
    return !host_alone_ && (often || !p.on_device.empty());
  }
  /// Makes the graph anew; if that fails, it goes on as it is, unless it is old.
  void make_updatable() {
    try {
      make_ready();
    } catch (const std::exception&) {
      if (is_old_) throw;
      host_alone_ = true;
    }
    in_a_row_ *= 2;
    often_ = 0;
  }
  /// The next launch tells the device.
  void note(int number) {
    part& p = part_of(number);
    if (!p.noted) noted_.push_back(number);  // there is room
    p.noted = true;
  }
  /// Gives the device the newest addresses of all that are noted, when the last launch has ended.
  void give_noted(cudaStream_t stream) {
    check(cudaStreamWaitEvent(stream, ended_, 0), "cudaStreamWaitEvent");
    if (!is_uploaded_) check(cudaGraphUpload(runnable_, stream), "cudaGraphUpload");
    is_uploaded_ = true;
    node_updates next;
    cudaError_t status = cudaSuccess;
    const auto give = [&] {
      if (status == cudaSuccess && next.count > 0) status = update_nodes(next, stream);
      next.count = 0;
    };
    for (const int number : noted_) {
      const part& p = part_of(number);
      for (std::size_t k = 0; k < p.on_device.size(); ++k)
        for (const places& at : p.known)
          for (const unsigned word : at.words[k]) {
            const node_parameters& of = (*p.kernels)[k].parameters;
            next.all[next.count++] = {p.on_device[k], of.offset_of(word), of.value_of(word)};
            if (next.count == node_updates::most) give();
          }
    }
    give();
    const cudaError_t recorded = cudaEventRecord(ended_, stream);
    check(status, "cudaLaunchKernel");
    check(recorded, "cudaEventRecord");
    forget_noted();
  }
  void forget_noted() {
    for (const int number : noted_) part_of(number).noted = false;
    noted_.clear();
  }
  /// Whether which kernel runs does not change with its addresses, as long as they are aligned alike: not by how far
  /// apart operands in several blocks are.
  bool stays_as_decided(int number) const {
    const planning::kernel_plan& p = *node_of(number).plan;
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
  /// Finds the addresses by what has changed; false if anything else has.
  static bool learn(part& p, const record_detail::moved_memory& moved, const std::vector<kernel>& is) {
    places found{moved.number, {}};
    for (std::size_t k = 0; k < is.size(); ++k) {
      auto words = (*p.kernels)[k].parameters.moved_by(distance_of(moved), is[k].parameters);
      if (!words) return false;
      found.words.push_back(std::move(*words));
    }
    if (!p.places_of(moved.number)) p.known.push_back(std::move(found));
    return true;
  }

  /// Parameters of kernels of the graph itself can be set.
  bool can_be_set(int number) const {
    const node& n = node_of(number);
    return n.plan && !n.within;
  }
  const node& node_of(int number) const { return (*nodes_)[static_cast<std::size_t>(number)]; }

  /// What has become of a node: what waits for it waits for the ends; of a kernel all there is, from the last to the
  /// first.
  struct placed {
    node_list ends, nodes;
  };
  using placed_nodes = std::vector<placed>;

  /// Whether it may be a node of another graph, and be destroyed while it runs.
  bool can_be_child() const { return !has_conditions_ && !has_updatable_; }
  void replace(cudaGraphExec_t runnable, std::unique_ptr<graph_handle> graph) {
    if (runnable_ && !can_be_child()) {
      cudaEvent_t next = nullptr;
      try {
        next = new_event();
      } catch (...) {
        (void)cudaGraphExecDestroy(runnable);
        throw;
      }
      destroy_when_ended({runnable_, std::move(graph_), std::exchange(ended_, next)});
    } else if (runnable_) (void)cudaGraphExecDestroy(runnable_);
    runnable_ = runnable;
    graph_ = std::move(graph);
  }

  /// Makes the graph of all nodes, and what can be launched. If it throws, that is what it was.
  void make_ready() {
    std::unique_ptr<graph_handle> graph;
    placed_nodes at;
    std::vector<remade> parts;
    cudaGraphExec_t runnable = nullptr;
    constexpr struct {
      edges sort;
      bool updatable;
    } ways[] = {{edges::early, true}, {edges::early, false}, {edges::early_outside, false}, {edges::full, false}};
    const bool wanted = std::any_of(parts_.begin(), parts_.end(), [&](const part& p) { return is_to_be_updatable(p); });
    if (wanted && !ended_) ended_ = new_event();
    noted_.reserve(parts_.size());
    bool updatable = false;
    for (const auto& way : ways) {
      if (way.updatable && !wanted) continue;
      graph = std::make_unique<graph_handle>();
      at.assign(nodes_->size(), {});
      add_all(*numbers_, graph->graph, {}, at, way.sort, nullptr);
      parts = std::vector<remade>(parts_.size());
      for (std::size_t i = 0; i < parts_.size(); ++i) parts[i].kernels = kernels_kept(parts_[i], at[i].nodes);
      updatable = way.updatable;
      if (updatable && !let_device_change(parts)) continue;
      const cudaError_t status = cudaGraphInstantiate(&runnable, graph->graph, 0);
      if (way.sort != edges::full && is_refusal(status)) {
        (void)cudaGetLastError();
        continue;
      }
      check(status, "cudaGraphInstantiate");
      break;
    }
    replace(runnable, std::move(graph));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      part& p = parts_[i];
      p.nodes = std::move(at[i].nodes);
      p.kernels = std::move(parts[i].kernels);
      if (!p.kernels) p.known.clear();
      p.on_device = updatable ? std::move(parts[i].on_device) : std::vector<cudaGraphDeviceNode_t>();
    }
    has_updatable_ = updatable;
    host_alone_ = host_alone_ || (wanted && !updatable);
    is_old_ = is_uploaded_ = false;
    forget_noted();
    list_rooms();
  }
  struct remade {
    std::optional<std::vector<kernel>> kernels;
    std::vector<cudaGraphDeviceNode_t> on_device;
  };
  /// The kernels of a part with other nodes, if they are those whose addresses are known.
  static std::optional<std::vector<kernel>> kernels_kept(const part& p, const node_list& nodes) {
    if (p.known.empty()) return std::nullopt;
    std::vector<kernel> now = kernels_of(nodes, nodes);
    bool same = now.size() == p.kernels->size();
    for (const places& at : p.known)
      for (std::size_t k = 0; same && k < now.size(); ++k)
        same = now[k].parameters.agree((*p.kernels)[k].parameters, at.words[k]);
    if (!same) return std::nullopt;
    return now;
  }
  /// Whether CUDA lets the device change all that it is to change.
  bool let_device_change(std::vector<remade>& parts) const {
    if (!can_update_nodes()) return false;
    bool any = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].kernels || !is_to_be_updatable(parts_[i])) continue;
      for (const kernel& k : *parts[i].kernels) {
        const cudaError_t status = let_kernels_change(k.node, &parts[i].on_device.emplace_back());
        if (is_refusal(status)) return false;
        check(status, "cuGraphKernelNodeSetAttribute");
        any = true;
      }
    }
    return any;
  }
  /// A launch looks at nothing but these.
  void list_rooms() {
    rooms_.clear();
    for (const part& p : parts_)
      for (const handles<1>& room : p.rooms.all()) rooms_.push_back(room.memory[0]);
  }

  /// Whether kernels that wait themselves are put in their places while what they follow ends: none, those that are in
  /// no loop or branch, or all.
  enum class edges { full, early_outside, early };
  static void let_begin_early(cudaGraph_t graph, const node_list& before, cudaGraphNode_t after) {
    if (before.size() != 1 || !is_kernel(before[0]) || !is_kernel(after) || !waits_itself(after)) return;
    cudaGraphEdgeData early{};
    early.from_port = cudaGraphKernelNodePortProgrammatic;
    early.type = cudaGraphDependencyTypeProgrammatic;
    check(cudaGraphRemoveDependencies(graph, before.data(), &after, nullptr, 1), "cudaGraphRemoveDependencies");
    cudaError_t status = cudaGraphAddDependencies(graph, before.data(), &after, &early, 1);
    if (is_refusal(status)) {
      (void)cudaGetLastError();
      status = cudaGraphAddDependencies(graph, before.data(), &after, nullptr, 1);
    }
    check(status, "cudaGraphAddDependencies");
  }

  /// Adds all nodes to the graph that a stream is captured into: one that has conditions cannot be a node of another.
  void add_to_capture(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    const node_list before = capture::last_of(stream, &graph);
    placed_nodes at(nodes_->size());
    add_all(*numbers_, graph, before, at, edges::full, stream);
    std::vector<bool> is_last(nodes_->size(), true);
    for (const int number : *numbers_)
      for (const int earlier : node_of(number).after) is_last[static_cast<std::size_t>(earlier)] = false;
    node_list last;
    for (const int number : *numbers_) {
      const node_list& of = at[static_cast<std::size_t>(number)].ends;
      if (is_last[static_cast<std::size_t>(number)]) last.insert(last.end(), of.begin(), of.end());
    }
    capture::set_last(stream, std::move(last));
  }

  node_list those_before(const node& n, const placed_nodes& at) const {
    node_list all;
    for (const int before : n.after) {
      const node_list& of = at[static_cast<std::size_t>(before)].ends;
      all.insert(all.end(), of.begin(), of.end());
    }
    return all;
  }
  /// Nodes, the first of which wait for `before`. users: a stream that is captured into the graph already; null if none
  /// is.
  void add_all(const std::vector<int>& numbers, cudaGraph_t graph, const node_list& before, placed_nodes& at,
               edges sort, cudaStream_t users) {
    for (const int number : numbers) {
      const auto i = static_cast<std::size_t>(number);
      const node& n = node_of(number);
      const node_list after = n.after.empty() ? before : those_before(n, at);
      if (!n.bodies.empty()) {
        at[i].ends = add_bodies(i, graph, after, at, sort, users);
        continue;
      }
      at[i].ends = add(i, graph, after, users);
      if (!n.plan || users) continue;
      at[i].nodes = nodes_between(after, at[i].ends);
      if (sort != edges::full && !at[i].nodes.empty()) let_begin_early(graph, after, at[i].nodes.back());
    }
  }

  /// Gives node i to the captured stream; the nodes that nothing of it follows.
  node_list add(std::size_t i, cudaGraph_t graph, const node_list& after, cudaStream_t users = nullptr) try {
    const node& n = (*nodes_)[i];
    if (n.kind == node_kind::copy)
      return captured(graph, after, users, [&](cudaStream_t stream) {
        check(cudaMemcpyAsync(n.to, n.from, n.bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
      });
    if (n.kind == node_kind::call)
      return captured(graph, after, users, [&](cudaStream_t stream) {
        check(cudaLaunchHostFunc(stream, run_call, n.call.get()), "cudaLaunchHostFunc");
      });
    planning::kernel_plan& p = *n.plan;
    capture_rooms& rooms = parts_[i].rooms;
    const on scope(users ? users : stream_);
    const trace_detail::launching now(p.type->program, true);  // what fails names it
    if (!users) {
      const capture_scope rehearsal(rooms, true);
      (void)launch_made(p);
    }
    return captured(graph, after, users, [&](cudaStream_t) {
      const capture_scope captures(rooms, false);
      p.type->start(p);
    });
  } catch (const cuda_error& e) {
    throw cuda_error(e.code(), ("node " + std::to_string(i) + ": " + e.what()).c_str());
  }
  template <class F>
  node_list captured(cudaGraph_t graph, const node_list& after, cudaStream_t users, const F& give) {
    if (users) {
      capture::set_last(users, after);
      give(users);
      return capture::last_of(users);
    }
    capture c(stream_, graph, after);
    give(stream_);
    return c.end();
  }

  /// A loop or branch: a kernel that says whether it runs, and a node that has graphs. A loop's says it at its end,
  /// too.
  node_list add_bodies(std::size_t i, cudaGraph_t graph, const node_list& after, placed_nodes& at, edges sort,
                       cudaStream_t users) try {
    const node& n = (*nodes_)[i];
    const bool loops = n.kind == node_kind::loop;
    cudaGraphConditionalHandle handle{};
    check(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), "cudaGraphConditionalHandleCreate");
    const edges inside = sort == edges::early_outside ? edges::full : sort;
    const auto decide = [&](cudaGraph_t within, const node_list& behind, edges kind, cudaStream_t captures) {
      node_list decided = captured(within, behind, captures, [&](cudaStream_t stream) {
        check(set_condition(handle, n.condition, n.wanted, stream), "cudaLaunchKernel");
      });
      if (kind != edges::full) let_begin_early(within, behind, decided[0]);
      return decided;
    };
    const node_list decided = decide(graph, after, sort, users);
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = loops ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf;
    p.conditional.size = static_cast<unsigned>(n.bodies.size());
    cudaGraphNode_t made = nullptr;
    check(cudaGraphAddNode(&made, graph, decided.data(), nullptr, decided.size(), &p), "cudaGraphAddNode");
    for (std::size_t b = 0; b < n.bodies.size(); ++b) {
      cudaGraph_t body = p.conditional.phGraph_out[b];
      add_all(n.bodies[b], body, {}, at, inside, nullptr);
      if (loops) (void)decide(body, at[static_cast<std::size_t>(n.condition_writer)].ends, inside, nullptr);
    }
    return {made};
  } catch (const cuda_error& e) {
    throw cuda_error(e.code(), ("node " + std::to_string(i) + ": " + e.what()).c_str());
  }

  static void throw_what_was_thrown(record_detail::host_call& call) {
    std::exception_ptr thrown;
    {
      const std::lock_guard lock(call.mutex);
      thrown = std::exchange(call.thrown, nullptr);
    }
    if (thrown) std::rethrow_exception(thrown);
  }

  std::unique_ptr<graph_handle> graph_;
  cudaGraphExec_t runnable_ = nullptr;
  cudaStream_t stream_ = nullptr;
  const std::vector<node>* nodes_ = nullptr;
  const std::vector<int>* numbers_ = nullptr;
  std::vector<part> parts_;
  std::vector<allocation*> rooms_;  ///< scratch memory of all kernels
  std::vector<record_detail::host_call*> calls_;
  cudaEvent_t ended_ = nullptr;  ///< the last launch, if the host may be in use, or the GPU decides or changes nodes
  bool uses_host_ = false, has_conditions_ = false;
  bool has_updatable_ = false;  ///< kernels that kernels may change
  bool is_uploaded_ = false;
  bool is_old_ = false;     ///< it must be made anew before it is launched
  std::vector<int> noted_;  ///< parts of which the device must be told before the next launch
  long launches_ = 0;
  int in_a_row_ = 4;         ///< launches before which a part is rebound until the device does it
  int often_ = 0;            ///< parts that the host has set before as many, and this one
  bool host_alone_ = false;  ///< no more parts become such that the device changes them
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
