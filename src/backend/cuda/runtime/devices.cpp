// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices of the machine, and the streams of each thread on them.
#include "backend/cuda/runtime/devices.hpp"

#include "backend/cuda/runtime/order.hpp"
#include "core/text.hpp"
#include "program/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/observe/trace.hpp>
#include <lazyfuse/plan/placement.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace lazyfuse {

namespace {

/// Streams of threads that have ended, for those to come: work on a stream may outlive the thread that gave it.
/// CUDA's own per-thread stream would not do: its one handle means another stream in every thread.
struct stream_store {
  std::mutex mutex;
  std::vector<cudaStream_t> idle[cuda_detail::most_devices];
};
stream_store& store() {
  static stream_store* const s = new stream_store;  // never destroyed: threads may end after static objects
  return *s;
}

/// The calling thread's own streams, one for each device that it has worked on.
class thread_streams {
 public:
  /// The device is the current one.
  cudaStream_t of(int device) {
    cudaStream_t& stream = streams_[device];
    if (!stream) {
      const std::lock_guard lock(store().mutex);
      auto& idle = store().idle[device];
      if (idle.empty()) cuda_detail::check(cudaStreamCreate(&stream), "cudaStreamCreate");
      else {
        stream = idle.back();
        idle.pop_back();
      }
    }
    return stream;
  }
  void wait() const {
    for (const cudaStream_t s : streams_)
      if (s) cuda_detail::check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
  }
  ~thread_streams() {
    for (int d = 0; d < cuda_detail::most_devices; ++d)
      if (streams_[d]) {
        const std::lock_guard lock(store().mutex);
        store().idle[d].push_back(streams_[d]);
      }
  }

 private:
  cudaStream_t streams_[cuda_detail::most_devices] = {};
};

thread_local thread_streams own_streams;
constinit thread_local cudaStream_t chosen_stream = nullptr;
constinit thread_local int chosen_device = -1;  // of that stream, if it has one of its own
constinit thread_local int scope_device = -1;   // of the innermost scope

/// Counted once; -1 before.
constinit std::atomic<int> devices = -1;

}  // namespace

cudaStream_t current_stream() {
  if (chosen_stream && (scope_device < 0 || chosen_device < 0 || chosen_device == scope_device)) return chosen_stream;
  return own_streams.of(cuda_detail::current_device());
}
on::on(cudaStream_t stream) : outer_(chosen_stream), outer_device_(chosen_device) {
  chosen_device = stream ? cuda_detail::device_of_stream(stream, -1) : -1;
  chosen_stream = stream;
}
on::~on() {
  chosen_stream = outer_;
  chosen_device = outer_device_;
}

namespace memory_detail {

device_scope<cuda>::device_scope(int device) {
  if (!several_devices(cuda{})) return;
  const int now = cuda_detail::current_device();
  device_ = device >= 0 ? device : scope_device < 0 && chosen_device >= 0 ? chosen_device : now;
  if (device_ != now) {
    cuda_detail::check(cudaSetDevice(device_), "cudaSetDevice");
    restored_ = now;
  }
  outer_ = scope_device;
  scope_device = device_;
  entered_ = true;
}
device_scope<cuda>::~device_scope() {
  if (!entered_) return;
  scope_device = outer_;
  if (restored_ >= 0) (void)cudaSetDevice(restored_);  // was the current one, so it can be set
}

bool several_devices(cuda) { return cuda_detail::device_count() > 1; }

int device_of(cuda, const allocation* owner, const void* data) {
  if (owner) return owner->device;
  if (!data || !several_devices(cuda{})) return -1;
  const cudaPointerAttributes a = cuda_detail::attributes_of(data);
  return a.type == cudaMemoryTypeDevice ? a.device : -1;  // managed and pinned memory is of all devices
}

void check_device(int device, const char* operation, caller where) {
  const int count = cuda_detail::device_count();
  if (device >= 0 && device < count) return;
  const asked_at at(where);
  throw device_error(std::string(operation) + ": there is no device " + std::to_string(device) + "; the last of " +
                     std::to_string(count) + " is device " + std::to_string(count - 1) + place_asked());
}

}  // namespace memory_detail

namespace planning::placement_detail {

int device_of(const planning::leaf_record* leaves, int count, const char* operation) {
  int found = -1;
  for (int i = 0; i < count && (found < 0 || operation); ++i) {
    if (leaves[i].type->element_size == 0) continue;
    const planning::leaf_view v = leaves[i].type->see(leaves[i].leaf);
    const int d = memory_detail::device_of(cuda{}, v.owner, v.data);
    if (found >= 0 && d >= 0 && d != found)
      throw device_error(std::string(operation) + ": the expression reads arrays on device " + std::to_string(found) +
                         " and on device " + std::to_string(d) + "; copy some of them with to(x, device{" +
                         std::to_string(found) + "})" + place_asked());
    if (found < 0) found = d;
  }
  return found;
}

}  // namespace planning::placement_detail

namespace cuda_detail {

int device_count() {
  int n = devices.load(std::memory_order_relaxed);
  if (n >= 0) return n;
  check(cudaGetDeviceCount(&n), "cudaGetDeviceCount");
  if (n > most_devices) n = most_devices;
  devices.store(n, std::memory_order_relaxed);
  return n;
}

int current_device() {
  if (scope_device >= 0) return scope_device;
  if (!memory_detail::several_devices(cuda{})) return 0;
  int d = 0;
  check(cudaGetDevice(&d), "cudaGetDevice");
  if (d >= most_devices)
    throw device_error("CUDA device " + std::to_string(d) + " is beyond the " + std::to_string(most_devices) +
                       " that lazyfuse uses");
  return d;
}

cudaPointerAttributes attributes_of(const void* p) {
  cudaPointerAttributes a{};
  check(cudaPointerGetAttributes(&a, p), "cudaPointerGetAttributes");
  return a;
}

bool is_default(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }

int device_of_stream(cudaStream_t stream, int home) {
  if (is_default(stream)) return home;
  if (!memory_detail::several_devices(cuda{})) return -1;
  if (capturing(stream)) return -1;  // CUDA does not say; the arrays decide
  int d = -1;
  check(cudaStreamGetDevice(stream, &d), "cudaStreamGetDevice");
  return d;
}

namespace {

[[noreturn]] void refuse(const std::string& text) {
  const char* const program = trace_detail::launched_now();
  throw device_error((program ? ir::program_text(program) + ": " : std::string()) + text + place_asked());
}
std::string on_device(int d) { return "on device " + std::to_string(d); }

}  // namespace

void check_devices(const planning::operand_info* info, int targets, int count) {
  if (!memory_detail::several_devices(cuda{})) return;
  const int here = current_device();
  int first = -1, first_device = -1;  // from the operands on: they decide, and the result follows them
  for (int n = 0; n < count; ++n) {
    const int i = (n + targets) % count;
    if (info[i].element_size + info[i].mapped_size == 0) continue;
    const int d = memory_detail::device_of(cuda{}, info[i].owner, info[i].data);
    if (d < 0) continue;
    if (chosen_device >= 0 && d != chosen_device)
      refuse(ir::name_of_operand(i, targets) + " is " + on_device(d) + ", and the stream given by on() is " +
             on_device(chosen_device));
    if (first < 0) {
      first = i;
      first_device = d;
    } else if (d != first_device)
      refuse(ir::name_of_operand(first, targets) + " is " + on_device(first_device) + ", " +
             ir::name_of_operand(i, targets) + " " + on_device(d) + "; copy one of them with " +
             (i < targets ? "to(e, device{" + std::to_string(d) : "to(x, device{" + std::to_string(first_device)) +
             "})");
  }
  if (first >= 0 && first_device != here)
    refuse(ir::name_of_operand(first, targets) + " is " + on_device(first_device) +
           ", and the expression is evaluated " + on_device(here));
}

void check_resource(const void* data, int device, const char* operation) {
  const int d = memory_detail::device_of(cuda{}, nullptr, data);
  if (d >= 0 && d != device)
    throw device_error(std::string(operation) + ": the memory resource gave memory " + on_device(d) + " for an array " +
                       on_device(device) + place_asked());
}

cudaStream_t own_stream() { return own_streams.of(current_device()); }

void wait_for_thread() {
  if (chosen_stream) check(cudaStreamSynchronize(chosen_stream), "cudaStreamSynchronize");
  own_streams.wait();  // copies to other devices are in those
}

}  // namespace cuda_detail

}  // namespace lazyfuse
