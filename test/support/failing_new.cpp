// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// operator new, replaced. By the C++ compiler: nvcc takes it for a function of the device, too.
#include "failing_new.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

void* new_or_null(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  if (test::others == 0 && ++test::made == test::fails) return nullptr;
  void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  test::live += p != nullptr && test::others == 0;
  return p;
}
void* new_or_throw(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  void* const p = new_or_null(bytes, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void deleted(void* p) {
  if (p != nullptr && test::others == 0) --test::live;
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return new_or_throw(n); }
void* operator new[](std::size_t n) { return new_or_throw(n); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return new_or_null(n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return new_or_null(n); }
void* operator new(std::size_t n, std::align_val_t a) { return new_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return new_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return new_or_null(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return new_or_null(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { deleted(p); }
void operator delete[](void* p) noexcept { deleted(p); }
void operator delete(void* p, std::size_t) noexcept { deleted(p); }
void operator delete[](void* p, std::size_t) noexcept { deleted(p); }
void operator delete(void* p, std::align_val_t) noexcept { deleted(p); }
void operator delete[](void* p, std::align_val_t) noexcept { deleted(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { deleted(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { deleted(p); }
