// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches as others see them: ranges by NVTX, times by events, faults by waiting for the stream.
#include "backend/cuda/runtime/watch.hpp"

#include "backend/cuda/runtime/order.hpp"

#include <lazyfuse/backend/cuda/runtime/runtime.hpp>

#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace lazyfuse::cuda_detail {

namespace {

nvtxDomainHandle_t domain = nullptr;

/// Names are made and registered once for each program.
nvtxStringHandle_t name_of_range(const char* program) {
  static std::mutex mutex;
  static std::map<const char*, nvtxStringHandle_t> names;
  const std::lock_guard lock(mutex);
  auto& name = names[program];
  if (!name) name = nvtxDomainRegisterStringA(domain, ir::short_program_text(program).c_str());
  return name;
}

void enter(const char* program) noexcept {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  try {
    range.message.registered = name_of_range(program);
  } catch (...) {  // no memory for a name: the range is still one
    range.messageType = NVTX_MESSAGE_TYPE_ASCII;
    range.message.ascii = "lazyfuse";
  }
  nvtxDomainRangePushEx(domain, &range);
}
void leave() noexcept { nvtxDomainRangePop(domain); }

/// Two events around a kernel.
struct stopwatch {
  cudaEvent_t begin = nullptr, end = nullptr;
  ~stopwatch() {
    if (begin) (void)cudaEventDestroy(begin);
    if (end) (void)cudaEventDestroy(end);
  }
};

void* start() noexcept {
  try {
    const cudaStream_t stream = current_stream();
    if (capturing(stream)) return nullptr;
    auto watch = std::make_unique<stopwatch>();
    check(cudaEventCreate(&watch->begin), "cudaEventCreate");
    check(cudaEventCreate(&watch->end), "cudaEventCreate");
    check(cudaEventRecord(watch->begin, stream), "cudaEventRecord");
    return watch.release();
  } catch (...) {  // the launch itself will say what is wrong
    return nullptr;
  }
}
double stop(void* started) {
  const auto& watch = *static_cast<stopwatch*>(started);
  check(cudaEventRecord(watch.end, current_stream()), "cudaEventRecord");
  check(cudaEventSynchronize(watch.end), "cudaEventSynchronize");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, watch.begin, watch.end), "cudaEventElapsedTime");
  return static_cast<double>(ms) * 1000;
}
void drop(void* started) noexcept { delete static_cast<stopwatch*>(started); }

void wait() {
  const cudaStream_t stream = current_stream();
  if (!capturing(stream)) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// The driver's cuMemGetAddressRange: the base of an address, and the bytes from there.
using range_finder = int (*)(unsigned long long* base, std::size_t* bytes, unsigned long long address);
bool find(const void* p, const char** begin, std::size_t* bytes) noexcept {
  static const auto finder = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, 12000, cudaEnableDefault, &found);
    (void)cudaGetLastError();
    return status == cudaSuccess ? reinterpret_cast<range_finder>(function) : nullptr;
  }();
  unsigned long long base = 0;
  if (!finder || finder(&base, bytes, reinterpret_cast<std::uintptr_t>(p)) != 0) return false;
  *begin = static_cast<const char*>(p) - (reinterpret_cast<std::uintptr_t>(p) - base);
  return true;
}

/// Memory of the host that kernels write to; one for each thread, which has launched one kernel at a time.
class report_room {
 public:
  ir::overrun* of(int count) {
    if (size_ < count) {
      if (reports_) (void)cudaFreeHost(reports_);
      reports_ = nullptr;
      size_ = 0;
      void* p = nullptr;
      check(cudaHostAlloc(&p, sizeof(ir::overrun) * static_cast<std::size_t>(count), cudaHostAllocMapped),
            "cudaHostAlloc");
      reports_ = static_cast<ir::overrun*>(p);
      size_ = count;
    }
    for (int i = 0; i < count; ++i) new (reports_ + i) ir::overrun;
    return reports_;
  }
  ~report_room() {
    if (reports_) (void)cudaFreeHost(reports_);
  }

 private:
  ir::overrun* reports_ = nullptr;
  int size_ = 0;
};
ir::overrun* reports(int count) {
  if (capturing(current_stream())) return nullptr;  // nobody will wait for the kernel
  thread_local report_room room;
  return room.of(count);
}

}  // namespace

void watch_launches() {
  static std::once_flag once;
  std::call_once(once, [] {
    domain = nvtxDomainCreateA("lazyfuse");  // null without a tool
    static const trace_detail::device_watch calls{
        domain ? enter : nullptr, leave, start, stop, drop, wait, find, reports};
    trace_detail::device.store(&calls, std::memory_order_release);
  });
}

}  // namespace lazyfuse::cuda_detail
