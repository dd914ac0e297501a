// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted memory and where it comes from. Arrays and expressions hold handles (expr/lazy.hpp), and the count decides
// who may write in place (copy-on-write).
#pragma once

#include <lazyfuse/array/resource.hpp>
#include <lazyfuse/expr/lazy.hpp>

namespace lazyfuse {

/// What later work that writes an allocation can use again, and is gone when the allocation is.
struct kept_beside {
  virtual ~kept_beside() = default;
  kept_beside() = default;
  kept_beside(const kept_beside&) = delete;
  kept_beside& operator=(const kept_beside&) = delete;
};

/// One allocation and who uses it. In CUDA space also: the stream whose work it is ordered with. Threads share the
/// count and the streams, which compiled code alone reads and writes, atomically. First what is asked of each of
/// thousands of arrays, next to each other.
struct allocation {
  long owners = 1;
  void* stream = nullptr;
  void* readers = nullptr;  ///< other streams that still read it (CUDA space)
  int device = -1;          ///< the GPU that it is on; -1: the host, or memory that all GPUs use alike
  bool foreign = false;     ///< somebody else's, who is told when nobody uses it any more: no array holds it
  bool of_others = false;   ///< of a batch: some of its arrays are foreign or borrowed
  void* data = nullptr;
  std::size_t bytes = 0;
  void (*release)(allocation*) noexcept = nullptr;
  resource_ref source;          ///< gave the memory and takes it back
  index_t arrays = 0;           ///< of a batch: how many it stands for
  kept_beside* kept = nullptr;  ///< used by whoever writes it, its only owner

  allocation() = default;
  ~allocation() { delete kept; }
  allocation(const allocation&) = delete;
  allocation& operator=(const allocation&) = delete;
};

/// How many handles there are to the memory of one, itself included; 0 for none.
long owners(const handles<1>& h) noexcept;

namespace memory_detail {
/// While it lives, what the calling thread makes and launches belongs to one device, which CUDA takes for the current
/// one. On the host there is only one.
template <class Space>
class device_scope {
 public:
  explicit device_scope(int) {}
  bool has(const allocation*) const { return true; }
};
/// A device of -1: that of the scope outside, of the stream given by on(), or the thread's current one. Asks CUDA for
/// nothing where there is one device. Throws cuda_error.
template <>
class device_scope<cuda> {
 public:
  explicit device_scope(int device);
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  /// Whether memory (null: none) can be used from there.
  bool has(const allocation* a) const { return !a || a->device < 0 || a->device == device_; }

 private:
  int device_ = 0, outer_ = -1, restored_ = -1;
  bool entered_ = false;
};
/// Whether there is more than one device.
inline constexpr bool several_devices(host) { return false; }
bool several_devices(cuda);
/// The device of memory, borrowed if it has no owner; -1: of none, or there is only one.
inline constexpr int device_of(host, const allocation*, const void*) { return -1; }
int device_of(cuda, const allocation* owner, const void* data);
/// Throws device_error unless there is such a device.
void check_device(int device, const char* operation, caller where);

/// New memory of a space, uninitialised; throws memory_error. CUDA: ordered with the current stream.
allocation* allocate(host, std::size_t bytes, const memory_request& wanted);
allocation* allocate(cuda, std::size_t bytes, const memory_request& wanted);
/// What both have in common: bytes from r, or memory_error.
allocation* allocate_from(const resource_ref& r, const char* space, std::size_t bytes, std::size_t alignment,
                          stream_handle stream, void (*release)(allocation*) noexcept, const memory_request& wanted);
/// Throws borrow_error unless memory of others at p can be read and written in the space: there, and aligned.
void check_place(host, const void* p, std::size_t alignment, const char* operation, caller where);
void check_place(cuda, const void* p, std::size_t alignment, const char* operation, caller where);
/// Copies bytes between or within spaces; waits only where the host must see the result, or its memory may be gone when
/// the caller returns. Memory of the host needs no owner.
void copy(host, allocation* to_owner, void* to, host, const allocation* owner, const void* from, std::size_t bytes);
void copy(host, allocation* to_owner, void* to, cuda, const allocation* owner, const void* from, std::size_t bytes);
void copy(cuda, allocation* to_owner, void* to, host, const allocation* owner, const void* from, std::size_t bytes);
void copy(cuda, allocation* to_owner, void* to, cuda, const allocation* owner, const void* from, std::size_t bytes);
/// Makes all bytes zero.
void zero(host, allocation* owner, void* to, std::size_t bytes);
void zero(cuda, allocation* owner, void* to, std::size_t bytes);
}  // namespace memory_detail

/// Waits until the calling thread's work is done: nothing to wait for on the host; on GPUs the stream given by on(), or
/// the thread's own of each device.
void synchronize();

}  // namespace lazyfuse
