// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays and borrowed memory as cuda::std::mdspan. The other direction is borrow (array/borrow.hpp), which takes any
// mdspan and needs no header.
#pragma once

#include <lazyfuse/array/borrow.hpp>

#if !__has_include(<cuda/std/mdspan>)
#error "lazyfuse: interop/mdspan.hpp wants cuda/std/mdspan, which is in CCCL 3 and in the CUDA Toolkit 13"
#endif
#include <cuda/std/mdspan>

namespace lazyfuse {

namespace mdspan_detail {
template <class T, int R>
using dense = ::cuda::std::mdspan<T, ::cuda::std::dextents<index_t, R>>;
template <class T, int R>
using strided = ::cuda::std::mdspan<T, ::cuda::std::dextents<index_t, R>, ::cuda::std::layout_stride>;

template <int R>
::cuda::std::dextents<index_t, R> extents_of(const shape<R>& s) {
  if constexpr (R == 0) return {};
  else {
    ::cuda::std::array<index_t, R> extents;
    for (int k = 0; k < R; ++k) extents[k] = s[k];
    return ::cuda::std::dextents<index_t, R>(extents);
  }
}
}  // namespace mdspan_detail

/// The elements of an array, row-major, without a copy: an mdspan of T of the array's rank, with 64-bit extents. As
/// with data(), an array that is not const first detaches from everyone who shares its elements, a const one gives
/// const elements. The mdspan does not keep the memory: it is good until the array is assigned to, copied and written,
/// or gone. On the GPU, its elements are ready for what comes later on the array's stream (data_on for other streams).
template <class T, int R, class Space>
mdspan_detail::dense<T, R> mdspan(array<T, R, Space>& x) {
  return {x.data(), mdspan_detail::extents_of(x.shape())};
}
template <class T, int R, class Space>
mdspan_detail::dense<const T, R> mdspan(const array<T, R, Space>& x) {
  return {x.data(), mdspan_detail::extents_of(x.shape())};
}
/// A temporary array ends before its mdspan could be used.
template <class T, int R, class Space>
void mdspan(array<T, R, Space>&&) = delete;

/// Borrowed memory or a view of it, with its steps: layout_stride, of const elements where it was borrowed as const.
/// Throws borrow_error for what mdspan has no layout for: steps that are negative, or zero along more than one element.
template <class T, int R, class Space>
mdspan_detail::strided<T, R> mdspan(const borrowed<T, R, Space>& x, caller where = caller::here()) {
  const tree::leaf<stored<T, Space>, R>& v = x.tree;
  if (v.source.owner && !v.source.owner->foreign)
    throw_borrow("mdspan", "a view of an array is read-only; take the mdspan of the array", where);
  const auto extents = mdspan_detail::extents_of(v.extents);
  using mapping = ::cuda::std::layout_stride::mapping<::cuda::std::dextents<index_t, R>>;
  ::cuda::std::array<index_t, R> steps{};
  if constexpr (R > 0)
    for (int k = 0; k < R; ++k) {
      if (v.steps[k] < 1 && v.extents[k] > 1)
        throw_borrow("mdspan", "layout_stride has no negative steps and repeats nothing", where);
      steps[k] = v.steps[k] < 1 ? 1 : v.steps[k];
    }
  return {const_cast<T*>(v.source.data) + v.offset, mapping(extents, steps)};
}

}  // namespace lazyfuse
