// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of an expression as bytes on the host, without its C++ type: for code that is compiled once.
#pragma once

#include <lazyfuse/evaluate/to.hpp>
#include <lazyfuse/observe/recording.hpp>

namespace lazyfuse {

/// Elements on the host, row-major.
struct host_elements {
  const void* data;
  dtype type;
  const index_t* extents;
  int rank;
};

/// Evaluates e and calls f with its elements, which live as long as the call. Those of short vectors are one axis more.
template <class E, class F, class = maker>
decltype(auto) with_elements(const E& e, const F& f) {
  using T = value_t<E>;
  constexpr dtype type = dtype_of<component_t<T>>;
  static_assert(type != dtype::other, "lazyfuse: only bool and numbers can be printed or saved");
  record_detail::refuse_reading("printing or saving an array");
  const auto x = to<host>(e, caller{});
  if constexpr (short_vector<T>) {
    shape<rank_of<E> + 1> extents;
    for (int k = 0; k < rank_of<E>; ++k) extents[k] = x.shape()[k];
    extents[rank_of<E>] = T::size;
    return f(host_elements{x.data(), type, extents.extent, rank_of<E> + 1});
  } else return f(host_elements{x.data(), type, x.shape().extent, rank_of<E>});
}

}  // namespace lazyfuse
