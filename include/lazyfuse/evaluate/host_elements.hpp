// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of an expression as bytes on the host, without its C++ type: for code that is compiled once.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

/// Elements on the host, row-major.
struct host_elements {
  const void* data;
  dtype type;
  const index_t* extents;
  int rank;
};

/// Evaluates e and calls f with its elements, which live as long as the call.
template <class E, class F>
decltype(auto) with_elements(const E& e, const F& f) {
  static_assert(dtype_of<value_t<E>> != dtype::other, "lazyfuse: only bool and numbers can be printed or saved");
  const auto x = to<host>(e, caller{});
  return f(host_elements{x.data(), dtype_of<value_t<E>>, x.shape().extent, rank_of<E>});
}

}  // namespace lazyfuse
