// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory, and which resource memory comes from.
#include "array/counted.hpp"
#include "array/freed_memory.hpp"

#include <lazyfuse/array/scratch_memory.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/observe/trace.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace lazyfuse {

void synchronize() {
  if (auto* const wait = memory_detail::wait_for_device.load(std::memory_order_relaxed)) wait();
}

long owners(const handles<1>& h) noexcept {
  return h.memory[0] ? memory_detail::owners_of(h.memory[0]).load(std::memory_order_acquire) : 0;
}

namespace lazy_detail {

void join(allocation** to, const handle_range* parts, int count) noexcept {
  for (const handle_range* p = parts; p != parts + count; ++p)
    for (int k = 0; k < p->count; ++k) {
      *to = p->memory[k];
      // moved says that the operand is a temporary, so it was not const
      if (p->moved) const_cast<allocation**>(p->memory)[k] = nullptr;
      else if (*to) memory_detail::owners_of(*to).fetch_add(1, std::memory_order_relaxed);
      ++to;
    }
}

void drop(allocation* const* memory, int n) noexcept {
  for (int k = 0; k < n; ++k)
    if (memory[k] && memory_detail::owners_of(memory[k]).fetch_sub(1, std::memory_order_acq_rel) == 1)
      memory[k]->release(memory[k]);
}

}  // namespace lazy_detail

}  // namespace lazyfuse

namespace lazyfuse::memory_detail {

constinit std::atomic<void (*)()> wait_for_device = nullptr;
constinit std::atomic<void (*)(int)> wait_for_all = nullptr;

namespace {

constexpr std::size_t alignment = 64;  // a cache line, and the widest vector

/// Where what is aligned begins in a block, which stands in front of it.
void* behind(const block& given, std::size_t align) {
  char* const first = static_cast<char*>(given.memory) + sizeof(block);
  void* const p = first + -reinterpret_cast<std::uintptr_t>(first) % align;
  static_cast<block*>(p)[-1] = given;
  return p;
}
block in_front_of(const void* p) { return static_cast<const block*>(p)[-1]; }

/// From here on memory has large pages where there are some.
constexpr std::size_t least_large_bytes = std::size_t{4} << 20;

/// The library's own memory of the host.
struct aligned_memory {
  static void* allocate(void*, std::size_t bytes, std::size_t align, stream_handle) {
    // Not aligned_alloc: glibc before 2.38 asks for so much more that it cannot take again what was freed just before,
    // and the system gives it new pages, at every evaluation. What malloc gave stands in front.
    if (bytes > std::numeric_limits<std::size_t>::max() - align - sizeof(block)) return nullptr;
    const std::size_t all = bytes + align + sizeof(block);
    block given = all >= least_freed_bytes ? take_freed(all) : block{};
    if (!given.memory) {
      given = {std::malloc(all), all};
      if (!given.memory && free_all_freed()) given.memory = std::malloc(all);
      if (!given.memory) return nullptr;
      ask_for_large_pages(given);
    }
    return behind(given, align);
  }
  static void deallocate(void*, void* p, std::size_t, std::size_t, stream_handle) noexcept {
    if (p) keep_freed(in_front_of(p));
  }
  /// Pages of 2 MiB where there is room for some, as NumPy asks for them: of small ones each is a fault when it is
  /// first written, and an address to look up when it is used again. It is only a wish, so its failure is none.
  static void ask_for_large_pages([[maybe_unused]] const block& given) {
#if defined(__linux__)
    if (given.bytes < least_large_bytes) return;
    const block pages = pages_of(given);
    (void)madvise(pages.memory, pages.bytes, MADV_HUGEPAGE);
#endif
  }
  static bool equal(const void*, const void*) { return true; }
};

/// Resources that were chosen for all threads. A thread reads them without a lock, so none is ever taken away.
struct chosen_resource {
  resource_ref resource;
  const chosen_resource* before;
};
constinit std::mutex choice_mutex;
constinit const chosen_resource* all_chosen = nullptr;
constinit std::atomic<const resource_ref*> for_all[most_spaces] = {};
constinit thread_local resource_ref for_thread[most_spaces] = {};

void release_host(allocation* a) noexcept {
  trace_detail::freed(a->bytes);
  a->source.table->deallocate(a->source.object, a->data, a->bytes, alignment, {});
  delete a;
}

}  // namespace

void choose(int space, const resource_ref& r) {
  const std::lock_guard lock(choice_mutex);
  const resource_ref* known = nullptr;
  if (r.table) {
    for (const chosen_resource* c = all_chosen; c && !known; c = c->before)
      if (c->resource.object == r.object && c->resource.table == r.table) known = &c->resource;
    if (!known) known = &(all_chosen = new chosen_resource{r, all_chosen})->resource;
  }
  for_all[space].store(known, std::memory_order_release);
}
resource_ref choose_for_thread(int space, const resource_ref& r) noexcept {
  return std::exchange(for_thread[space], r);
}
resource_ref chosen(int space, const resource_ref& library) {
  if (for_thread[space].table) return for_thread[space];
  const resource_ref* const r = for_all[space].load(std::memory_order_acquire);
  return r ? *r : library;
}

allocation* allocate_from(const resource_ref& r, const char* space, std::size_t bytes, std::size_t align,
                          stream_handle stream, void (*release)(allocation*) noexcept, const memory_request& wanted) {
  const auto fail = [&] { throw_memory(space, bytes, wanted); };
  std::unique_ptr<allocation> a;
  try {
    a = std::make_unique<allocation>();
    a->data = r.table->allocate(r.object, bytes, align, stream);
  } catch (const std::bad_alloc&) {
    fail();
  }
  if (!a->data) fail();
  a->bytes = bytes;
  a->release = release;
  a->source = r;
  a->stream = stream.handle;
  trace_detail::allocated(bytes);
  return a.release();
}

allocation* allocate(host, std::size_t bytes, const memory_request& wanted) {
  return allocate_from(chosen(space_traits<host>::number, {nullptr, &table_of<aligned_memory>}), host::name, bytes,
                       alignment, {}, release_host, wanted);
}

constinit std::atomic<void (*)(const void*, const char*, caller)> check_host_pointer = nullptr;

void check_place(host, const void* p, std::size_t align, const char* operation, caller where) {
  if (!p) throw_borrow(operation, "the pointer is null", where);
  if (reinterpret_cast<std::uintptr_t>(p) % align != 0)
    throw_borrow(operation, "the address is not a multiple of the alignment of the elements", where);
  if (auto* const check = check_host_pointer.load(std::memory_order_relaxed)) check(p, operation, where);
}

void copy(host, allocation*, void* to, host, const allocation*, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void zero(host, allocation*, void* to, std::size_t bytes) { std::memset(to, 0, bytes); }

void* new_scratch(std::size_t bytes) noexcept {
  if (bytes >= least_large_bytes) return aligned_memory::allocate(nullptr, bytes, alignment, {});
  const std::size_t all = bytes + alignment + sizeof(block);
  void* const given = operator new(all, std::nothrow);
  return given ? behind({given, bytes}, alignment) : nullptr;
}
void delete_scratch(void* memory) noexcept {
  if (!memory) return;
  const block given = in_front_of(memory);
  if (given.bytes < least_large_bytes) operator delete(given.memory);
  else keep_freed(given);
}
void throw_no_scratch() { throw std::bad_alloc(); }

}  // namespace lazyfuse::memory_detail
