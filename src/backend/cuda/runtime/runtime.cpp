// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order between streams, memory, and facts of CUDA devices.
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/observe/trace.hpp>

#include "array/counted.hpp"
#include "backend/cuda/runtime/capture.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/matrix_products.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "backend/cuda/runtime/watch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lazyfuse {

namespace cuda_detail {

namespace {
/// Faults of a kernel that has been launched some time before; all further calls report them again.
bool is_fault(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
      return true;
    default:
      return false;
  }
}
}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // a failed launch must not be reported again by the next call
  std::string text = std::string(call) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
  if (const char* const program = trace_detail::launched_now()) text = ir::program_text(program) + ": " + text;
  text += place_asked();
  if (is_fault(status) && !trace_detail::environment().sync)
    text += "; a kernel launched before may be at fault: LAZYFUSE_SYNC=1 names it";
  if (status == cudaErrorMemoryAllocation) throw memory_error("cuda memory: " + text);
  throw cuda_error(static_cast<int>(status), text.c_str());
}

namespace {

/// Of one device, made at its first use and kept to the end of the program.
struct device_state {
  device_facts facts{};
  planning::machine costs{};
  cudaMemPool_t pool = nullptr;
};

/// Of the current device. Its properties take longer to ask for than the rest.
const char* device_name() {
  static std::once_flag once[most_devices];
  static const std::string* names[most_devices];  // never destroyed: something may be evaluated until the end
  const int d = current_device();
  std::call_once(once[d], [d] {
    cudaDeviceProp facts{};
    if (cudaGetDeviceProperties(&facts, d) != cudaSuccess) (void)cudaGetLastError();  // then all of them are alike
    names[d] = new std::string(std::string(facts.name) + " of " + std::to_string(facts.multiProcessorCount));
  });
  return names[d]->c_str();
}

device_state& state() {
  static std::once_flag once[most_devices];
  static device_state states[most_devices];
  const int d = current_device();
  std::call_once(once[d], [d] {
    device_state& s = states[d];
    check(cudaDeviceGetAttribute(&s.facts.processors, cudaDevAttrMultiProcessorCount, d), "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&s.facts.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, d),
          "cudaDeviceGetAttribute");
    int major = 0;
    check(cudaDeviceGetAttribute(&s.facts.shared_bytes_of_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, d),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&s.facts.reserved_bytes, cudaDevAttrReservedSharedMemoryPerBlock, d),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d), "cudaDeviceGetAttribute");
    int together = 0;
    check(cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, d), "cudaDeviceGetAttribute");
    s.facts.together = together != 0;
    // Eight fit on every chip that has clusters; sixteen want the groups of processors of a large one.
    s.facts.most_cluster = major < 9 ? 1 : s.facts.processors < 100 ? 8 : 16;
    check(cudaDeviceGetAttribute(&s.facts.cache_bytes, cudaDevAttrL2CacheSize, d), "cudaDeviceGetAttribute");
    const auto number = [d](cudaDeviceAttr what) {
      int value = 0;
      return cudaDeviceGetAttribute(&value, what, d) == cudaSuccess ? static_cast<double>(value) : 0.0;
    };
    s.costs = planning::gpu({number(cudaDevAttrMemoryClockRate), number(cudaDevAttrGlobalMemoryBusWidth),
                             static_cast<double>(s.facts.processors), number(cudaDevAttrClockRate)});
    s.costs.name = device_name;
    s.costs.products_per_us = products_per_us_and_more;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, d};
    if (!s.pool) check(cudaMemPoolCreate(&s.pool, &properties), "cudaMemPoolCreate");
    std::uint64_t keep = UINT64_MAX;  // freed memory stays with the pool instead of going back at each synchronisation
    check(cudaMemPoolSetAttribute(s.pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  });
  return states[d];
}

}  // namespace

bool capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

void order(cudaStream_t earlier, cudaStream_t later, int home) {
  const device_scope on_later(is_default(later) ? home : -1);
  if (capturing(later)) return;  // a graph runs where and when its owner launches it
  cudaEvent_t event;
  cudaError_t recorded;
  {
    const device_scope on_earlier(
        device_of_stream(earlier, home));  // an event belongs to a device; all can wait for it
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    recorded = cudaEventRecord(event, earlier);
  }
  const cudaError_t waited = recorded == cudaSuccess ? cudaStreamWaitEvent(later, event, 0) : cudaSuccess;
  (void)cudaEventDestroy(event);
  check(recorded, "cudaEventRecord");
  check(waited, "cudaStreamWaitEvent");
}

namespace {

std::mutex readers_mutex;
using reader_set = std::set<cudaStream_t>;
reader_set* readers_of(const allocation* a) {
  return static_cast<reader_set*>(memory_detail::readers_of(a).load(std::memory_order_acquire));
}
void set_readers(allocation* a, reader_set* r) { memory_detail::readers_of(a).store(r, std::memory_order_release); }

cudaStream_t stream_of(const allocation* a) {
  return static_cast<cudaStream_t>(memory_detail::stream_of(a).load(std::memory_order_acquire));
}

}  // namespace

void uses::wait_for(cudaStream_t earlier, int home) {
  const waited_for w{earlier, is_default(earlier) || is_default(stream_) ? home : -1};
  if (std::find(waited_.begin(), waited_.end(), w) != waited_.end()) return;
  order(earlier, stream_, home);
  waited_.push_back(w);
}

void uses::add(allocation* a, bool written, bool noted) {
  if (stream_of(a) == stream_ && !readers_of(a)) return;
  const std::lock_guard lock(readers_mutex);
  const cudaStream_t owner = stream_of(a);
  reader_set* readers = readers_of(a);
  if (owner != stream_) wait_for(owner, a->device);
  if (!written) {
    if (owner == stream_ || !noted) return;
    if (!readers) set_readers(a, readers = new reader_set);
    readers->insert(stream_);
    return;
  }
  if (readers) {
    for (const cudaStream_t r : *readers)
      if (r != stream_) wait_for(r, a->device);
    if (!noted) return;
    set_readers(a, nullptr);
    delete readers;
  }
  if (noted) memory_detail::stream_of(a).store(stream_, std::memory_order_release);
}

void use(allocation* a, bool written) {
  record_detail::refuse_computing("a kernel or call of one's own");
  use(a, written, current_stream());
}

std::set<cudaStream_t> take_readers(allocation* a) noexcept {
  const std::unique_ptr<reader_set> readers(readers_of(a));
  set_readers(a, nullptr);
  return readers ? std::move(*readers) : reader_set{};
}

const device_facts& device() { return state().facts; }
const planning::machine& this_machine() { return state().costs; }

void before(const planning::operand_info* info, int targets, int count) {
  check_devices(info, targets, count);
  if (rooms_now()) return;  // launches of the graph are in order with others
  uses all(current_stream());
  for (int i = 0; i < count; ++i)
    if (info[i].owner) all.add(info[i].owner, i < targets);
}

scratch scratch_for(std::size_t partial_bytes) {
  struct room {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  static std::mutex mutex;
  // By device and stream: kernels of one stream follow each other, so one at a time uses each.
  static std::map<std::pair<int, unsigned long long>, room> rooms;
  constexpr std::size_t ticket_bytes = ticket_count * sizeof(unsigned);
  if (capture_rooms* const rooms = rooms_now())
    return {rooms->next(ticket_bytes + partial_bytes, ticket_bytes), ticket_bytes, false};
  const cudaStream_t stream = current_stream();
  const auto fresh = [&](std::size_t bytes) {
    void* p = nullptr;
    check(cudaMallocFromPoolAsync(&p, bytes, state().pool, stream), "cudaMallocFromPoolAsync");
    if (const cudaError_t status = cudaMemsetAsync(p, 0, ticket_bytes, stream); status != cudaSuccess) {
      (void)cudaFreeAsync(p, stream);
      check(status, "cudaMemsetAsync");
    }
    return p;
  };
  if (capturing(stream)) {
    // a captured kernel may run beside others later: memory of its own, part of the graph
    return {fresh(ticket_bytes + partial_bytes), ticket_bytes, true};
  }
  unsigned long long id = 0;
  check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
  const std::lock_guard lock(mutex);
  room& r = rooms[{current_device(), id}];
  if (r.bytes < partial_bytes || !r.memory) {
    if (r.memory) check(cudaFreeAsync(r.memory, stream), "cudaFreeAsync");
    r = {};
    const std::size_t bytes = std::max<std::size_t>(partial_bytes, std::size_t{1} << 20);
    r.memory = fresh(ticket_bytes + bytes);
    r.bytes = bytes;
  }
  return {r.memory, ticket_bytes, false};
}

scratch scratch_of_its_own(std::size_t zero_bytes, std::size_t partial_bytes) {
  const cudaStream_t stream = current_stream();
  void* p = nullptr;
  capture_rooms* const rooms = rooms_now();
  if (rooms) p = rooms->next(zero_bytes + partial_bytes, 0);
  else check(cudaMallocFromPoolAsync(&p, zero_bytes + partial_bytes, state().pool, stream), "cudaMallocFromPoolAsync");
  scratch own(p, zero_bytes, !rooms);
  if (zero_bytes > 0 && !rehearsing()) check(cudaMemsetAsync(p, 0, zero_bytes, stream), "cudaMemsetAsync");
  return own;
}

scratch::~scratch() {
  if (captured_) (void)cudaFreeAsync(tickets, current_stream());  // fails only where the capture has failed
}

}  // namespace cuda_detail

namespace memory_detail {

namespace {

void wait_for_all_streams(int device) {
  try {
    const cuda_detail::device_scope scope(device);
    (void)cudaDeviceSynchronize();
  } catch (const error&) {  // only if the driver is gone; then there is nothing to wait for
  }
}
void wait_for_stream() { cuda_detail::check(cudaStreamSynchronize(current_stream()), "cudaStreamSynchronize"); }

constexpr std::size_t alignment = 256;  // cudaMalloc's

/// CUDA's stream-ordered allocator. Sizes are rounded up so that 16-byte reads stay inside.
struct pool_memory {
  static void* allocate(void*, std::size_t bytes, std::size_t align, stream_handle stream) {
    void* p = nullptr;
    const cudaError_t status =
        cudaMallocFromPoolAsync(&p, (bytes + align - 1) / align * align, cuda_detail::state().pool, stream.handle);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return nullptr;
    }
    cuda_detail::check(status, "cudaMallocFromPoolAsync");
    return p;
  }
  static void deallocate(void*, void* p, std::size_t, std::size_t, stream_handle stream) noexcept {
    // Fails only while the program ends and the driver is gone already.
    (void)cudaFreeAsync(p, stream.handle);
  }
  static bool equal(const void*, const void*) { return true; }
};

void release_cuda(allocation* a) noexcept {
  const auto owner = static_cast<cudaStream_t>(stream_of(a).load(std::memory_order_acquire));
  std::optional<cuda_detail::device_scope> scope;  // of where the memory goes back to
  try {
    scope.emplace(a->device);
    for (const cudaStream_t r : cuda_detail::take_readers(a)) cuda_detail::order(r, owner, a->device);
  } catch (...) {  // only if the driver is gone; then nobody reads
  }
  trace_detail::freed(a->bytes);
  a->source.table->deallocate(a->source.object, a->data, a->bytes, alignment, {owner});
  delete a;
}

void check_on_host(const void* p, const char* operation, caller where) {
  if (cuda_detail::attributes_of(p).type == cudaMemoryTypeDevice)
    throw_borrow(operation, "the memory is a GPU's; borrow<lf::cuda> takes it", where);
}

void device_is_used() {
  if (wait_for_device.load(std::memory_order_relaxed)) return;
  wait_for_all.store(wait_for_all_streams, std::memory_order_relaxed);
  check_host_pointer.store(check_on_host, std::memory_order_relaxed);
  cuda_detail::watch_launches();
  wait_for_device.store(cuda_detail::wait_for_thread,
                        std::memory_order_relaxed);  // nothing to wait for before the first array
}

}  // namespace

void wait(cuda, stream_handle stream) {
  (void)cudaStreamSynchronize(stream.handle);  // before memory is freed; fails only where it is lost anyway
}

allocation* allocate(cuda, std::size_t bytes, const memory_request& wanted) {
  device_is_used();
  const cuda_detail::device_scope scope(-1);
  const int d = cuda_detail::current_device();
  const resource_ref source = chosen(space_traits<cuda>::number, {nullptr, &table_of<pool_memory>});
  allocation* const a = allocate_from(source, cuda::name, bytes, alignment, {current_stream()}, release_cuda, wanted);
  a->device = d;
  if (source.table != &table_of<pool_memory> && several_devices(cuda{})) {
    handles<1> owner;  // gives it back if it is elsewhere
    owner.memory[0] = a;
    cuda_detail::check_resource(a->data, d, wanted.operation);
    owner.memory[0] = nullptr;
  }
  return a;
}

void check_place(cuda, const void* p, std::size_t align, const char* operation, caller where) {
  if (!p) throw_borrow(operation, "the pointer is null", where);
  if (reinterpret_cast<std::uintptr_t>(p) % align != 0)
    throw_borrow(operation, "the address is not a multiple of the alignment of the elements", where);
  device_is_used();
  const cudaPointerAttributes a = cuda_detail::attributes_of(p);
  if (a.type == cudaMemoryTypeUnregistered || !a.devicePointer)
    throw_borrow(operation, "the memory is the host's, where the GPU does not read it; borrow<lf::host> takes it",
                 where);
}

namespace {
void copy_on_stream(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cuda_detail::check(cudaMemcpyAsync(to, from, bytes, kind, current_stream()), "cudaMemcpyAsync");
}
}  // namespace

void copy(host, allocation*, void* to, cuda, const allocation* owner, const void* from, std::size_t bytes) {
  record_detail::refuse_reading("to<host>");
  const cuda_detail::device_scope scope(device_of(cuda{}, owner, from));
  if (owner) cuda_detail::use(const_cast<allocation*>(owner), false, current_stream());
  copy_on_stream(to, from, bytes, cudaMemcpyDeviceToHost);
  wait_for_stream();
}

void copy(cuda, allocation* owner, void* to, host, const allocation*, const void* from, std::size_t bytes) {
  const cuda_detail::device_scope scope(owner->device);
  cuda_detail::use(owner, true, current_stream());
  copy_on_stream(to, from, bytes, cudaMemcpyHostToDevice);
  wait_for_stream();
}

namespace {
/// Lets a device read the memory of another's pool where the two are connected, so that copies need not pass through
/// the host. Asked for once, and done without where it fails.
void open_pool(int device, int reader) {
  static std::atomic<bool> asked[cuda_detail::most_devices][cuda_detail::most_devices];
  if (asked[device][reader].exchange(true, std::memory_order_relaxed)) return;
  int possible = 0;
  if (cudaDeviceCanAccessPeer(&possible, reader, device) == cudaSuccess && possible) {
    const cuda_detail::device_scope scope(device);
    cudaMemAccessDesc access{};
    access.location = {cudaMemLocationTypeDevice, reader};
    access.flags = cudaMemAccessFlagsProtReadWrite;
    (void)cudaMemPoolSetAccess(cuda_detail::state().pool, &access, 1);
  }
  (void)cudaGetLastError();
}
}  // namespace

void copy(cuda, allocation* owner, void* to, cuda, const allocation* from_owner, const void* from, std::size_t bytes) {
  record_detail::refuse_computing("a copy of elements that others share, or to another GPU");
  const cuda_detail::device_scope scope(owner->device);
  const int source = from_owner->device;
  open_pool(source, owner->device);
  // The handle of a default stream is the same on both devices and would not tell them apart.
  const cudaStream_t chosen = current_stream();
  const cudaStream_t stream = cuda_detail::is_default(chosen) ? cuda_detail::own_stream() : chosen;
  cuda_detail::uses both(stream);
  both.add(const_cast<allocation*>(from_owner), false);
  both.add(owner, true);
  cuda_detail::check(cudaMemcpyPeerAsync(to, owner->device, from, source, bytes, stream), "cudaMemcpyPeerAsync");
}

void zero(cuda, allocation* owner, void* to, std::size_t bytes) {
  const cuda_detail::device_scope scope(owner->device);
  cuda_detail::use(owner, true, current_stream());
  cuda_detail::check(cudaMemsetAsync(to, 0, bytes, current_stream()), "cudaMemsetAsync");
}

}  // namespace memory_detail

}  // namespace lazyfuse
