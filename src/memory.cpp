// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory, and the table through which a user's resource replaces it.
#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/trace.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace lazyfuse {

void synchronize() {
  if (memory_detail::wait_for_device) memory_detail::wait_for_device();
}

namespace lazy_detail {

void join(allocation** to, const handle_range* parts, int count) noexcept {
  for (const handle_range* p = parts; p != parts + count; ++p)
    for (int k = 0; k < p->count; ++k) {
      *to = p->memory[k];
      // moved says that the operand is a temporary, so it was not const
      if (p->moved) const_cast<allocation**>(p->memory)[k] = nullptr;
      else if (*to) (*to)->owners.fetch_add(1, std::memory_order_relaxed);
      ++to;
    }
}

void drop(allocation* const* memory, int n) noexcept {
  for (int k = 0; k < n; ++k)
    if (memory[k] && memory[k]->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) memory[k]->release(memory[k]);
}

}  // namespace lazy_detail

}  // namespace lazyfuse

namespace lazyfuse::memory_detail {

void (*wait_for_device)() = nullptr;

namespace {

constexpr std::size_t alignment = 64;  // a cache line, and the widest vector

void* allocate_aligned(void*, std::size_t bytes, void*) {
  void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#if defined(__linux__)
  // Pages of 2 MiB where there is room for some, as NumPy asks for them: of small ones each is a fault when it is first
  // written, and an address to look up when it is used again. It is only a wish, so its failure is none.
  constexpr std::size_t small_page = 4096, least = std::size_t{4} << 20;
  if (p && bytes >= least) {
    const std::size_t skipped = (small_page - reinterpret_cast<std::uintptr_t>(p) % small_page) % small_page;
    (void)madvise(static_cast<char*>(p) + skipped, bytes - skipped, MADV_HUGEPAGE);
  }
#endif
  return p;
}

resource_table host_table = {nullptr, allocate_aligned,
                             [](void*, void* p, std::size_t, void*) noexcept { std::free(p); }};

void release_host(allocation* a) noexcept {
  trace_detail::freed(a->bytes);
  host_table.deallocate(host_table.object, a->data, a->bytes, nullptr);
  delete a;
}

}  // namespace

resource_table& resource(host) { return host_table; }

allocation* allocate(host, std::size_t bytes) {
  void* const p = host_table.allocate(host_table.object, bytes, nullptr);
  if (!p) throw memory_error("host memory: " + std::to_string(bytes) + " bytes could not be had");
  allocation* const a = new (std::nothrow) allocation;
  if (!a) {
    host_table.deallocate(host_table.object, p, bytes, nullptr);
    throw memory_error("host memory: no room for an array's handle");
  }
  a->data = p;
  a->bytes = bytes;
  a->release = release_host;
  trace_detail::allocated(bytes);
  return a;
}

void copy(host, void* to, host, const allocation*, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void copy(host, allocation*, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace lazyfuse::memory_detail
