// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of uninitialised elements.
#pragma once

#include <lazyfuse/array/array.hpp>

namespace lazyfuse {

/// Uninitialised elements. \numpy{empty}
template <element_type T = double, memory_space Space = default_space, int R>
array<T, R, Space> empty(const shape<R>& s, caller where = caller::here()) {
  return array<T, R, Space>(s, where);
}
template <element_type T = double, memory_space Space = default_space, int R>
array<T, R, Space> empty(const index_t (&extents)[R], caller where = caller::here()) {
  return array<T, R, Space>(view_detail::shape_from(extents), where);
}

namespace array_detail {
/// The device of the first array of an expression that is on one.
template <class X>
int device_of(const X& x) {
  if constexpr (tree_t<X>::owners > 0)
    for (const allocation* a : x.memory.memory)
      if (a && a->device >= 0) return a->device;
  return -1;
}
}  // namespace array_detail

/// Uninitialised elements of the shape of x, in its space and on its GPU, and of its element type unless another is
/// named: an array, not an expression, since it has yet to be filled. \numpy{empty_like}
template <class T = void, class X>
  requires expression<X>
auto empty_like(const X& x, caller where = caller::here()) {
  using E = std::conditional_t<__is_same(T, void), value_t<X>, T>;
  const memory_detail::device_scope<result_space<X>> scope(array_detail::device_of(x));
  return array<E, rank_of<X>, result_space<X>>(x.shape(), where);
}

}  // namespace lazyfuse
