// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of positions: coordinates of a grid, functions of them, diagonal masks, geometric sequences. Made of
// ramps that are broadcast, so they allocate nothing and fuse with what they are combined with.
#pragma once

#include <lazyfuse/expr/create.hpp>

#include <array>
#include <tuple>

namespace lazyfuse {

namespace grid_detail {
/// A sequence as axis `axis` of the shape s, repeated along the others.
template <class X, int R>
constexpr auto along(X&& x, int axis, const shape<R>& s) {
  index_map<1, R> m;
  m.extents = s;
  for (int k = 0; k < R; ++k) {
    m.source[k] = k == axis ? 0 : -1;
    m.factor[k] = k == axis ? 1 : 0;
  }
  return over(view_detail::remap(x.tree, m), static_cast<X&&>(x));
}
/// The index along one axis, at every position of s.
template <class T, int R>
constexpr auto coordinate(int axis, const shape<R>& s, const char* operation) {
  return along(create_detail::progression<T>(0, s[axis], 1, operation), axis, s);
}
template <class T, int R, int... I>
constexpr auto indices(const shape<R>& s, index_sequence<I...>) {
  using E = decltype(coordinate<T>(0, s, ""));
  return std::array<E, sizeof...(I)>{coordinate<T>(I, s, "indices")...};
}
/// On which diagonal of the last two axes of s a position is: column - row, which is a ramp as well.
template <int R>
constexpr auto diagonal(const shape<R>& s) {
  strides<R> steps;
  steps[R - 2] = -1;
  steps[R - 1] = 1;
  constexpr index_t no_end = -(index_t{1} << 62);  // -1 is a diagonal
  return over(tree::leaf<ir::ramp<int64>, R>({0, 1, 0, {}, no_end}, s, steps));
}
template <class T, class E>
constexpr auto as(E&& mask) {
  if constexpr (boolean<T>) return mask;
  else return cast<T>(static_cast<E&&>(mask));
}
template <class X>
constexpr auto zero_of(const X&) {
  return zeros<value_t<X>>(shape<0>{});
}
}  // namespace grid_detail

/// The index along each axis, at every position of s: R expressions of that shape, for structured bindings, as in
/// `auto [i, j] = indices({3, 4})`. Their element type is int64, or T. Throws shape_error if an extent is negative,
/// dtype_error if an index does not fit T. \numpy{indices}
template <number T = int64, int R>
constexpr auto indices(const shape<R>& s) {
  return grid_detail::indices<T>(checked(s, "indices"), make_index_sequence<R>{});
}
/// indices({3, 4}), indices<float>({3, 4})
template <number T = int64, int R>
constexpr auto indices(const index_t (&extents)[R]) {
  return indices<T>(view_detail::shape_from(extents));
}

/// f of the indices at every position of s, which has at least one axis: f(i, j) for two. They are int64 (NumPy's are
/// double), or of type T; f is called as by map, on the device for what is evaluated there. The element type is f's.
/// Throws shape_error if an extent is negative, dtype_error if an index does not fit T. \numpy{fromfunction}
template <number T = int64, int R, class F>
constexpr auto fromfunction(F f, const shape<R>& s) {
  static_assert(R > 0, "lazyfuse: fromfunction needs at least one axis");
  return [&]<int... I>(index_sequence<I...>) {
    return map(f, grid_detail::coordinate<T>(I, checked(s, "fromfunction"), "fromfunction")...);
  }
  (make_index_sequence<R>{});
}
/// fromfunction(f, {3, 4})
template <number T = int64, int R, class F>
constexpr auto fromfunction(F f, const index_t (&extents)[R]) {
  return fromfunction<T>(f, view_detail::shape_from(extents));
}

/// Which axis the first sequence of a meshgrid runs along: the second, as the x of a plot (xy), or the first (ij).
enum class indexing { xy, ij };

/// Sequences repeated to the grid that they span: a tuple of as many expressions, all of its shape, as views: no memory
/// is read more often, and none is written. `auto [gx, gy] = meshgrid(x, y)` has y's elements along the first axis and
/// x's along the second; `meshgrid<indexing::ij>(x, y)` the other way round. The element types are those of the
/// sequences. \numpy{meshgrid}
template <indexing Indexing = indexing::xy, class... X>
  requires(expression<X>&&...)
constexpr auto meshgrid(X&&... x) {
  constexpr bool sequences = ((rank_of<X> == 1) && ...);
  static_assert(sequences, "lazyfuse: meshgrid takes sequences: expressions of rank 1");
  if constexpr (sequences) {
    constexpr int R = sizeof...(X);
    constexpr auto axis = [](int k) { return Indexing == indexing::xy && R > 1 && k < 2 ? 1 - k : k; };
    const index_t sizes[] = {x.shape()[0]..., 0};
    shape<R> s;
    for (int k = 0; k < R; ++k) s[axis(k)] = sizes[k];
    return [&]<int... I>(index_sequence<I...>) {
      return std::tuple<bare_t<decltype(grid_detail::along(static_cast<X&&>(x), I, s))>...>{
          grid_detail::along(static_cast<X&&>(x), axis(I), s)...};
    }
    (make_index_sequence<R>{});
  }
}

/// Ones on diagonal k (above the main one if k > 0) and zeros elsewhere, rows x columns of type T; bool is a mask.
/// Throws shape_error if an extent is negative. \numpy{eye}
template <arithmetic_type T = double>
constexpr auto eye(index_t rows, index_t columns, index_t k = 0) {
  const shape<2> s = checked(shape<2>{rows, columns}, "eye");
  return grid_detail::as<T>(grid_detail::diagonal(s) == k);
}
/// eye<float>(4)
template <arithmetic_type T = double>
constexpr auto eye(index_t rows) {
  return eye<T>(rows, rows);
}
/// Ones on diagonal k and below it, zeros above, rows x columns of type T; bool is a mask. Throws shape_error if an
/// extent is negative. \numpy{tri}
template <arithmetic_type T = double>
constexpr auto tri(index_t rows, index_t columns, index_t k = 0) {
  const shape<2> s = checked(shape<2>{rows, columns}, "tri");
  return grid_detail::as<T>(grid_detail::diagonal(s) <= k);
}
/// tri<float>(4)
template <arithmetic_type T = double>
constexpr auto tri(index_t rows) {
  return tri<T>(rows, rows);
}
/// x with zeros above diagonal k of its last two axes, of which it must have two; of x's shape and element type.
/// \numpy{tril}
template <class X>
  requires expression<X>
constexpr auto tril(X&& x, index_t k = 0) {
  static_assert(rank_of<X> >= 2, "lazyfuse: tril takes matrices: expressions of rank 2 or more");
  const auto s = x.shape();
  const auto zero = grid_detail::zero_of(x);
  return where(grid_detail::diagonal(s) <= k, static_cast<X&&>(x), zero);
}
/// x with zeros below diagonal k, as tril. \numpy{triu}
template <class X>
  requires expression<X>
constexpr auto triu(X&& x, index_t k = 0) {
  static_assert(rank_of<X> >= 2, "lazyfuse: triu takes matrices: expressions of rank 2 or more");
  const auto s = x.shape();
  const auto zero = grid_detail::zero_of(x);
  return where(grid_detail::diagonal(s) >= k, static_cast<X&&>(x), zero);
}

/// n powers of the base: base^linspace(start, stop, n), computed in double, of the type of linspace. Throws shape_error
/// if n is negative. \numpy{logspace}
template <class T = void, class A, class B, class E = create_detail::between_t<T, A, B>>
  requires real_number<E>
constexpr auto logspace(A start, B stop, index_t n, double base = 10) {
  return cast<E>(pow(base, linspace<double>(static_cast<E>(start), static_cast<E>(stop), n)));
}
/// n numbers from start to stop, both exact, each the same multiple of the one before; computed in double, of the type
/// of linspace. Throws index_error if start or stop is zero, or they differ in sign, shape_error if n is negative.
/// \numpy{geomspace}
template <class T = void, class A, class B, class E = create_detail::between_t<T, A, B>>
  requires real_number<E>
auto geomspace(A from, B to, index_t n) {
  const E start = static_cast<E>(from), stop = static_cast<E>(to);
  if (start == 0 || stop == 0) throw_value("geomspace: start or stop is zero");
  if ((start < 0) != (stop < 0)) throw_value("geomspace: start and stop differ in sign");
  const double sign = start < 0 ? -1 : 1;
  const auto powers =
      pow(10.0, linspace<double>(__builtin_log10(sign * double(start)), __builtin_log10(sign * double(stop)), n)) *
      sign;
  const auto i = arange<int64>(n);
  return cast<E>(where(i == 0, double(start), where(i == n - 1, double(stop), powers)));
}

}  // namespace lazyfuse
