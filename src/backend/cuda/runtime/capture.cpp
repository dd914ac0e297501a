// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this thread captures, and its scratch memory.
#include "backend/cuda/runtime/capture.hpp"

#include "backend/cuda/runtime/devices.hpp"

#include <lazyfuse/error.hpp>

namespace lazyfuse::cuda_detail {

namespace {
constinit thread_local capture_rooms* captured_rooms = nullptr;
constinit thread_local bool only_rehearses_now = false;
}  // namespace

capture_rooms* rooms_now() noexcept { return captured_rooms; }
bool rehearsing() noexcept { return only_rehearses_now; }
capture_scope::capture_scope(capture_rooms& rooms, bool only_rehearses) noexcept {
  rooms.rewind();
  captured_rooms = &rooms;
  only_rehearses_now = only_rehearses;
}
capture_scope::~capture_scope() {
  captured_rooms = nullptr;
  only_rehearses_now = false;
}

void* capture_rooms::next(std::size_t bytes, std::size_t zero_bytes) {
  if (next_ < rooms_.size()) {
    if (rooms_[next_].memory[0]->bytes < bytes)
      throw graph_error("a kernel wants more memory between its blocks than when its graph was recorded");
    return rooms_[next_++].memory[0]->data;
  }
  const on scope(own_stream());  // which is not captured
  handles<1>& room = rooms_.emplace_back();
  const auto extent = static_cast<index_t>(bytes);
  try {
    room.memory[0] = memory_detail::allocate(cuda{}, bytes, {"graph", dtype::uint8, &extent, 1});
    if (zero_bytes > 0)
      check(cudaMemsetAsync(room.memory[0]->data, 0, zero_bytes, current_stream()), "cudaMemsetAsync");
  } catch (...) {
    rooms_.pop_back();
    throw;
  }
  ++next_;
  return room.memory[0]->data;
}

}  // namespace lazyfuse::cuda_detail
