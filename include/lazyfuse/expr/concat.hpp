// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions one after the other: concat, stack, hstack, vstack. Every part is a gather that reads nothing beyond
// itself, and the position chooses between them.
#pragma once

#include <lazyfuse/expr/pad.hpp>

namespace lazyfuse {

namespace concat_detail {

/// The part that begins at `first` along axis A of the whole, and what is zero elsewhere but for what computes it.
template <int A, int R, class Tree>
auto part(const Tree& e, const shape<R>& whole, index_t first) {
  index_map<R, R> m;
  m.extents = whole;
  for (int k = 0; k < R; ++k) {
    m.source[k] = k == A ? -1 : k;
    m.factor[k] = k == A ? 0 : 1;
  }
  const auto index = pad_detail::positions(whole, A, first);
  const gather_detail::gather<R, R, ir::beyond::zero, axes<A - R>, bare_t<decltype(index)>> g{m, {{index}}};
  return gather_detail::gathered(e, g);
}
template <int A, int R, class X>
auto chosen(const shape<R>& whole, index_t first, const X& x) {
  return over(part<A>(x.tree, whole, first), x);
}
template <int A, int R, class X, class... More>
auto chosen(const shape<R>& whole, index_t first, const X& x, const More&... more) {
  const index_t end = first + x.shape()[A];
  return where(over(pad_detail::positions(whole, A, 0)) < end, over(part<A>(x.tree, whole, first), x),
               chosen<A>(whole, end, more...));
}

/// The shape of the whole. Throws shape_error unless they differ along the axis alone.
template <int R>
shape<R> joined(const char* operation, int axis, const shape<R>& first) {
  (void)operation, (void)axis;
  return first;
}
template <int R, class... More>
shape<R> joined(const char* operation, int axis, const shape<R>& first, const shape<R>& next, const More&... more) {
  shape<R> both = first;
  for (int k = 0; k < R; ++k)
    if (k != axis && first[k] != next[k])
      throw_shapes(operation, first.extent, R, next.extent, R, "differ beside the axis along which they are joined");
  both[axis] += next[axis];
  return joined(operation, axis, both, more...);
}
template <int A, class X, class... More>
auto all_of(const char* operation, const X& x, const More&... more) {
  return chosen<A>(checked(joined(operation, A, x.shape(), more.shape()...), operation), 0, x, more...);
}
/// x with a new axis.
template <int A, class X>
auto with_axis(const X& x) {
  constexpr int R = rank_of<X>;
  index_map<R, R + 1> m;
  for (int k = 0; k <= R; ++k) {
    m.source[k] = k == A ? -1 : k - (k > A);
    m.factor[k] = k == A ? 0 : 1;
    m.extents[k] = k == A ? 1 : x.shape()[k - (k > A)];
  }
  return over(view_detail::remap(x.tree, m), x);
}
template <class X>
auto as_row(const X& x) {
  if constexpr (rank_of<X> == 0) return with_axis<0>(with_axis<0>(x));
  else if constexpr (rank_of<X> == 1) return with_axis<0>(x);
  else return x;
}
template <class X>
auto at_least_one_axis(const X& x) {
  if constexpr (rank_of<X> == 0) return with_axis<0>(x);
  else return x;
}
template <class X, class... More>
inline constexpr bool of_one_rank = ((rank_of<More> == rank_of<X>)&&...);

}  // namespace concat_detail

/// concat<0>(x, y, ...): expressions one after the other along an axis, the first unless given; the element type is
/// that in which they meet. One kernel, which reads of each what is asked for and computes all of them at every
/// position; on the host, of many elements, one for each part. Throws shape_error unless they differ along that axis
/// alone. \numpy{concat}
template <int Axis = 0, class X, class... More>
  requires expression<X>
auto concat(const X& x, const More&... more) {
  constexpr bool expressions = (expression<More> && ...);
  static_assert(expressions, "lazyfuse: concat joins expressions; a number goes behind one by pad");
  if constexpr (!expressions) return x;
  else {
    constexpr bool axes = rank_of < X >> 0, alike = concat_detail::of_one_rank<X, More...>;
    static_assert(alike && axes, "lazyfuse: concat joins expressions of one rank; stack gives them an axis more");
    if constexpr (!alike || !axes) return x;
    else return concat_detail::all_of<view_detail::normal_axis<Axis, rank_of<X>>()>("concat", x, more...);
  }
}
/// stack<0>(x, y, ...): expressions of one shape one after the other along a new axis, the first unless given; as
/// concat otherwise. \numpy{stack}
template <int Axis = 0, class X, class... More>
  requires(expression<X> && (expression<More> && ...))
auto stack(const X& x, const More&... more) {
  constexpr bool alike = concat_detail::of_one_rank<X, More...>, fits = rank_of<X> < max_rank;
  static_assert(alike, "lazyfuse: stack joins expressions of one rank");
  static_assert(fits, "lazyfuse: stack makes an axis more, and an expression has 8 at most");
  if constexpr (!alike || !fits) return x;
  else {
    constexpr int a = view_detail::normal_axis<Axis, rank_of<X> + 1>();
    return concat_detail::all_of<a>("stack", concat_detail::with_axis<a>(x), concat_detail::with_axis<a>(more)...);
  }
}
/// vstack(x, y, ...): concat along the first axis, of sequences as rows. \numpy{vstack}
template <class... X>
  requires(expression<X>&&...)
auto vstack(const X&... x) { return concat<0>(concat_detail::as_row(x)...); }
/// hstack(x, y, ...): concat along the second axis, of sequences along their only one. \numpy{hstack}
template <class X, class... More>
  requires(expression<X> && (expression<More> && ...))
auto hstack(const X& x, const More&... more) {
  return concat<(rank_of<X> > 1 ? 1 : 0)>(concat_detail::at_least_one_axis(x),
                                          concat_detail::at_least_one_axis(more)...);
}

}  // namespace lazyfuse
