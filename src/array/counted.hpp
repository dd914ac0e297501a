// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of allocations that threads share, and what the CUDA library adds to the host's. Headers do without
// <atomic>, which would be a tenth of what they take to compile.
#pragma once

#include <lazyfuse/array/memory.hpp>

#include <atomic>

namespace lazyfuse::memory_detail {

inline std::atomic_ref<long> owners_of(const allocation* a) {
  return std::atomic_ref(const_cast<allocation*>(a)->owners);
}
inline std::atomic_ref<void*> stream_of(const allocation* a) {
  return std::atomic_ref(const_cast<allocation*>(a)->stream);
}
inline std::atomic_ref<void*> readers_of(const allocation* a) {
  return std::atomic_ref(const_cast<allocation*>(a)->readers);
}

/// What synchronize() calls; set by the CUDA library when it is linked and used.
extern std::atomic<void (*)()> wait_for_device;
/// Waits for all streams of a device; set likewise.
extern std::atomic<void (*)(int device)> wait_for_all;
/// Throws borrow_error if p is memory of a GPU; set by the CUDA library, as above.
extern std::atomic<void (*)(const void* p, const char* operation, caller where)> check_host_pointer;

}  // namespace lazyfuse::memory_detail
