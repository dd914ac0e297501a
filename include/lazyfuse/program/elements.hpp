// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers to the elements of operands and targets: plain ones, or in a checked build such as know where their memory
// begins and ends.
#pragma once

#include <lazyfuse/core/index.hpp>

namespace lazyfuse::ir {

/// Whether accesses to memory are compared with its bounds: CMake's LAZYFUSE_CHECKED.
#if defined(LAZYFUSE_CHECKED)
inline constexpr bool checked_build = true;
#else
inline constexpr bool checked_build = false;
#endif

/// What a kernel leaves behind that would have gone beyond an operand's memory: where, the first time.
struct overrun {
  int found = 0;
  index_t element = 0, count = 0;            ///< which one, counted from the first of so many that the operand has
  alignas(16) unsigned char elsewhere[256];  /// is read and written instead
};

/// A pointer that answers for what it is followed to. It is one to elements as long as nobody has given it bounds.
template <class T>
struct bounded {
  T* at;  ///< first: code without types writes it, and no more where there are no bounds
  T *begin = nullptr, *end = nullptr;
  overrun* report = nullptr;  ///< null: there are no bounds

  bounded() = default;
  LAZYFUSE_HD bounded(T* p) : at(p) {}

  /// p, if there are n elements.
  LAZYFUSE_HD T* reach(T* p, int n) const {
    if (report == nullptr || (p >= begin && p + n <= end)) return p;
    if (report->found == 0) {
      report->element = p < begin ? p - begin : p > end ? p - begin : end - begin;
      report->count = end - begin;
      report->found = 1;
    }
    return sizeof(T) * static_cast<unsigned>(n) <= sizeof report->elsewhere ? reinterpret_cast<T*>(report->elsewhere)
                                                                            : begin;
  }
  LAZYFUSE_HD T& operator*() const { return *reach(at, 1); }
  LAZYFUSE_HD T& operator[](index_t i) const { return *reach(at + i, 1); }
  LAZYFUSE_HD bounded operator+(index_t n) const {
    bounded b = *this;
    b.at += n;
    return b;
  }
  LAZYFUSE_HD bounded& operator+=(index_t n) {
    at += n;
    return *this;
  }
  /// Unchecked, as address().
  LAZYFUSE_HD operator T*() const { return at; }
};

namespace elements_detail {
template <class T, bool Checked>
struct pointer {
  using type = T*;
};
template <class T>
struct pointer<T, true> {
  using type = bounded<T>;
};
}  // namespace elements_detail

/// What points to elements of type T.
template <class T>
using elements = typename elements_detail::pointer<T, checked_build>::type;

/// The plain pointer, for loops that stay within what was checked before they began.
template <class T>
LAZYFUSE_HD T* address(T* p) {
  return p;
}
template <class T>
LAZYFUSE_HD T* address(const bounded<T>& p) {
  return p.at;
}

/// The address of N elements that are read or written together.
template <int N, class T>
LAZYFUSE_HD T* reached(T* p) {
  return p;
}
template <int N, class T>
LAZYFUSE_HD T* reached(const bounded<T>& p) {
  return p.reach(p.at, N);
}

}  // namespace lazyfuse::ir
