// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that others own: read when an expression is evaluated, written by into(view) = e. No copies,
// no copy-on-write; overlap between what is read and what is written is still detected.
#pragma once

#include <lazyfuse/array/array.hpp>

namespace lazyfuse {

/// A view of memory that stays somebody else's; it must live until the expressions over it have run.
template <class T, int R, class Space>
using borrowed = lazy<leaf<stored<T, Space>, R>>;

/// p with extents and steps (in elements); row-major without steps.
template <memory_space Space = host, class T, int R>
borrowed<::cuda::std::remove_const_t<T>, R, Space> borrow(T* p, const shape<R>& s, const strides<R>& steps) {
  return {{}, {{nullptr, p}, s, steps}, {}};
}
/// p with extents, row-major.
template <memory_space Space = host, class T, int R>
auto borrow(T* p, const shape<R>& s) {
  return borrow<Space>(p, s, row_major(s));
}
/// borrow(p, {3, 4})
template <memory_space Space = host, class T, int R>
auto borrow(T* p, const index_t (&extents)[R]) {
  return borrow<Space>(p, view_detail::shape_from(extents));
}
/// borrow(p, {3, 4}, {1, 3}): steps in elements.
template <memory_space Space = host, class T, int R>
auto borrow(T* p, const index_t (&extents)[R], const index_t (&steps)[R]) {
  const auto s = view_detail::shape_from(steps);
  strides<R> t;
  for (int k = 0; k < R; ++k) t[k] = s[k];
  return borrow<Space>(p, view_detail::shape_from(extents), t);
}

/// Contiguous containers and spans: rank 1.
template <memory_space Space = host, class C>
  requires requires(C& c) {
    c.data();
    c.size();
  } &&(!expression<C>)auto borrow(C&& c) {
    return borrow<Space>(c.data(), shape<1>{static_cast<index_t>(c.size())});
  }

  /// Any mdspan with strides: cuda::std::mdspan, std::mdspan, Kokkos::mdspan.
  template <memory_space Space = host, class M>
    requires requires(const M& m) {
      m.data_handle();
      m.extent(0);
      m.stride(0);
    }
  auto borrow(const M& m) {
    constexpr int R = int(M::rank());
    shape<R> s;
    strides<R> t;
    for (int k = 0; k < R; ++k) {
      s[k] = static_cast<index_t>(m.extent(k));
      t[k] = static_cast<index_t>(m.stride(k));
    }
    return borrow<Space>(m.data_handle(), s, t);
  }

  /// The elements of a range, copied into a new array of rank 1.
  template <memory_space Space = default_space, std::ranges::input_range Range>
    requires(!expression<Range>)
  auto from(Range&& r);

}  // namespace lazyfuse
