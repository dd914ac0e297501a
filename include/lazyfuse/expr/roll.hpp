// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// roll: elements moved along axes, those beyond the end to the beginning. A view, but no affine one: leaves become such
// as read others through a map (program/remapped.hpp). What is still to be computed is computed into memory first.
#pragma once

#include <lazyfuse/expr/barrier.hpp>
#include <lazyfuse/program/remapped.hpp>

#include <utility>

namespace lazyfuse {

namespace tree {

template <class Source, class Map, int R>
struct source_traits<ir::remapped<Source, Map, R>> {
  using space = typename source_traits<Source>::space;
  using viewed = ir::remapped<Source, Map, R>;
  static constexpr bool is_argument = false;
  static constexpr int owners = source_traits<Source>::owners;
};

/// Computed into memory of its own, which is then read through a map.
template <class Map, int R>
struct to_remapped_memory {
  static constexpr bool in_kernel = false, in_own_order = false;
  static constexpr const char* because = "read through a map";
  using viewed = to_remapped_memory;
  Map map;
  ir::strided<R> within;
  template <class Source>
  constexpr auto read(const Source& s) const {
    return ir::remapped<Source, Map, R>{s, map, within};
  }
};

}  // namespace tree

namespace roll_detail {

/// How far the named axes roll, counted from the last, which is -1: operands of lower rank lack the first ones.
template <int... Axis>
struct turn {
  index_t shift[sizeof...(Axis)];
  template <int R>
  static constexpr bool concerns = ((Axis >= -R) || ...);
};
/// How far all elements of a shape roll, in row-major order.
template <>
struct turn<> {
  index_t shift[1];
  template <int R>
  static constexpr bool concerns = R > 0;
};

ir::position_divisor divisor_of(index_t value);
/// Fills in a map that rolls each of some axes of the extents; without axes, all elements in row-major order.
void fill_rolling(const index_t* extents, int rank, const int* axes, int count, const index_t* shifts,
                  ir::position_divisor* block, index_t* distance);
/// Fills in where the elements of extents and steps lie. Returns the first axis that is used.
int fill_strided(const index_t* extents, const index_t* steps, int rank, ir::position_divisor* to_extents,
                 index_t* to_steps);

template <int R, int... Axis>
auto rolling_of(const shape<R>& s, const turn<Axis...>& t) {
  constexpr int count = sizeof...(Axis);
  const int axes[count + 1] = {R + Axis...};
  ir::rolling<(count > 0 ? count : 1)> m;
  m.size = s.size();
  fill_rolling(s.extent, R, axes, count, t.shift, m.block, m.distance);
  return m;
}
template <int R>
ir::strided<R> strided_of(const shape<R>& s, const strides<R>& steps, index_t offset) {
  ir::strided<R> to;
  to.start = offset;
  to.first = fill_strided(s.extent, steps.step, R, to.extents, to.steps.step);
  return to;
}

/// A leaf whose source is read through a map, of elements that are there, or in memory when they are computed.
template <class Source, int R, class Map>
auto through(const tree::leaf<Source, R>& e, const Map& map) {
  return tree::leaf<ir::remapped<typename tree::source_traits<Source>::viewed, Map, R>, R>(
      {view_detail::viewed(e.source), map, strided_of(e.extents, e.steps, e.offset)}, e.extents, row_major(e.extents));
}
template <class Argument, int R, class Map>
auto through_memory(const Argument& a, const shape<R>& s, const Map& map, const ir::strided<R>& within) {
  using kind = tree::to_remapped_memory<Map, R>;
  return tree::leaf<tree::deferred<kind, Argument>, R>({a, {map, within}}, s, row_major(s));
}
/// Of elements that a graph computes (array/lazy_array.hpp).
template <class Source, int R, class Map>
  requires(tree::source_traits<Source>::in_memory_first)
auto through(const tree::leaf<Source, R>& e, const Map& map) {
  return through_memory(e, e.extents, map, strided_of(e.extents, row_major(e.extents), 0));
}
template <class Kind, class A, int R, class Map>
auto through(const tree::leaf<tree::deferred<Kind, A>, R>& e, const Map& map) {
  return through_memory(e, e.extents, map, strided_of(e.extents, row_major(e.extents), 0));
}
template <bool ByLimits, class A, int R, class Map>
auto through(const tree::leaf<tree::computed<A, ByLimits>, R>& e, const Map& map) {
  return through_memory(e.source.argument, e.extents, map, strided_of(e.extents, e.steps, e.offset));
}

template <class Source, int R, class Turn>
auto rolled(const tree::leaf<Source, R>& e, const Turn& t) {
  if constexpr (ir::is_constant<typename tree::source_traits<Source>::viewed>) return e;
  else return through(e, rolling_of(e.extents, t));
}
template <class Op, class Seq, class... A, int... Axis>
auto rolled(const tree::map_expr<Op, Seq, A...>& e, const turn<Axis...>& t) {
  return tree::rebuilt(e, [&](const auto& a) {
    if constexpr (!turn<Axis...>::template concerns<bare_t<decltype(a)>::rank>) return a;
    else if constexpr (sizeof...(Axis) == 0) return rolled(view_detail::broadcast_tree(a, e.shape(), "roll"), t);
    else return rolled(a, t);  // axes of extent 1 stay as they are
  });
}

template <class X, int... Axis>
auto view(X&& x, const turn<Axis...>& t) {
  if constexpr (!turn<Axis...>::template concerns<rank_of<X>>) return bare_t<X>(static_cast<X&&>(x));
  else return over(rolled(x.tree, t), static_cast<X&&>(x));
}
/// One shift for each axis, which from(k) is the k-th of.
template <int Shifts, int... A, class X, class From>
auto along(X&& x, const From& from) {
  constexpr bool matches = Shifts == sizeof...(A) && Shifts > 0;
  static_assert(matches, "lazyfuse: roll takes one shift for each axis, roll(x, {1, 2}, axis<0, 1>), or one for all");
  if constexpr (!matches) return bare_t<X>(static_cast<X&&>(x));
  else {
    constexpr int R = rank_of<X>;
    turn<(view_detail::normal_axis<A, R>() - R)...> t;
    for (int k = 0; k < Shifts; ++k) t.shift[k] = static_cast<index_t>(from(k));
    return view(static_cast<X&&>(x), t);
  }
}

template <class S>
inline constexpr int count_of = 0;
template <int K>
inline constexpr int count_of<shape<K>> = K;
template <class S>
  requires requires { ::std::tuple_size<S>::value; }
inline constexpr int count_of<S> = int(::std::tuple_size<S>::value);

}  // namespace roll_detail

/// roll(x, shift): element i is x's element i - shift, counted around the end, in row-major order over all axes. A
/// view, of any expression; reductions and barriers are computed into memory first. \numpy{roll}
template <class X, class I>
  requires(expression<X>&& std::is_integral_v<I>)
auto roll(X&& x, I shift) {
  if constexpr (rank_of<X> == 1) return roll_detail::view(static_cast<X&&>(x), roll_detail::turn<-1>{{index_t(shift)}});
  else return roll_detail::view(static_cast<X&&>(x), roll_detail::turn<>{{index_t(shift)}});
}
/// roll(x, shift, axis<0>): along an axis, or along each of several.
template <class X, class I, int... A>
  requires(expression<X>&& std::is_integral_v<I>)
auto roll(X&& x, I shift, axes<A...>) {
  return roll_detail::along<sizeof...(A), A...>(static_cast<X&&>(x), [&](int) { return shift; });
}
/// roll(x, {1, -2}, axis<0, 1>): a shift for each axis; those of an axis named twice add up.
template <class X, int K, int... A>
  requires expression<X>
auto roll(X&& x, const index_t (&shifts)[K], axes<A...>) {
  return roll_detail::along<K, A...>(static_cast<X&&>(x), [&](int k) { return shifts[k]; });
}
/// The shifts in a shape, or a std::array.
template <class X, class S, int... A>
  requires(expression<X> && (roll_detail::count_of<S>) > 0)
auto roll(X&& x, const S& shifts, axes<A...>) {
  return roll_detail::along<roll_detail::count_of<S>, A...>(static_cast<X&&>(x), [&](int k) { return shifts[k]; });
}
template <class X, int K>
  requires expression<X>
auto roll(X&& x, const index_t (&shifts)[K]) {
  return roll_detail::along<K>(static_cast<X&&>(x), [&](int k) { return shifts[k]; });
}
template <class X, class I, class... Axes>
  requires(expression<X>&& std::is_floating_point_v<I>)
auto roll(X&& x, I, Axes...) {
  static_assert(!__is_same(I, I), "lazyfuse: roll moves by whole elements: its shift is an integer");
  return bare_t<X>(static_cast<X&&>(x));
}
template <class X, class S, class I>
  requires(expression<X>&& std::is_integral_v<I>)
auto roll(X&& x, const S&, I) {
  static_assert(!__is_same(I, I), "lazyfuse: roll takes its axis as axis<...>, roll(x, 1, axis<0>) for roll(x, 1, 0)");
  return bare_t<X>(static_cast<X&&>(x));
}

}  // namespace lazyfuse
