// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that others own: read when an expression is evaluated, written by into(view) = e. No copies,
// no copy-on-write; overlap between what is read and what is written is still detected.
#pragma once

#include <lazyfuse/array/array.hpp>

namespace lazyfuse {

/// A view of memory that somebody else owns; the memory must live until the expressions over it have run. A view of
/// const T is read-only.
template <class T, int R, class Space>
using borrowed = lazy<tree::leaf<stored<T, Space>, R>>;

/// p with extents and steps (in elements, of any sign); row-major without steps. Throws borrow_error if p is null, not
/// aligned, or memory of another space (asked of the CUDA runtime once a GPU is used), shape_error for a negative
/// extent.
template <memory_space Space = host, class T, int R>
borrowed<T, R, Space> borrow(T* p, const shape<R>& s, const strides<R>& steps, caller where = caller::here()) {
  if (checked(s, "borrow").size() > 0) memory_detail::check_place(Space{}, p, alignof(T), "borrow", where);
  return {{}, {{nullptr, p}, s, steps}, {}};
}
/// p with extents, row-major.
template <memory_space Space = host, class T, int R>
auto borrow(T* p, const shape<R>& s, caller where = caller::here()) {
  return borrow<Space>(p, s, row_major(s), where);
}
/// borrow(p, {3, 4})
template <memory_space Space = host, class T, int R>
auto borrow(T* p, const index_t (&extents)[R], caller where = caller::here()) {
  return borrow<Space>(p, view_detail::shape_from(extents), where);
}
/// borrow(p, {3, 4}, {1, 3}): steps in elements.
template <memory_space Space = host, class T, int R>
auto borrow(T* p, const index_t (&extents)[R], const index_t (&steps)[R], caller where = caller::here()) {
  strides<R> t;
  for (int k = 0; k < R; ++k) t[k] = steps[k];
  return borrow<Space>(p, view_detail::shape_from(extents), t, where);
}

namespace borrow_detail {

/// Where the pointer says that its memory is.
struct told {};
/// Pointers of Thrust to memory of a device.
template <class P>
concept device_pointer = !std::is_pointer_v<P> && requires(P p) {
  raw_pointer_cast(p);
};
template <class P>
auto* raw(P p) {
  if constexpr (device_pointer<P>) return raw_pointer_cast(p);
  else return p;
}
template <class Space, class P>
using space_for = std::conditional_t<!__is_same(Space, told), Space, std::conditional_t<device_pointer<P>, cuda, host>>;

template <class C>
using pointer_of = decltype(std::declval<C&>().data());
/// Whether its elements live on when it is gone, as those of a span do.
template <class C>
inline constexpr bool is_view = std::ranges::borrowed_range<C> ||
                                __is_same(pointer_of<std::remove_const_t<C>>, pointer_of<const C>);

template <class M>
concept strided_span = requires(const M& m) {
  m.data_handle();
  m.mapping();
  m.accessor();
  M::rank();
};

}  // namespace borrow_detail

/// Contiguous containers and spans, of rank 1. The space of Thrust's device vectors is lf::cuda, that of others
/// lf::host, unless it is given. A const container, or one of const elements, is read-only.
template <class Space = borrow_detail::told, class C>
  requires requires(C& c) {
    c.data();
    c.size();
  } &&(!expression<C>)auto borrow(C&& c, caller where = caller::here()) {
    using container = std::remove_reference_t<C>;
    constexpr bool stays = [] {
      if constexpr (__is_same(C, container)) return borrow_detail::is_view<container>;
      else return true;
    }();
    static_assert(stays, "lazyfuse: borrow does not keep a temporary container alive; give the container a name");
    using space = borrow_detail::space_for<Space, borrow_detail::pointer_of<container>>;
    return borrow<space>(borrow_detail::raw(c.data()), shape<1>{static_cast<index_t>(c.size())}, where);
  }

  /// Any mdspan with strides: cuda::std::mdspan, std::mdspan, Kokkos::mdspan. Const elements are read-only.
  template <memory_space Space = host, borrow_detail::strided_span M>
  auto borrow(const M& m, caller where = caller::here()) {
    constexpr bool strided = M::is_always_strided();
    static_assert(strided, "lazyfuse: borrow takes an mdspan whose layout has strides");
    using element = typename M::element_type;
    constexpr bool plain = __is_same(decltype(m.accessor().access(m.data_handle(), 0)), element&) &&
                           std::is_convertible_v<decltype(m.data_handle()), element*>;
    static_assert(plain, "lazyfuse: borrow takes an mdspan whose accessor gives the elements as they are in memory");
    if constexpr (strided && plain) {
      constexpr int R = int(M::rank());
      shape<R> s;
      strides<R> t;
      if constexpr (R > 0)
        for (int k = 0; k < R; ++k) {
          s[k] = static_cast<index_t>(m.extent(k));
          t[k] = static_cast<index_t>(m.stride(k));
        }
      return borrow<Space>(static_cast<element*>(m.data_handle()), s, t, where);
    }
  }

}  // namespace lazyfuse
