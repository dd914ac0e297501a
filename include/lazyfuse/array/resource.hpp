// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where memory comes from: a resource of the library's, or one of the user's, chosen for a program or for a scope.
#pragma once

#include <lazyfuse/core/space.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

struct CUstream_st;  // what cudaStream_t points to

namespace lazyfuse {

/// The stream that an allocation is ordered with, null on the host. Converts to the type a resource has for streams:
/// cudaStream_t, void*, rmm::cuda_stream_view, cuda::stream_ref.
struct stream_handle {
  CUstream_st* handle = nullptr;
  template <class S>
    requires((std::is_class_v<S> || std::is_pointer_v<S>)&&std::is_constructible_v<S, CUstream_st*>)
  operator S() const { return S(handle); }
};

/// A resource hands out bytes and takes them back, in the order of a stream where there is one. What allocate cannot
/// do it reports by an exception or by null. Threads call it at the same time. Equal resources take back each other's.
template <class R>
concept memory_resource = requires(R& r, R& other, std::size_t bytes, std::size_t alignment, stream_handle stream,
                                   void* p) {
  { r.allocate(bytes, alignment, stream) } -> std::same_as<void*>;
  r.deallocate(p, bytes, alignment, stream);
  { r == other } -> std::convertible_to<bool>;
};

namespace memory_detail {

/// Resources of others, by the members they have. The last two know no streams, so on the GPU their memory is given
/// back only after the stream has been waited for.
/// cuda::mr since CCCL 3.1, and RMM since it follows that.
template <class R>
concept stream_first = requires(R& r, std::size_t n, stream_handle s, void* p) {
  { r.allocate(s, n, n) } -> std::same_as<void*>;
  r.deallocate(s, p, n, n);
};
/// cuda::mr of CCCL 3.0, and RMM before.
template <class R>
concept asynchronous_aligned = requires(R& r, std::size_t n, stream_handle s, void* p) {
  { r.allocate_async(n, n, s) } -> std::same_as<void*>;
  r.deallocate_async(p, n, n, s);
};
/// Older RMM.
template <class R>
concept asynchronous = requires(R& r, std::size_t n, stream_handle s, void* p) {
  { r.allocate_async(n, s) } -> std::same_as<void*>;
  r.deallocate_async(p, n, s);
};
/// Its virtual interface.
template <class R>
concept stream_last = requires(R& r, std::size_t n, stream_handle s, void* p) {
  { r.allocate(n, s) } -> std::same_as<void*>;
  r.deallocate(p, n, s);
};
/// cuda::mr::synchronous_resource since CCCL 3.1.
template <class R>
concept synchronous = requires(R& r, std::size_t n, void* p) {
  { r.allocate_sync(n, n) } -> std::same_as<void*>;
  r.deallocate_sync(p, n, n);
};
/// std::pmr::memory_resource, cuda::mr::resource of CCCL 3.0.
template <class R>
concept without_stream = requires(R& r, std::size_t n, void* p) {
  { r.allocate(n, n) } -> std::same_as<void*>;
  r.deallocate(p, n, n);
};

/// Waits until the stream has done what it was given.
inline void wait(host, stream_handle) {}
void wait(cuda, stream_handle);

template <class Space, class R>
struct resource_calls {
  static constexpr bool known = memory_resource<R> || stream_first<R> || asynchronous_aligned<R> || asynchronous<R> ||
                                stream_last<R> || synchronous<R> || without_stream<R>;
  static void* allocate(void* object, std::size_t n, std::size_t align, stream_handle s) {
    R& r = *static_cast<R*>(object);
    if constexpr (memory_resource<R>) return r.allocate(n, align, s);
    else if constexpr (stream_first<R>) return r.allocate(s, n, align);
    else if constexpr (asynchronous_aligned<R>) return r.allocate_async(n, align, s);
    else if constexpr (asynchronous<R>) return r.allocate_async(n, s);
    else if constexpr (stream_last<R>) return r.allocate(n, s);
    else if constexpr (synchronous<R>) return r.allocate_sync(n, align);
    else return r.allocate(n, align);
  }
  static void deallocate(void* object, void* p, std::size_t n, std::size_t align, stream_handle s) noexcept {
    R& r = *static_cast<R*>(object);
    if constexpr (memory_resource<R>) r.deallocate(p, n, align, s);
    else if constexpr (stream_first<R>) r.deallocate(s, p, n, align);
    else if constexpr (asynchronous_aligned<R>) r.deallocate_async(p, n, align, s);
    else if constexpr (asynchronous<R>) r.deallocate_async(p, n, s);
    else if constexpr (stream_last<R>) r.deallocate(p, n, s);
    else {
      wait(Space{}, s);
      if constexpr (synchronous<R>) r.deallocate_sync(p, n, align);
      else r.deallocate(p, n, align);
    }
  }
  static bool equal(const void* a, const void* b) {
    if constexpr (requires(const R& r, const R& other) { r == other; })
      return *static_cast<const R*>(a) == *static_cast<const R*>(b);
    else return a == b;
  }
};

struct resource_table {
  void* (*allocate)(void*, std::size_t, std::size_t, stream_handle);
  void (*deallocate)(void*, void*, std::size_t, std::size_t, stream_handle) noexcept;
  bool (*equal)(const void*, const void*);
};
template <class Calls>
inline constexpr resource_table table_of = {Calls::allocate, Calls::deallocate, Calls::equal};

}  // namespace memory_detail

/// A resource whose type is forgotten: two pointers. What an array remembers of where its memory came from.
struct resource_ref {
  void* object = nullptr;
  const memory_detail::resource_table* table = nullptr;  ///< null refers to nothing

  friend bool operator==(const resource_ref& a, const resource_ref& b) {
    return a.table == b.table && (a.object == b.object || a.table->equal(a.object, b.object));
  }
};

/// Refers to a resource of one's own, or to one of RMM's, cuda::mr's or std::pmr's, as the source of a space's memory.
template <memory_space Space, class R>
resource_ref refer(R& r) {
  using calls = memory_detail::resource_calls<Space, R>;
  static_assert(calls::known,
                "lazyfuse: a memory resource has allocate(bytes, alignment, stream), deallocate(p, bytes, alignment, "
                "stream) and ==, or the members of RMM's, cuda::mr's or std::pmr's resources");
  if constexpr (calls::known) return {&r, &memory_detail::table_of<calls>};
  else return {};
}

namespace memory_detail {
/// Makes r the source of memory for all threads (without a table: the library's own), or for the calling thread; the
/// latter returns what it replaces.
void choose(int space, const resource_ref& r);
resource_ref choose_for_thread(int space, const resource_ref& r) noexcept;
/// What the calling thread allocates from; the library's own unless something was chosen.
resource_ref chosen(int space, const resource_ref& library);
}  // namespace memory_detail

/// Makes r the source of all further memory of the space, in every thread. Arrays remember where theirs came from and
/// give it back there, so r must outlive them and it may be changed at any time. Throws std::bad_alloc.
template <memory_space Space, class R>
void use_memory(R& r) {
  memory_detail::choose(space_traits<Space>::number, refer<Space>(r));
}
/// Back to the library's own memory.
template <memory_space Space>
void use_memory() {
  memory_detail::choose(space_traits<Space>::number, {});
}

/// While it lives, the calling thread's memory of a space comes from r: memory_scope scope(lf::host{}, r), or
/// materialize(memory_scope(lf::cuda{}, r), e...). Scopes nest; arrays made within one may outlive it, but not r.
class memory_scope {
 public:
  using evaluation_scope = memory_scope;
  template <memory_space Space, class R>
  memory_scope(Space, R& r)
      : space_(space_traits<Space>::number), outer_(memory_detail::choose_for_thread(space_, refer<Space>(r))) {}
  ~memory_scope() { memory_detail::choose_for_thread(space_, outer_); }
  memory_scope(const memory_scope&) = delete;
  memory_scope& operator=(const memory_scope&) = delete;

 private:
  int space_;
  resource_ref outer_;
};

}  // namespace lazyfuse
