// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted memory and where it comes from. Arrays and expressions hold handles (expr/lazy.hpp), and the count decides
// who may write in place (copy-on-write).
#pragma once

#include <lazyfuse/core/space.hpp>
#include <lazyfuse/expr/lazy.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>

namespace lazyfuse {

/// One allocation and who uses it. In CUDA space also: the stream whose work it is ordered with.
struct allocation {
  std::atomic<long> owners{1};
  void* data = nullptr;
  std::size_t bytes = 0;
  void (*release)(allocation*) noexcept = nullptr;
  std::atomic<void*> stream{nullptr};
  std::atomic<void*> readers{nullptr};  ///< other streams that still read it (CUDA space)
};

/// How many handles there are to the memory of one, itself included; 0 for none.
inline long owners(const handles<1>& h) noexcept {
  return h.memory[0] ? h.memory[0]->owners.load(std::memory_order_acquire) : 0;
}

/// A resource allocates and frees bytes, ordered with a stream in CUDA space (null on the host).
template <class R>
concept memory_resource = requires(R& r, std::size_t bytes, void* p, void* stream) {
  { r.allocate(bytes, stream) } -> std::same_as<void*>;
  r.deallocate(p, bytes, stream);
};

namespace memory_detail {
struct resource_table {
  void* object;
  void* (*allocate)(void*, std::size_t, void*);
  void (*deallocate)(void*, void*, std::size_t, void*) noexcept;
};
resource_table& resource(host);
resource_table& resource(cuda);
/// What synchronize() calls; set by the CUDA library when it is linked and used.
extern void (*wait_for_device)();

/// New memory of a space, uninitialised; throws memory_error. CUDA: ordered with the current stream.
allocation* allocate(host, std::size_t bytes);
allocation* allocate(cuda, std::size_t bytes);
/// Copies bytes between or within spaces; waits only where the host must see the result.
void copy(host, void* to, host, const allocation* owner, const void* from, std::size_t bytes);
void copy(host, allocation* owner, void* to, const void* from, std::size_t bytes);
void copy(host, void* to, cuda, const allocation* owner, const void* from, std::size_t bytes);
void copy(cuda, allocation* owner, void* to, const void* from, std::size_t bytes);
}  // namespace memory_detail

/// Makes r the source of all further memory of the space; r must outlive every array made from it.
template <memory_space Space, memory_resource R>
void use_memory(R& r) {
  memory_detail::resource(Space{}) = {
      &r, [](void* o, std::size_t n, void* s) { return static_cast<R*>(o)->allocate(n, s); },
      [](void* o, void* p, std::size_t n, void* s) noexcept { static_cast<R*>(o)->deallocate(p, n, s); }};
}

/// Waits until the calling thread's work is done: nothing to wait for on the host, its current stream on the GPU.
void synchronize();

}  // namespace lazyfuse
