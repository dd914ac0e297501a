// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order: elements as unsigned integers that have it, and where a value is, or would be, in a sorted table.
#pragma once

#include <lazyfuse/op/operation.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {

namespace sort_detail {
template <class T>
using key_of = standard::conditional_t<
    sizeof(T) == 1, uint8,
    standard::conditional_t<sizeof(T) == 2, uint16, standard::conditional_t<sizeof(T) == 4, uint32, uint64>>>;
/// The sign bit.
template <class T>
inline constexpr auto top_of = static_cast<key_of<T>>(key_of<T>(1) << (8 * sizeof(T) - 1));
/// Infinity's bits: those of NaN are above. (Kernels without 16-bit elements know no more of those than their names.)
template <class T>
LAZYFUSE_HD constexpr key_of<T> infinity_bits() {
  if constexpr (sizeof(T) == 8) return 0x7ff0000000000000;
  else if constexpr (sizeof(T) == 4) return 0x7f800000;
  else return standard::is_same_v<T, half> ? 0x7c00 : 0x7f80;
}
/// NaN comes after all numbers.
template <class T>
LAZYFUSE_HD constexpr bool less(const T& a, const T& b) {
  if constexpr (floating_point<T>) return a < b || (b != b && a == a);
  else return a < b;
}
/// Where x would be put among the elements of a sorted table, before those that equal it, or after them.
template <bool After, class Table, class T>
LAZYFUSE_HD constexpr int64 place_in(const Table& table, index_t offset, const T& x) {
  index_t first = 0, n = table.axes.extents[0];
#if defined(__CUDA_ARCH__)
  if (n < index_t{1} << 31) {  // in 32 bits, and in as many steps for each, so that a warp stays together
    const index_t step = table.axes.steps[0];
    unsigned before = 0;
    for (auto left = static_cast<unsigned>(n); left > 0; left /= 2) {
      const unsigned end = before + (left + 1) / 2;
      const T y = table.source.at(offset + static_cast<index_t>(end - 1) * step);
      before = (After ? !less(x, y) : less(y, x)) ? end : before;
    }
    return before;
  }
#endif
  while (n > 0) {
    const index_t below = n / 2;
    const T y = table.at(offset, first + below);
    const bool beyond = After ? !less(x, y) : less(y, x);
    first = beyond ? first + below + 1 : first;
    n = beyond ? n - below - 1 : below;
  }
  return first;
}
}  // namespace sort_detail

namespace op {

/// An unsigned integer of the same size, in the order of the elements: -0.0 before 0.0, and last NaN, as one.
struct sort_key : exact_operation {
  using rule = rules::ordered;
  static constexpr const char* name = "sort_key";
  static constexpr int cost = 4;
  template <class T>
    requires(boolean<T> || integer<T> || floating_point<T>)
  LAZYFUSE_HD constexpr auto operator()(T x) const {
    using key = sort_detail::key_of<T>;
    if constexpr (boolean<T> || unsigned_integer<T>) return static_cast<key>(x);
    else {
      constexpr key top = sort_detail::top_of<T>;
      const auto bits = __builtin_bit_cast(key, x);
      if constexpr (integer<T>) return static_cast<key>(bits ^ top);
      else {
        const auto size = static_cast<key>(bits & static_cast<key>(~top));
        const auto number = static_cast<key>((bits & top) != 0 ? ~bits : bits | top);
        return size > sort_detail::infinity_bits<T>() ? static_cast<key>(~key(0)) : number;
      }
    }
  }
};

/// The element of a sort_key; of the type of the second operand, which is not read.
struct from_sort_key : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "from_sort_key";
  static constexpr int cost = 4;
  template <class T>
  LAZYFUSE_HD constexpr T operator()(sort_detail::key_of<T> k, T) const {
    using key = sort_detail::key_of<T>;
    if constexpr (boolean<T>) return k != 0;
    else if constexpr (unsigned_integer<T>) return k;
    else {
      constexpr key top = sort_detail::top_of<T>;
      if constexpr (integer<T>) return __builtin_bit_cast(T, static_cast<key>(k ^ top));
      else {
        // the one NaN: quiet, its sign clear
        const auto bits = static_cast<key>((k & top) != 0 ? k ^ top : ~k);
        constexpr key infinity = sort_detail::infinity_bits<T>();
        constexpr auto quiet = static_cast<key>(infinity | infinity >> 1);
        return __builtin_bit_cast(T, k == static_cast<key>(~key(0)) ? quiet : bits);
      }
    }
  }
};

/// Where x would be put among the elements of a sorted table, before those that equal it.
struct search_before : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "search_before";
  static constexpr int cost = 16;
  template <class Table, class T>
    requires requires { Table::is_table; }
  LAZYFUSE_HD constexpr int64 operator()(const Table& table, index_t offset, const T& x) const {
    return sort_detail::place_in<false>(table, offset, x);
  }
};
/// The same, after them.
struct search_after : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "search_after";
  static constexpr int cost = 16;
  template <class Table, class T>
    requires requires { Table::is_table; }
  LAZYFUSE_HD constexpr int64 operator()(const Table& table, index_t offset, const T& x) const {
    return sort_detail::place_in<true>(table, offset, x);
  }
};

/// Whether a sorted table has an element that equals x.
struct is_among : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "is_among";
  static constexpr int cost = 16;
  template <class Table, class T>
    requires requires { Table::is_table; }
  LAZYFUSE_HD constexpr bool operator()(const Table& table, index_t offset, const T& x) const {
    const index_t i = sort_detail::place_in<false>(table, offset, x), n = table.axes.extents[0];
    return i < n && static_cast<T>(table.at(offset, i)) == x;
  }
};

}  // namespace op

}  // namespace lazyfuse
