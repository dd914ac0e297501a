// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors on the GPU: the order between our streams and those of others.
#include "array/counted.hpp"

#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/interop/dlpack.hpp>

#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"

#include <memory>
#include <new>
#include <string>

namespace lazyfuse::dlpack_detail {

namespace {

void check_stream(dlpack::stream s, const char* operation, caller where) {
  if (s.number == 0)
    throw_borrow(operation, "stream 0 may be either default stream: say dlpack::legacy (1) or dlpack::per_thread (2)",
                 where);
  if (s.number < -1) throw_borrow(operation, "there is no such stream", where);
}
/// CUDA's handles of its default streams are DLPack's numbers.
cudaStream_t handle_of(dlpack::stream s) {
  return reinterpret_cast<cudaStream_t>(s.number);  // NOLINT(performance-no-int-to-ptr)
}

struct foreign_memory : allocation {
  void (*end)(void*) = nullptr;
  void* object = nullptr;
  cudaStream_t home = nullptr;  ///< null: there is none that could wait
};

void release(allocation* a) noexcept {
  const std::unique_ptr<foreign_memory> f(static_cast<foreign_memory*>(a));
  auto streams = cuda_detail::take_readers(a);
  try {
    streams.insert(static_cast<cudaStream_t>(memory_detail::stream_of(a).load(std::memory_order_acquire)));
    for (const cudaStream_t s : streams) {
      if (!f->home) (void)cudaStreamSynchronize(s);
      else if (s != f->home) cuda_detail::order(s, f->home, a->device);
    }
  } catch (...) {  // only if the driver is gone; then nobody reads
  }
  f->end(f->object);
}

}  // namespace

dlpack::device place_of(cuda, const void* data) {
  int id = 0;
  if (data) id = cuda_detail::attributes_of(data).device;
  else cuda_detail::check(cudaGetDevice(&id), "cudaGetDevice");
  return {dlpack::device_type::cuda, id};
}

void hand_over(cuda, allocation* a, dlpack::stream s, caller where) {
  check_stream(s, "to_dlpack", where);
  if (!a || s.number == dlpack::no_sync.number) return;
  // alone in having it, who takes it may write
  const bool written = memory_detail::owners_of(a).load(std::memory_order_acquire) == 1;
  cuda_detail::uses(handle_of(s)).add(a, written, s.number != dlpack::per_thread.number);
}

allocation* adopt(cuda, const dlpack::tensor& t, void* data, void (*end)(void*), void* object, dlpack::stream s,
                  caller where) {
  check_stream(s, "from_dlpack", where);
  int home = -1;  // managed and pinned memory is of all devices
  if (t.device.type == dlpack::device_type::cuda) {
    home = t.device.id;
    const cudaPointerAttributes a = data ? cuda_detail::attributes_of(data) : cudaPointerAttributes{};
    const int there = a.type == cudaMemoryTypeDevice ? a.device : home;
    if (home < 0 || home >= cuda_detail::device_count() || there != home)
      throw_borrow("from_dlpack",
                   ("the tensor claims CUDA device " + std::to_string(home) +
                    (there != home ? ", but its memory is on device " + std::to_string(there)
                                   : ", but there are only " + std::to_string(cuda_detail::device_count())))
                       .c_str(),
                   where);
  }
  const cuda_detail::device_scope scope(home);
  std::unique_ptr<foreign_memory> f(new (std::nothrow) foreign_memory);
  if (!f) throw memory_error("from_dlpack: could not allocate a handle");
  f->data = data;
  f->foreign = true;
  f->device = home;
  f->end = end;
  f->object = object;
  f->release = release;
  const cudaStream_t here = current_stream();
  const bool own_order = s.number != dlpack::no_sync.number && s.number != dlpack::per_thread.number;
  if (s.number == dlpack::per_thread.number) cuda_detail::order(handle_of(s), here, home);
  if (own_order) f->home = handle_of(s);
  memory_detail::stream_of(f.get()).store(own_order ? f->home : here, std::memory_order_release);
  return f.release();
}

}  // namespace lazyfuse::dlpack_detail
