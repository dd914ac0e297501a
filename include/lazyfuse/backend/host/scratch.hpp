// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for what tasks find out, one value each.
#pragma once

#include <lazyfuse/array/scratch_memory.hpp>
#include <lazyfuse/core/index.hpp>

#include <new>

namespace lazyfuse::host_detail {

/// n elements, not initialised. std::unique_ptr costs a compiler 150 instantiations per type.
template <class T>
class scratch {
  static_assert(__is_trivially_copyable(T));

 public:
  explicit scratch(index_t n) : scratch(n, std::nothrow) {
    if (n > 0 && !data_) memory_detail::throw_no_scratch();
  }
  /// Empty where there is not so much memory.
  scratch(index_t n, const std::nothrow_t&)
      : data_(n > 0 ? static_cast<T*>(memory_detail::new_scratch(static_cast<standard::size_t>(n) * sizeof(T)))
                    : nullptr) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { memory_detail::delete_scratch(data_); }

  T& operator[](index_t i) const { return data_[i]; }
  explicit operator bool() const { return data_; }

 private:
  T* data_;
};

}  // namespace lazyfuse::host_detail
