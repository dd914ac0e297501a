// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for nvcc: expressions over host and CUDA arrays.
#pragma once

#include <lazyfuse/backend/cuda/backend.cuh>
#include <lazyfuse/lazyfuse.hpp>

namespace lazyfuse {

/// materialize on a stream of the caller's.
template <class... E>
  requires(expression<E> && ...)
auto materialize(const on&, const E&... e) {
  return materialize(e...);
}
/// destination = e on a stream of the caller's.
template <class D, class E>
void assign(const on&, D&& destination, E&& e) {
  static_cast<D&&>(destination) = static_cast<E&&>(e);
}

}  // namespace lazyfuse
