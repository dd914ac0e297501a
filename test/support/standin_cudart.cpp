// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the CUDA runtime that the library and its tests call. What is missing here the linker takes from the
// true runtime, and complains of functions that are there twice.
#include "standin_cudart.hpp"

#include "backend/cuda/compiled/node_updates.hpp"

#include <cuda.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace {

/// Memory of a device; of the host: -1.
struct block {
  std::size_t bytes;
  int device;
};
struct event {
  int device;
  cudaStream_t recorded_on;
};
/// A node of a graph, and what a kernel of it is started with.
struct node {
  cudaGraphNodeType type;
  std::string what;
  std::vector<cudaGraphNode_t> after;
  const void* kernel = nullptr;
  const void* first = nullptr;    ///< of the parameters
  void* arguments[1] = {&first};  ///< as they are asked for
  bool early = false, updatable = false;
  unsigned cluster = 1;  ///< blocks of one
  std::vector<cudaGraph_t> bodies = {};
  cudaHostFn_t call = nullptr;
  void* call_data = nullptr;
};
struct capture_of_stream {
  cudaGraph_t graph;
  std::vector<cudaGraphNode_t> last;
};
struct everything {
  std::recursive_mutex mutex;
  std::map<const void*, std::string> kernels;  // by the function of the host that stands for them
  std::map<std::uintptr_t, block> blocks;      // by address
  std::map<cudaStream_t, int> streams_of;      // the device of each
  std::map<cudaEvent_t, event> events_of;
  std::vector<int> pools_of;  // the device of each, numbered from 1
  std::vector<std::string> launched;
  std::vector<standin::launch> launches;
  std::vector<standin::wait> waits;
  std::vector<cudaStream_t> waited_for;
  std::map<cudaGraph_t, std::vector<std::unique_ptr<node>>> graphs;
  std::map<cudaStream_t, capture_of_stream> captures;
  std::map<cudaGraphExec_t, cudaGraph_t> runnable;
  std::vector<standin::graph_node> made_ready;
  cudaGraph_t last_ready = nullptr;
  std::vector<cudaStream_t> graph_launches;
  long graph_updates = 0, device_updates = 0, kernels_captured = 0;
  std::string failed;
  long calls = 0, fails = 0, faults = 0, events = 0, streams = 0, pools = 0, next_stream = 1, next_event = 1;
  int devices = 1;
  cudaError_t error = cudaSuccess, fault = cudaSuccess, last = cudaSuccess;
  bool faulted = false;
};
thread_local int current = 0;  // the device of this thread
everything& all() {
  static auto* const e = new everything;  // kernels register before main, arrays die after it
  return *e;
}

cudaError_t noted(cudaError_t status) { return status == cudaSuccess ? status : all().last = status; }

/// While it lives what is allocated is the stand-in's.
struct own_memory {
  own_memory() {
    if (standin::quiet) standin::quiet(true);
  }
  ~own_memory() {
    if (standin::quiet) standin::quiet(false);
  }
};

/// Counts a call; whether it succeeds.
cudaError_t called(const char* name, bool allocates = false) {
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  if (a.faulted) return noted(a.fault);
  if (++a.calls != a.fails) return cudaSuccess;
  a.failed = name;
  return noted(allocates ? cudaErrorMemoryAllocation : a.error);
}

/// "transform_flat" of "void lazyfuse::cuda_detail::transform_flat<...>(...)"
std::string plain_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  std::string name = text ? text.get() : mangled;
  const std::string unnamed = "(anonymous namespace)::";
  if (const auto at = name.find(unnamed); at != std::string::npos) name.erase(at, unnamed.size());
  name.resize(std::min({name.size(), name.find('<'), name.find('(')}));  // of a name that is none: all of it
  if (const auto start = name.find_last_of(": "); start != std::string::npos) name.erase(0, start + 1);
  return name;
}

/// The device of a stream; default streams are those of the current one.
int device_of(cudaStream_t stream) {
  const std::lock_guard lock(all().mutex);
  const auto known = all().streams_of.find(stream);
  return known == all().streams_of.end() ? current : known->second;
}
/// The device of memory; -1 if it is the host's.
int device_of(const void* p) {
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  auto found = a.blocks.upper_bound(address);
  return found != a.blocks.begin() && address < (--found)->first + found->second.bytes ? found->second.device : -1;
}
/// Whether memory may be used by what is given to the stream, without the word of cudaMemcpyPeerAsync.
bool is_there(const void* p, cudaStream_t stream) {
  const int d = device_of(p);
  return d < 0 || d == device_of(stream);
}

cudaError_t get(void** p, std::size_t bytes, const char* name, int device) {
  if (const cudaError_t status = called(name, true); status != cudaSuccess) return status;
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  *p = bytes > (std::size_t{1} << 40) ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!*p) return noted(cudaErrorMemoryAllocation);
  std::memset(*p, 1, bytes);
  a.blocks[reinterpret_cast<std::uintptr_t>(*p)] = {bytes, device};
  return cudaSuccess;
}
cudaError_t give_back(void* p) {
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  if (p && a.blocks.erase(reinterpret_cast<std::uintptr_t>(p)) == 0) return noted(cudaErrorInvalidValue);
  std::free(p);
  return cudaSuccess;
}

cudaGraphNode_t as_handle(node* n) { return reinterpret_cast<cudaGraphNode_t>(n); }
node& node_of(cudaGraphNode_t n) { return *reinterpret_cast<node*>(n); }
/// What is given to a stream becomes a node if that is captured; null if not.
node* captured(cudaStream_t stream, cudaGraphNodeType type, const std::string& what) {
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  const auto at = a.captures.find(stream);
  if (at == a.captures.end()) return nullptr;
  auto& nodes = a.graphs[at->second.graph];
  nodes.push_back(std::make_unique<node>());
  node& n = *nodes.back();
  n.type = type;
  n.what = what;
  n.after = at->second.last;
  at->second.last = {as_handle(&n)};
  return &n;
}

/// A graph as tests see it.
std::vector<standin::graph_node> shown(cudaGraph_t graph) {
  const auto& nodes = all().graphs[graph];
  const auto number = [&](cudaGraphNode_t n) {
    int i = 0;
    while (as_handle(nodes[static_cast<std::size_t>(i)].get()) != n) ++i;
    return i;
  };
  std::vector<standin::graph_node> result;
  for (const auto& n : nodes) {
    standin::graph_node one{n->what, {}, n->first};
    one.early = n->early;
    one.cluster = n->cluster;
    for (const cudaGraphNode_t before : n->after) one.after.push_back(number(before));
    for (const cudaGraph_t body : n->bodies) one.bodies.push_back(shown(body));
    result.push_back(one);
  }
  return result;
}
void destroy(cudaGraph_t graph) {
  for (const auto& n : all().graphs[graph])
    for (const cudaGraph_t body : n->bodies) destroy(body);
  all().graphs.erase(graph);
}
cudaGraph_t new_graph() {
  static long next = 1;
  const auto graph = reinterpret_cast<cudaGraph_t>(static_cast<std::uintptr_t>(16 * next++));
  all().graphs[graph];
  return graph;
}

/// Gives a node of the graph that was made ready last the first pointer of its parameters.
void set_first(const node& n, const void* first) {
  everything& a = all();
  const auto found = a.graphs.find(a.last_ready);
  for (std::size_t i = 0; found != a.graphs.end() && i < found->second.size(); ++i)
    if (found->second[i].get() == &n) a.made_ready[i].first = first;
}
/// What the kernel that changes parameters does, which for the stand-in are one word.
cudaError_t tell_parameters(const lazyfuse::cuda_detail::node_updates& u) {
  for (int i = 0; i < u.count; ++i) {
    const node& n = *reinterpret_cast<const node*>(u.all[i].node);
    if (u.all[i].offset != 0 || !n.updatable) return noted(cudaErrorInvalidValue);
    set_first(n, reinterpret_cast<const void*>(u.all[i].value));
    ++all().device_updates;
  }
  return cudaSuccess;
}

cudaError_t launch(const void* kernel, const char* name, dim3 blocks, cudaStream_t stream, void** arguments,
                   unsigned cluster = 1) {
  if (const cudaError_t status = called(name); status != cudaSuccess) return status;
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  const auto known = a.kernels.find(kernel);
  if (known == a.kernels.end()) return noted(cudaErrorInvalidDeviceFunction);
  if (device_of(stream) != current) return noted(cudaErrorInvalidResourceHandle);
  if (node* const n = captured(stream, cudaGraphNodeTypeKernel, known->second)) {
    n->kernel = kernel;
    n->first = *static_cast<const void* const*>(arguments[0]);
    n->cluster = cluster;
    ++a.kernels_captured;
    return cudaSuccess;
  }
  if (known->second == "tell_parameters") {
    const auto& updates = *static_cast<const lazyfuse::cuda_detail::node_updates*>(arguments[0]);
    if (const cudaError_t status = tell_parameters(updates); status != cudaSuccess) return status;
  }
  a.launched.push_back(known->second);
  a.launches.push_back({current, stream, blocks.x, cluster});
  if (a.faults > 0 && --a.faults == 0) a.faulted = true;
  return cudaSuccess;
}

/// Handles are numbers in the place of addresses.
template <class H>
H handle(long number) {
  return reinterpret_cast<H>(static_cast<std::uintptr_t>(number));
}

}  // namespace

namespace standin {

void (*quiet)(bool) = nullptr;

long calls() { return all().calls; }
const std::vector<std::string>& launches() { return all().launched; }
const std::vector<launch>& launched() { return all().launches; }
const std::vector<wait>& waits() { return all().waits; }
const std::vector<cudaStream_t>& waited_for() { return all().waited_for; }
std::vector<graph_node> graph() { return all().made_ready; }
std::vector<graph_node> nodes_of(cudaGraph_t graph) { return shown(graph); }
void call_hosts() {
  for (const auto& n : all().graphs[all().last_ready])
    if (n->call) n->call(n->call_data);
}
const std::vector<cudaStream_t>& graph_launches() { return all().graph_launches; }
long graph_updates() { return all().graph_updates; }
long device_updates() { return all().device_updates; }
long captures() { return all().kernels_captured; }
void devices(int count) { all().devices = count; }
balance live() {
  const everything& a = all();
  long bytes = 0;
  for (const auto& [address, b] : a.blocks) bytes += static_cast<long>(b.bytes);
  const auto graphs = static_cast<long>(a.graphs.size() + a.runnable.size() + a.captures.size());
  return {static_cast<long>(a.blocks.size()), bytes, a.events, a.streams, a.pools, graphs};
}
void reset() {
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  a.calls = a.fails = a.faults = 0;
  a.launched.clear();
  a.launches.clear();
  a.waits.clear();
  a.waited_for.clear();
  a.graph_launches.clear();
  a.graph_updates = a.device_updates = a.kernels_captured = 0;
  a.failed.clear();
  a.faulted = false;
  a.last = cudaSuccess;
}
void fail_at(long n, cudaError_t error) {
  reset();
  all().fails = n;
  all().error = error;
}
const std::string& failed() { return all().failed; }
void fault_at(long n, cudaError_t error) {
  reset();
  all().faults = n;
  all().fault = error;
}

}  // namespace standin

// Their names and parameters are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" {

// What the code that nvcc generates calls.
void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  all().kernels[host] = plain_name(name);
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
struct call_configuration {
  dim3 blocks, threads;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
static thread_local call_configuration configured;
unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t shared, cudaStream_t stream) {
  configured = {blocks, threads, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* blocks, dim3* threads, std::size_t* shared, void* stream) {
  *blocks = configured.blocks;
  *threads = configured.threads;
  *shared = configured.shared;
  *static_cast<cudaStream_t*>(stream) = configured.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3, void** arguments, std::size_t,
                               cudaStream_t stream) {
  return launch(kernel, "cudaLaunchKernel", blocks, stream, arguments);
}

// Errors.
cudaError_t cudaGetLastError() {
  const cudaError_t status = all().last;
  all().last = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() { return all().last; }
const char* cudaGetErrorName(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorLaunchOutOfResources:
      return "cudaErrorLaunchOutOfResources";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaErrorOfTheStandIn";
  }
}
const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorIllegalAddress ? "an illegal memory access was encountered" : "made to fail";
}

// The devices: the facts of an H200, and of all others half as many processors.
cudaError_t cudaGetDeviceCount(int* count) {
  *count = all().devices;
  return called("cudaGetDeviceCount");
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return called("cudaGetDevice");
}
cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t status = called("cudaSetDevice"); status != cudaSuccess) return status;
  if (device < 0 || device >= all().devices) return noted(cudaErrorInvalidDevice);
  current = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return called("cudaDeviceSynchronize"); }
cudaError_t cudaDeviceCanAccessPeer(int* possible, int, int) {
  *possible = 1;
  return called("cudaDeviceCanAccessPeer");
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* facts, int device) {
  *facts = {};
  std::strcpy(facts->name, device == 0 ? "stand-in" : "another stand-in");
  return called("cudaGetDeviceProperties");
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  switch (what) {
    case cudaDevAttrMultiProcessorCount:
      *value = device == 0 ? 132 : 66;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 232448;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = 233472;
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrL2CacheSize:
      *value = 62914560;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = 3201000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 6144;
      break;
    case cudaDevAttrClockRate:
      *value = 1980000;
      break;
    default:
      *value = 0;
  }
  return called("cudaDeviceGetAttribute");
}

// Memory.
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  const cudaError_t status = called("cudaMemPoolCreate");
  if (status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  *pool = handle<cudaMemPool_t>(++all().pools);
  all().pools_of.push_back(properties->location.id);
  return status;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return called("cudaMemPoolSetAttribute"); }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) {
  return called("cudaMemPoolSetAccess");
}
cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  (void)captured(stream, cudaGraphNodeTypeMemAlloc, "allocation");
  return get(p, bytes, "cudaMallocFromPoolAsync", all().pools_of[reinterpret_cast<std::uintptr_t>(pool) - 1]);
}
cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream) {
  return get(p, bytes, "cudaMallocAsync", device_of(stream));
}
cudaError_t cudaMalloc(void** p, std::size_t bytes) { return get(p, bytes, "cudaMalloc", current); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  (void)captured(stream, cudaGraphNodeTypeMemFree, "free");
  return give_back(p);
}
cudaError_t cudaFree(void* p) { return give_back(p); }
// As the runtime's manual asks for memory of pools: the stream's device is the current one, and has the memory.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  const cudaError_t status = called("cudaMemcpyAsync");
  if (status != cudaSuccess) return status;
  if (device_of(stream) != current || !is_there(to, stream) || !is_there(from, stream))
    return noted(cudaErrorInvalidValue);
  if (captured(stream, cudaGraphNodeTypeMemcpy, "memcpy")) return status;
  std::memcpy(to, from, bytes);
  return status;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t) {
  const cudaError_t status = called("cudaMemcpyPeerAsync");
  if (status != cudaSuccess) return status;
  if (device_of(to) != to_device || device_of(from) != from_device) return noted(cudaErrorInvalidValue);
  std::memcpy(to, from, bytes);
  return status;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t stream) {
  const cudaError_t status = called("cudaMemcpy2DAsync");
  if (status != cudaSuccess) return status;
  if (device_of(stream) != current || !is_there(to, stream) || !is_there(from, stream))
    return noted(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
  return status;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const cudaError_t status = called("cudaMemsetAsync");
  if (status != cudaSuccess) return status;
  if (!is_there(to, stream)) return noted(cudaErrorInvalidValue);
  if (captured(stream, cudaGraphNodeTypeMemset, "memset")) return status;
  std::memset(to, value, bytes);
  return status;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  *attributes = {};
  attributes->device = device_of(p);
  if (attributes->device >= 0) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(p);
  }
  return called("cudaPointerGetAttributes");
}

cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) { return get(p, bytes, "cudaHostAlloc", -1); }
cudaError_t cudaFreeHost(void* p) { return give_back(p); }
static int address_range(unsigned long long* base, std::size_t* bytes, unsigned long long address) {
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  auto found = a.blocks.upper_bound(address);
  if (found == a.blocks.begin() || address >= (--found)->first + found->second.bytes) return 1;
  *base = found->first;
  *bytes = found->second.bytes;
  return 0;
}
/// The driver's cuGraphKernelNodeGetParams, cuFuncGetParamInfo and cuGraphExecKernelNodeSetParams.
static CUresult parameters_of_kernel(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS* p) {
  p->func = static_cast<CUfunction>(const_cast<void*>(node_of(n).kernel));
  p->kernelParams = node_of(n).arguments;
  return static_cast<CUresult>(called("cuGraphKernelNodeGetParams"));
}
static CUresult size_of_parameter(CUfunction, std::size_t number, std::size_t* offset, std::size_t* size) {
  if (number > 0) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *size = sizeof(void*);
  return static_cast<CUresult>(called("cuFuncGetParamInfo"));
}
static CUresult name_of_kernel(const char** name, CUfunction kernel) {
  static std::string mangled;
  const own_memory own;
  const std::string& plain = all().kernels[kernel];
  mangled = "_ZN8lazyfuse11cuda_detail" + std::to_string(plain.size()) + plain + (plain == "tell_node" ? "E" : "I");
  *name = mangled.c_str();
  return static_cast<CUresult>(called("cuFuncGetName"));
}
static CUresult attribute_of_kernel(int* value, CUfunction_attribute, CUfunction) {
  *value = 90;
  return static_cast<CUresult>(called("cuFuncGetAttribute"));
}
static CUresult set_parameters_of_kernel(CUgraphExec runnable, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS* p) {
  if (const cudaError_t status = called("cuGraphExecKernelNodeSetParams"); status != cudaSuccess)
    return static_cast<CUresult>(status);
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  // CUDA may do it for what the device changes, but undoes then what that has changed.
  if (node_of(n).updatable || a.runnable.count(runnable) == 0) return CUDA_ERROR_INVALID_VALUE;
  set_first(node_of(n), *static_cast<const void* const*>(p->kernelParams[0]));
  ++a.graph_updates;
  return CUDA_SUCCESS;
}
/// cuGraphKernelNodeSetAttribute, and cuGraphKernelNodeGetAttribute of what is asked for.
static CUresult set_attribute_of_node(CUgraphNode n, CUkernelNodeAttrID, const CUkernelNodeAttrValue*) {
  const auto status = static_cast<CUresult>(called("cuGraphKernelNodeSetAttribute"));
  if (status == CUDA_SUCCESS) node_of(n).updatable = true;
  return status;
}
static CUresult attribute_of_node(CUgraphNode n, CUkernelNodeAttrID id, CUkernelNodeAttrValue* value) {
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) value->clusterDim.x = node_of(n).cluster;
  else if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = 0;
  else value->deviceUpdatableKernelNode.devNode = reinterpret_cast<CUgraphDeviceNode>(n);
  return static_cast<CUresult>(called("cuGraphKernelNodeGetAttribute"));
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult*) {
  const std::string_view asked = name;
  *function = asked == "cuGraphKernelNodeGetParams"       ? reinterpret_cast<void*>(&parameters_of_kernel)
              : asked == "cuFuncGetParamInfo"             ? reinterpret_cast<void*>(&size_of_parameter)
              : asked == "cuFuncGetName"                  ? reinterpret_cast<void*>(&name_of_kernel)
              : asked == "cuFuncGetAttribute"             ? reinterpret_cast<void*>(&attribute_of_kernel)
              : asked == "cuGraphExecKernelNodeSetParams" ? reinterpret_cast<void*>(&set_parameters_of_kernel)
              : asked == "cuGraphKernelNodeSetAttribute"  ? reinterpret_cast<void*>(&set_attribute_of_node)
              : asked == "cuGraphKernelNodeGetAttribute"  ? reinterpret_cast<void*>(&attribute_of_node)
                                                          : reinterpret_cast<void*>(&address_range);
  return called("cudaGetDriverEntryPointByVersion");
}

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  const cudaError_t status = called("cudaStreamCreate");
  if (status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  *stream = handle<cudaStream_t>(16 * all().next_stream++);
  all().streams_of[*stream] = current;
  ++all().streams;
  return status;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(all().mutex);
  all().streams_of.erase(stream);
  --all().streams;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(stream);
  return called("cudaStreamGetId");
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  *device = device_of(stream);
  return called("cudaStreamGetDevice");
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(all().mutex);
  *status = all().captures.count(stream) > 0 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return called("cudaStreamIsCapturing");
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t status = called("cudaStreamSynchronize");
  if (status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  all().waited_for.push_back(stream);
  return status;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const cudaError_t status = called("cudaStreamWaitEvent");
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  if (status == cudaSuccess) all().waits.push_back({all().events_of[event].recorded_on, stream});
  return status;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const cudaError_t status = called("cudaEventCreateWithFlags");
  if (status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  *event = handle<cudaEvent_t>(16 * all().next_event++);
  all().events_of[*event] = {current, nullptr};
  ++all().events;
  return status;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  all().events_of.erase(event);
  --all().events;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const cudaError_t status = called("cudaEventRecord");
  if (status != cudaSuccess) return status;
  const std::lock_guard lock(all().mutex);
  auto& known = all().events_of[event];
  if (known.device != device_of(stream)) return noted(cudaErrorInvalidResourceHandle);
  known.recorded_on = stream;
  return status;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }  // who asks goes on either way
cudaError_t cudaEventSynchronize(cudaEvent_t) { return called("cudaEventSynchronize"); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.25F;
  return called("cudaEventElapsedTime");
}

// Graphs.
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  if (const cudaError_t status = called("cudaGraphCreate"); status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  *graph = new_graph();
  return cudaSuccess;
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, std::size_t) {
  if (const cudaError_t status = called("cudaGraphRemoveDependencies"); status != cudaSuccess) return status;
  std::vector<cudaGraphNode_t>& after = node_of(*to).after;
  const auto at = std::find(after.begin(), after.end(), *from);
  if (at == after.end()) return noted(cudaErrorInvalidValue);
  after.erase(at);
  return cudaSuccess;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edge, std::size_t) {
  if (const cudaError_t status = called("cudaGraphAddDependencies"); status != cudaSuccess) return status;
  const own_memory own;
  node_of(*to).after.push_back(*from);
  node_of(*to).early = edge && edge->type == cudaGraphDependencyTypeProgrammatic;
  if (node_of(*to).early && (node_of(*from).type != cudaGraphNodeTypeKernel || edge->from_port != 1))
    return noted(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  if (all().graphs.count(graph) == 0) return noted(cudaErrorInvalidValue);
  destroy(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned,
                                             unsigned) {
  *handle = reinterpret_cast<std::uintptr_t>(graph);
  return called("cudaGraphConditionalHandleCreate");
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  if (const cudaError_t status = called("cudaGraphAddNode"); status != cudaSuccess) return status;
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  if (p->type != cudaGraphNodeTypeConditional || p->conditional.handle != reinterpret_cast<std::uintptr_t>(graph))
    return noted(cudaErrorInvalidValue);
  auto n = std::make_unique<node>();
  n->type = p->type;
  n->what = p->conditional.type == cudaGraphCondTypeWhile ? "while" : "if";
  n->after = {after, after + count};
  for (unsigned i = 0; i < p->conditional.size; ++i) n->bodies.push_back(new_graph());
  p->conditional.phGraph_out = n->bodies.data();
  *made = as_handle(n.get());
  a.graphs[graph].push_back(std::move(n));
  return cudaSuccess;
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData*,
                                                std::size_t count, unsigned flags) {
  if (const cudaError_t status = called("cudaStreamUpdateCaptureDependencies"); status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  const auto at = all().captures.find(stream);
  if (at == all().captures.end() || flags != cudaStreamSetCaptureDependencies) return noted(cudaErrorIllegalState);
  at->second.last = {nodes, nodes + count};
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* data) {
  if (const cudaError_t status = called("cudaLaunchHostFunc"); status != cudaSuccess) return status;
  if (node* const n = captured(stream, cudaGraphNodeTypeHost, "call")) {
    n->call = call;
    n->call_data = data;
  } else call(data);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          const cudaGraphEdgeData*, std::size_t count, cudaStreamCaptureMode) {
  if (const cudaError_t status = called("cudaStreamBeginCaptureToGraph"); status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  if (!all().captures.try_emplace(stream, capture_of_stream{graph, {after, after + count}}).second)
    return noted(cudaErrorIllegalState);
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t* into, const cudaGraphNode_t** last, const cudaGraphEdgeData**,
                                     std::size_t* count) {
  if (const cudaError_t failed = called("cudaStreamGetCaptureInfo"); failed != cudaSuccess) return failed;
  const std::lock_guard lock(all().mutex);
  const auto at = all().captures.find(stream);
  if (into && at != all().captures.end()) *into = at->second.graph;
  *status = at == all().captures.end() ? cudaStreamCaptureStatusNone : cudaStreamCaptureStatusActive;
  *last = at == all().captures.end() ? nullptr : at->second.last.data();
  *count = at == all().captures.end() ? 0 : at->second.last.size();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  const auto at = all().captures.find(stream);
  if (at == all().captures.end()) return noted(cudaErrorIllegalState);
  *graph = at->second.graph;
  all().captures.erase(at);  // also where the call fails
  return called("cudaStreamEndCapture");
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t n, cudaGraphNode_t* after, cudaGraphEdgeData*,
                                         std::size_t* count) {
  if (const cudaError_t status = called("cudaGraphNodeGetDependencies"); status != cudaSuccess) return status;
  const std::vector<cudaGraphNode_t>& found = node_of(n).after;
  if (after) std::copy_n(found.begin(), std::min(*count, found.size()), after);
  *count = found.size();
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, cudaGraphNodeType* type) {
  *type = node_of(n).type;
  return called("cudaGraphNodeGetType");
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* runnable, cudaGraph_t graph, unsigned long long) {
  if (const cudaError_t status = called("cudaGraphInstantiate"); status != cudaSuccess) return status;
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  static long next = 1;
  *runnable = handle<cudaGraphExec_t>(16 * next++);
  a.runnable[*runnable] = graph;
  a.made_ready = shown(graph);
  a.last_ready = graph;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return called("cudaGraphUpload"); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t stream) {
  if (const cudaError_t status = called("cudaGraphLaunch"); status != cudaSuccess) return status;
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  all().graph_launches.push_back(stream);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t runnable) {
  const own_memory own;
  const std::lock_guard lock(all().mutex);
  return all().runnable.erase(runnable) == 1 ? cudaSuccess : noted(cudaErrorInvalidValue);
}

// Kernels.
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return called("cudaFuncSetAttribute"); }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, const void*, int, std::size_t) {
  *count = 4;
  return called("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, const void*, int, std::size_t,
                                                                   unsigned) {
  *count = 4;
  return called("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
}
cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void*, const cudaLaunchConfig_t*) {
  *count = 16;
  return called("cudaOccupancyMaxActiveClusters");
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 blocks, dim3, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return launch(kernel, "cudaLaunchKernel", blocks, stream, arguments);
}
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void*, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  if (const cudaError_t status = called("cudaLibraryLoadData"); status != cudaSuccess) return status;
  *library = reinterpret_cast<cudaLibrary_t>(new char);  // stays loaded
  return cudaSuccess;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  if (const cudaError_t status = called("cudaLibraryGetKernel"); status != cudaSuccess) return status;
  all().kernels[library] = plain_name(name);
  *kernel = reinterpret_cast<cudaKernel_t>(library);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  return called("cudaFuncGetAttributes");
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) cluster = config->attrs[i].val.clusterDim.x;
  return launch(kernel, "cudaLaunchKernelExC", config->gridDim, config->stream, arguments, cluster);
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
