// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for what tasks find out, one value each.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <new>

namespace lazyfuse::host_detail {

/// n elements, not initialised, on lines of the cache. std::unique_ptr costs a compiler 150 instantiations per type.
template <class T>
class scratch {
  static_assert(__is_trivially_copyable(T));

 public:
  explicit scratch(index_t n) : given_(n > 0 ? operator new(bytes(n)) : nullptr), data_(on_a_line(given_)) {}
  /// Empty where there is not so much memory.
  scratch(index_t n, const std::nothrow_t& none)
      : given_(n > 0 ? operator new(bytes(n), none) : nullptr), data_(on_a_line(given_)) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { operator delete(given_); }

  T& operator[](index_t i) const { return data_[i]; }
  explicit operator bool() const { return data_; }

 private:
  // Aligned by hand: aligned memory that was freed is not taken again (src/array/memory.cpp).
  static constexpr standard::size_t line = 64;
  static constexpr standard::size_t bytes(index_t n) { return static_cast<standard::size_t>(n) * sizeof(T) + line; }
  static T* on_a_line(void* given) {
    if (given == nullptr) return nullptr;
    return reinterpret_cast<T*>(static_cast<char*>(given) + -reinterpret_cast<standard::uintptr_t>(given) % line);
  }
  void* given_;
  T* data_;
};

}  // namespace lazyfuse::host_detail
