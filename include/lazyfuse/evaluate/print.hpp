// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing as NumPy prints: aligned columns, shortest digits, the middle of large arrays left out.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

#include <iosfwd>
#include <utility>

namespace lazyfuse {

namespace print_detail {
void print(std::ostream& out, const void* data, dtype type, const index_t* extents, int rank);
}

/// Evaluates e and prints its elements.
template <class E>
requires expression<E> std::ostream& operator<<(std::ostream& out, const E& e) {
  static_assert(dtype_of<value_t<E>> != dtype::other, "lazyfuse: only bool and numbers can be printed");
  const auto x = to<host>(e, caller{});
  print_detail::print(out, std::as_const(x).data(), dtype_of<value_t<E>>, x.shape().extent, rank_of<E>);
  return out;
}

}  // namespace lazyfuse
