// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gradient: derivatives along an axis from differences of neighbours. Neighbours are rolls, so all is one kernel with
// what is around it.
#pragma once

#include <lazyfuse/expr/create.hpp>
#include <lazyfuse/expr/parts.hpp>
#include <lazyfuse/expr/roll.hpp>

namespace lazyfuse {

namespace gradient_detail {

/// Elements along an axis and their neighbours, which beyond an end are those of the other.
template <int Axis, class X>
struct line {
  const X& x;
  index_t n = x.shape()[Axis];

  /// A vector along the axis.
  template <class V>
  static constexpr auto along(const V& v) {
    return [&]<int... Behind>(index_sequence<Behind...>) { return v(all, (static_cast<void>(Behind), newaxis)...); }
    (make_index_sequence<rank_of<X> - 1 - Axis>{});
  }
  auto is_first() const { return along(arange<index_t>(n)) == index_t{0}; }
  auto is_last() const { return along(arange<index_t>(n)) == n - 1; }
  auto before() const { return roll(x, 1, axes<Axis>{}); }
  auto after() const { return roll(x, -1, axes<Axis>{}); }
};

/// Of elements at one distance.
template <int Axis, class X>
auto at_distance(const X& x, double distance) {
  using real = part_t<value_t<X>>;
  const line<Axis, X> l{x};
  const auto of_two = where(l.is_first() | l.is_last(), static_cast<real>(distance), static_cast<real>(2 * distance));
  return (where(l.is_last(), x, l.after()) - where(l.is_first(), x, l.before())) / of_two;
}
/// Of elements at these coordinates: of the parabola through three neighbours, of the line through two at an end.
template <int Axis, class X, class C>
auto at_coordinates(const X& x, const C& coordinates) {
  using real = part_t<value_t<X>>;
  const line<Axis, X> l{x};
  const auto vector = cast<double>(coordinates);
  const auto to_before = l.along(vector - roll(vector, 1));
  const auto to_after = l.along(roll(vector, -1) - vector);
  const auto of_before = -to_after / (to_before * (to_before + to_after));
  const auto of_itself = (to_after - to_before) / (to_before * to_after);
  const auto of_after = to_before / (to_after * (to_before + to_after));
  const auto inside = cast<real>(of_before) * l.before() + cast<real>(of_itself) * x + cast<real>(of_after) * l.after();
  return where(l.is_first(), (l.after() - x) / cast<real>(to_after),
               where(l.is_last(), (x - l.before()) / cast<real>(to_before), inside));
}

/// x, of integers as double.
template <class X>
constexpr auto differentiable(const X& x) {
  if constexpr (integer<value_t<X>>) return cast<double>(x);
  else return x;
}

template <int A, class X, class F>
auto checked(const X& x, const F& f) {
  constexpr int R = rank_of<X>;
  constexpr bool number = !boolean<value_t<X>>, has_axis = R > 0;
  static_assert(number, "lazyfuse: gradient is defined for numbers; of bool write cast<double>(x)");
  static_assert(has_axis, "lazyfuse: gradient takes arrays: a number has no neighbours");
  if constexpr (!number || !has_axis) return x;
  else {
    constexpr int axis = view_detail::normal_axis<A, R>();
    if (x.shape()[axis] < 2) throw_value("gradient: the axis has fewer than two elements");
    return f.template operator()<axis>(differentiable(x));
  }
}

}  // namespace gradient_detail

/// gradient(x, h, axis<k>): the derivative along an axis of elements at a distance h of each other, 1 unless given:
/// half of the difference of both neighbours divided by h, at the ends the difference to the only one. Arrays of one
/// axis need not name it. Reals and complex numbers keep their type, integers give double. Throws index_error if the
/// axis has fewer than two elements. \numpy{gradient}
template <class X, class H = double, int... A>
  requires(expression<X>&& std::is_arithmetic_v<H>)
auto gradient(const X& x, H h = 1, axes<A...> = {}) {
  constexpr bool one = sizeof...(A) == 1 || (sizeof...(A) == 0 && rank_of<X> <= 1);
  static_assert(one, "lazyfuse: gradient is taken along one axis, which arrays of several name: gradient(x, axis<0>)");
  if constexpr (!one) return x;
  else
    return gradient_detail::checked<(A + ... + (sizeof...(A) == 0 ? -1 : 0))>(
        x, [&]<int Axis>(const auto& y) { return gradient_detail::at_distance<Axis>(y, static_cast<double>(h)); });
}
template <class X, int... A>
  requires(expression<X>)
auto gradient(const X& x, axes<A...> along) { return gradient(x, 1.0, along); }
/// gradient(x, coordinates, axis<k>): of elements at these coordinates, a vector as long as the axis, or throws
/// shape_error: of the parabola through an element and its two neighbours.
template <class X, class C, int... A>
  requires(expression<X>&& expression<C>)
auto gradient(const X& x, const C& coordinates, axes<A...> = {}) {
  constexpr bool one = sizeof...(A) == 1 || (sizeof...(A) == 0 && rank_of<X> <= 1), vector = rank_of<C> == 1;
  static_assert(one, "lazyfuse: gradient is taken along one axis, which arrays of several name: gradient(x, axis<0>)");
  static_assert(vector, "lazyfuse: gradient takes one distance, or a vector of coordinates along its axis");
  if constexpr (!one || !vector) return x;
  else
    return gradient_detail::checked<(A + ... + (sizeof...(A) == 0 ? -1 : 0))>(x, [&]<int Axis>(const auto& y) {
      if (coordinates.shape()[0] != y.shape()[Axis])
        throw_shapes("gradient", y.shape().extent, rank_of<X>, coordinates.shape().extent, 1,
                     "differ: there is one coordinate for each element of the axis");
      return gradient_detail::at_coordinates<Axis>(y, coordinates);
    });
}

}  // namespace lazyfuse
