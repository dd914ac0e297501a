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
  explicit scratch(index_t n) : data_(n > 0 ? new (line) T[static_cast<standard::size_t>(n)] : nullptr) {}
  /// Empty where there is not so much memory.
  scratch(index_t n, const std::nothrow_t& none)
      : data_(n > 0 ? new (line, none) T[static_cast<standard::size_t>(n)] : nullptr) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { operator delete[](data_, line); }

  T& operator[](index_t i) const { return data_[i]; }
  explicit operator bool() const { return data_; }

 private:
  static constexpr std::align_val_t line{64};
  T* data_;
};

}  // namespace lazyfuse::host_detail
