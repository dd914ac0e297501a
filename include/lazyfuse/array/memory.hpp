// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted memory and where it comes from. Arrays and expressions hold handles (expr/lazy.hpp), and the count decides
// who may write in place (copy-on-write).
#pragma once

#include <lazyfuse/array/resource.hpp>
#include <lazyfuse/expr/lazy.hpp>

#include <atomic>

namespace lazyfuse {

/// One allocation and who uses it. In CUDA space also: the stream whose work it is ordered with.
struct allocation {
  std::atomic<long> owners{1};
  void* data = nullptr;
  std::size_t bytes = 0;
  void (*release)(allocation*) noexcept = nullptr;
  std::atomic<void*> stream{nullptr};
  std::atomic<void*> readers{nullptr};  ///< other streams that still read it (CUDA space)
  resource_ref source;                  ///< gave the memory and takes it back
  bool foreign = false;  ///< somebody else's, who is told when nobody uses it any more: no array holds it
};

/// How many handles there are to the memory of one, itself included; 0 for none.
inline long owners(const handles<1>& h) noexcept {
  return h.memory[0] ? h.memory[0]->owners.load(std::memory_order_acquire) : 0;
}

namespace memory_detail {
/// What synchronize() calls; set by the CUDA library when it is linked and used.
extern std::atomic<void (*)()> wait_for_device;
/// Waits for all streams of the device; set likewise.
extern std::atomic<void (*)()> wait_for_all;

/// Throws borrow_error if p is memory of a GPU; set by the CUDA library, as above.
extern std::atomic<void (*)(const void* p, const char* operation, caller where)> check_host_pointer;

/// New memory of a space, uninitialised; throws memory_error. CUDA: ordered with the current stream.
allocation* allocate(host, std::size_t bytes, const memory_request& wanted);
allocation* allocate(cuda, std::size_t bytes, const memory_request& wanted);
/// What both have in common: bytes from r, or memory_error.
allocation* allocate_from(const resource_ref& r, const char* space, std::size_t bytes, std::size_t alignment,
                          stream_handle stream, void (*release)(allocation*) noexcept, const memory_request& wanted);
/// Throws borrow_error unless memory of others at p can be read and written in the space: there, and aligned.
void check_place(host, const void* p, std::size_t alignment, const char* operation, caller where);
void check_place(cuda, const void* p, std::size_t alignment, const char* operation, caller where);
/// Copies bytes between or within spaces; waits only where the host must see the result.
void copy(host, void* to, host, const allocation* owner, const void* from, std::size_t bytes);
void copy(host, allocation* owner, void* to, const void* from, std::size_t bytes);
void copy(host, void* to, cuda, const allocation* owner, const void* from, std::size_t bytes);
void copy(cuda, allocation* owner, void* to, const void* from, std::size_t bytes);
/// Makes all bytes zero.
void zero(host, allocation* owner, void* to, std::size_t bytes);
void zero(cuda, allocation* owner, void* to, std::size_t bytes);
}  // namespace memory_detail

/// Waits until the calling thread's work is done: nothing to wait for on the host, its current stream on the GPU.
void synchronize();

}  // namespace lazyfuse
