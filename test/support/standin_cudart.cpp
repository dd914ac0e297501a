// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the CUDA runtime that the library and its tests call. What is missing here the linker takes from the
// true runtime, and complains of functions that are there twice.
#include "standin_cudart.hpp"

#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace {

struct everything {
  std::recursive_mutex mutex;
  std::map<const void*, std::string> kernels;    // by the function of the host that stands for them
  std::map<std::uintptr_t, std::size_t> blocks;  // by address
  std::vector<std::string> launched;
  std::string failed;
  long calls = 0, fails = 0, faults = 0, events = 0, streams = 0, pools = 0, next_stream = 1;
  cudaError_t error = cudaSuccess, fault = cudaSuccess, last = cudaSuccess;
  bool faulted = false;
};
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
  name.erase(std::min(name.find('<'), name.find('(')));
  if (const auto start = name.find_last_of(": "); start != std::string::npos) name.erase(0, start + 1);
  return name;
}

cudaError_t get(void** p, std::size_t bytes, const char* name) {
  if (const cudaError_t status = called(name, true); status != cudaSuccess) return status;
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  *p = bytes > (std::size_t{1} << 40) ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!*p) return noted(cudaErrorMemoryAllocation);
  std::memset(*p, 1, bytes);
  a.blocks[reinterpret_cast<std::uintptr_t>(*p)] = bytes;
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

cudaError_t launch(const void* kernel, const char* name) {
  if (const cudaError_t status = called(name); status != cudaSuccess) return status;
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  const auto known = a.kernels.find(kernel);
  if (known == a.kernels.end()) return noted(cudaErrorInvalidDeviceFunction);
  a.launched.push_back(known->second);
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
balance live() {
  const everything& a = all();
  long bytes = 0;
  for (const auto& [address, size] : a.blocks) bytes += static_cast<long>(size);
  return {static_cast<long>(a.blocks.size()), bytes, a.events, a.streams, a.pools};
}
void reset() {
  const own_memory own;
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  a.calls = a.fails = a.faults = 0;
  a.launched.clear();
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
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*) { return cudaSuccess; }
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return launch(kernel, "cudaLaunchKernel");
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

// The device: the facts of an H200.
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return called("cudaGetDeviceCount");
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return called("cudaGetDevice");
}
cudaError_t cudaDeviceSynchronize() { return called("cudaDeviceSynchronize"); }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  switch (what) {
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
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
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  const cudaError_t status = called("cudaMemPoolCreate");
  if (status == cudaSuccess) *pool = handle<cudaMemPool_t>(++all().pools);
  return status;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return called("cudaMemPoolSetAttribute"); }
cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return get(p, bytes, "cudaMallocFromPoolAsync");
}
cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t) { return get(p, bytes, "cudaMallocAsync"); }
cudaError_t cudaMalloc(void** p, std::size_t bytes) { return get(p, bytes, "cudaMalloc"); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return give_back(p); }
cudaError_t cudaFree(void* p) { return give_back(p); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  const cudaError_t status = called("cudaMemcpyAsync");
  if (status == cudaSuccess) std::memcpy(to, from, bytes);
  return status;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  const cudaError_t status = called("cudaMemsetAsync");
  if (status == cudaSuccess) std::memset(to, value, bytes);
  return status;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  *attributes = {};
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  auto block = a.blocks.upper_bound(address);
  if (block != a.blocks.begin() && address < (--block)->first + block->second) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(p);
  }
  return called("cudaPointerGetAttributes");
}

cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) { return get(p, bytes, "cudaHostAlloc"); }
cudaError_t cudaFreeHost(void* p) { return give_back(p); }
static int address_range(unsigned long long* base, std::size_t* bytes, unsigned long long address) {
  everything& a = all();
  const std::lock_guard lock(a.mutex);
  auto block = a.blocks.upper_bound(address);
  if (block == a.blocks.begin() || address >= (--block)->first + block->second) return 1;
  *base = block->first;
  *bytes = block->second;
  return 0;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult*) {
  *function = reinterpret_cast<void*>(&address_range);
  return called("cudaGetDriverEntryPointByVersion");
}

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  const cudaError_t status = called("cudaStreamCreate");
  if (status == cudaSuccess) *stream = handle<cudaStream_t>(16 * all().next_stream++), ++all().streams;
  return status;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  --all().streams;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(stream);
  return called("cudaStreamGetId");
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return called("cudaStreamIsCapturing");
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return called("cudaStreamSynchronize"); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return called("cudaStreamWaitEvent"); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const cudaError_t status = called("cudaEventCreateWithFlags");
  if (status == cudaSuccess) *event = handle<cudaEvent_t>(16), ++all().events;
  return status;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t) {
  --all().events;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return called("cudaEventRecord"); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return called("cudaEventSynchronize"); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.25F;
  return called("cudaEventElapsedTime");
}

// Kernels.
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return called("cudaFuncSetAttribute"); }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, const void*, int, std::size_t) {
  *count = 4;
  return called("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}
cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void*, const cudaLaunchConfig_t*) {
  *count = 16;
  return called("cudaOccupancyMaxActiveClusters");
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return launch(kernel, "cudaLaunchKernel");
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void* kernel, void**) {
  return launch(kernel, "cudaLaunchKernelExC");
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
