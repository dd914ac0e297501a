// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the elements of an array that can be written by themselves: component<K>(x) = e, real(z) = e, imag(z) = e.
// They are read by the operations of these names, and written where they lie in memory.
#pragma once

#include <lazyfuse/array/array.hpp>

namespace lazyfuse {

namespace parts_detail {
/// Which part of an element of type V the operation reads, and how many it has.
template <class Op, class V>
struct part;
template <int K, class T, int N>
  requires(K >= 0 && K < N)
struct part<op::component<K>, vec<T, N>> {
  using type = T;
  static constexpr int number = K, count = N;
};
template <class T>
struct part<op::real, complex<T>> {
  using type = T;
  static constexpr int number = 0, count = 2;
};
template <class T>
struct part<op::imag, complex<T>> {
  using type = T;
  static constexpr int number = 1, count = 2;
};
template <class T>
  requires(integer<T> || floating_point<T>)
struct part<op::real, T> {
  using type = T;
  static constexpr int number = 0, count = 1;
};

/// An array that has a name, or a temporary slice.
template <class X>
inline constexpr bool can_be_written = false;
template <class V, int R, class Space>
inline constexpr bool can_be_written<array<V, R, Space>&> = true;
template <class V, class Space, int R>
inline constexpr bool can_be_written<slice<tree::leaf<stored<V, Space>, R>>> = true;
template <class X, class Op>
concept has_part = can_be_written<X> && requires {
  part<Op, typename bare_t<X>::value_type>::number;
};

template <class Op, class Tree>
auto of(slice<Tree>&& x) {
  auto e = map<Op>(static_cast<lazy<Tree>&&>(x));
  return slice<tree_t<decltype(e)>>(static_cast<decltype(e)&&>(e), x.written);
}
template <class Op, class V, int R, class Space>
auto of(array<V, R, Space>& x) {
  return of<Op>(x());
}
}  // namespace parts_detail

template <class Op, class Seq, class V, class Space, int R>
struct stored_place<tree::map_expr<Op, Seq, tree::leaf<stored<V, Space>, R>>> {
  using element = V;
  static auto of(const tree::map_expr<Op, Seq, tree::leaf<stored<V, Space>, R>>& e) {
    using part = parts_detail::part<Op, V>;
    using T = typename part::type;
    static_assert(sizeof(V) == part::count * sizeof(T));
    const tree::leaf<stored<V, Space>, R>& whole = e.template argument<0>();
    strides<R> steps = whole.steps;
    for (int k = 0; k < R; ++k) steps[k] *= part::count;
    return tree::leaf<stored<T, Space>, R>({whole.source.owner, reinterpret_cast<const T*>(whole.source.data)},
                                           whole.extents, steps, whole.offset * part::count + part::number);
  }
};

/// component<K>(x) = e writes component K of every element of an array or of a view of it, x(...).
template <int K, class X>
  requires operands<X> && parts_detail::has_part<X, op::component<K>>
auto component(X&& x) { return parts_detail::of<op::component<K>>(static_cast<X&&>(x)); }
/// real(z) = e writes the real part of every element of an array or of a view of it, z(...).
template <class X>
  requires operands<X> && parts_detail::has_part<X, op::real>
auto real(X&& x) { return parts_detail::of<op::real>(static_cast<X&&>(x)); }
/// imag(z) = e writes the imaginary part of every element of an array or of a view of it, z(...).
template <class X>
  requires operands<X> && parts_detail::has_part<X, op::imag>
auto imag(X&& x) { return parts_detail::of<op::imag>(static_cast<X&&>(x)); }

}  // namespace lazyfuse
