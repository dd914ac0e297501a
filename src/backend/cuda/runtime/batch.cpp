// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches on the GPU: their tables are copied there, and streams that use a batch are in order with those that use its
// arrays.
#include "array/counted.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "batch/held.hpp"

#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/error.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace lazyfuse::batch_detail {

namespace {

/// Whoever used this used all that it stands for.
void release_held(allocation* a) noexcept {
  const std::unique_ptr<standing_for> all(static_cast<standing_for*>(a));
  try {
    auto streams = cuda_detail::take_readers(a);
    streams.insert(static_cast<cudaStream_t>(memory_detail::stream_of(a).load(std::memory_order_acquire)));
    for (auto* const stream : streams) {
      cuda_detail::uses reads(stream);
      for (allocation* const one : all->held) reads.add(one, false);
    }
  } catch (...) {  // only if the driver is gone; then nobody reads
  }
}

/// Memory of the host that CUDA reads when it copies, and not before: where it reads pages of the host itself.
bool copies_late() {
  int device = 0, by_pages = 0;
  cuda_detail::check(cudaGetDevice(&device), "cudaGetDevice");
  cuda_detail::check(cudaDeviceGetAttribute(&by_pages, cudaDevAttrPageableMemoryAccessUsesHostPageTables, device),
                     "cudaDeviceGetAttribute");
  return by_pages != 0;
}

int common_device(const members& m) {
  const bool several = memory_detail::several_devices(cuda{});
  int device = -1;  // as of arrays without elements
  index_t first = 0;
  for (index_t i = 0; i < m.count && (several || device < 0); ++i) {
    const member one = m.at(m.all, i);
    const int here = memory_detail::device_of(cuda{}, one.owner, one.first);
    if (here < 0) continue;
    if (device >= 0 && here != device)
      throw device_error("batch: array " + std::to_string(first) + " is on device " + std::to_string(device) +
                         ", array " + std::to_string(i) + " on device " + std::to_string(here) +
                         "; copy one of them with to(x, device{...})");
    if (device < 0) first = i;
    device = here;
  }
  return device;
}

}  // namespace

allocation* table_of(cuda, const members& m) {
  const cuda_detail::device_scope scope(common_device(m));
  auto table = std::make_unique<standing_for>();
  table->hold_all(m);
  const std::size_t bytes = table->table.size();
  const handles<1> memory = [&] {
    handles<1> h;
    h.memory[0] = memory_detail::allocate(cuda{}, bytes, {"batch", dtype_of<uint64>, &m.count, 1});
    return h;
  }();
  allocation* const there = memory.memory[0];
  memory_detail::copy(cuda{}, there, there->data, host{}, nullptr, table->table.data(), bytes);
  table->table = {};
  table->hold(there);
  auto* const stream = current_stream();
  cuda_detail::uses reads(stream);
  for (allocation* const one : table->held) reads.add(one, false);
  table->data = there->data;
  table->device = there->device;
  table->stream = stream;
  table->release = release_held;
  return table.release();
}

void* stream_of_thread(cuda) { return current_stream(); }

bool captured(cuda, const allocation* of) {
  const cuda_detail::device_scope scope(of->device);
  return cuda_detail::capturing(current_stream());
}

allocation* copy_of(cuda, const void* from, std::size_t bytes, const char* operation) {
  auto* const stream = current_stream();
  if (cuda_detail::capturing(stream))
    throw error(std::string(operation) +
                ": what it was given is copied to the GPU, which a captured stream cannot do; call it outside of the "
                "capture");
  const auto extent = static_cast<index_t>(bytes);
  handles<1> to;
  to.memory[0] = memory_detail::allocate(cuda{}, bytes, {operation, dtype_of<uint8>, &extent, 1});
  // Of memory that it does not know the runtime has taken what it copies when it returns; up to 64 KB it takes without
  // waiting for the stream.
  constexpr std::size_t at_once = 64 << 10;
  for (std::size_t done = 0; done < bytes; done += at_once)
    cuda_detail::check(
        cudaMemcpyAsync(static_cast<char*>(to.memory[0]->data) + done, static_cast<const char*>(from) + done,
                        std::min(at_once, bytes - done), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  if (copies_late()) cuda_detail::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return std::exchange(to.memory[0], nullptr);
}

std::vector<allocation*> parts_of(cuda, allocation* whole, index_t count, std::size_t apart, std::size_t bytes) {
  std::vector<allocation*> parts = parts_of(host{}, whole, count, apart, bytes);
  for (allocation* const part : parts) {
    part->device = whole->device;
    part->stream = memory_detail::stream_of(whole).load(std::memory_order_acquire);
    part->release = release_held;
  }
  return parts;
}

}  // namespace lazyfuse::batch_detail
