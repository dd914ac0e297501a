// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans as expressions: each element combined with all before it along an axis. A leaf whose source is still to be
// computed, of the argument's shape.
#pragma once

#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/program/scans.hpp>

namespace lazyfuse {

namespace tree {

/// Combining the elements along axis Axis of the argument with a monoid: dense and row-major. Viewed: some slice or
/// permutation of it.
template <class Monoid, int Axis, bool Exclusive, bool Reverse, bool Viewed>
struct by_scan {
  static constexpr bool in_kernel = true, in_own_order = !Viewed;
  static constexpr int axes = 0;
  static constexpr const char* cut = "cut at a scan";
  using viewed = by_scan<Monoid, Axis, Exclusive, Reverse, true>;
  using own = by_scan<Monoid, Axis, Exclusive, Reverse, false>;
  using stage = ir::scanned<Monoid, Exclusive>;
};

}  // namespace tree

/// Type of exclusive.
struct exclusive_t {};
/// An option of scans: each result is that of the elements before it, without itself; the first is the identity.
inline constexpr exclusive_t exclusive{};
/// Type of backwards.
struct backwards_t {};
/// An option of scans: they begin at the end of the axis, and each result is that of the elements from it on.
inline constexpr backwards_t backwards{};

namespace scan_detail {

template <class A>
inline constexpr bool is_exclusive = __is_same(A, exclusive_t);
template <class A>
inline constexpr bool is_backwards = __is_same(A, backwards_t);

template <class Monoid, bool Exclusive, bool Reverse, class E, int... A>
constexpr auto build(const E& e, axes<A...>) {
  if constexpr (E::rank == 0)  // NumPy's: one element
    return build<Monoid, Exclusive, Reverse>(view_detail::view_tree(e, newaxis), axes<A...>{});
  else if constexpr (sizeof...(A) == 0) return build<Monoid, Exclusive, Reverse>(e, axes<0>{});
  else {
    constexpr int axis = (view_detail::normal_axis<A, E::rank>(), ...);
    const auto elements = reduce_detail::accumulated<Monoid>(e);
    using argument = bare_t<decltype(elements)>;
    using source = tree::deferred<tree::by_scan<Monoid, axis, Exclusive, Reverse, false>, argument>;
    const tree::leaf<source, E::rank> result({elements}, e.shape(), row_major(e.shape()));
    if constexpr (requires { typename reduce_detail::result_of<Monoid, value_t<E>>; })
      return reduce_detail::as_type<reduce_detail::result_of<Monoid, value_t<E>>>(result);
    else return result;
  }
}

/// Whether scans know what to do with the options, for x of R axes; a sentence if not.
template <int R, class... O>
consteval bool options_fit() {
  using options_detail::is_axes;
  constexpr bool known = ((is_axes<O> || is_exclusive<O> || is_backwards<O>)&&...);
  static_assert(known,
                "lazyfuse: scans take axis<k>, exclusive and backwards after their operand: cumsum(x, axis<1>) for "
                "NumPy's cumsum(x, 1)");
  constexpr int named = (0 + ... + int(is_axes<O>));
  constexpr bool once = named <= 1 && (0 + ... + int(is_exclusive<O>)) <= 1 && (0 + ... + int(is_backwards<O>)) <= 1;
  static_assert(once, "lazyfuse: a scan takes each option once");
  if constexpr (known && once) {
    constexpr int axes_named = (0 + ... + [] {
      if constexpr (is_axes<O>) return options_detail::axis_count(O{});
      else return 0;
    }());
    constexpr bool one = axes_named == 1 || (named == 0 && R <= 1);
    static_assert(one,
                  "lazyfuse: a scan runs along one axis, which is named: cumsum(x, axis<0>); over all elements of an "
                  "array, as NumPy without an axis, cumsum(reshape(x, {-1}))");
    return one;
  }
  return false;
}

template <class Monoid>
struct function : mistakes::axes_in_a_list {
  using mistakes::axes_in_a_list::operator();
  template <class X, class... Options>
    requires expression<X>
  constexpr auto operator()(X&& x, Options... options) const {
    constexpr bool is_exclusive = (scan_detail::is_exclusive<Options> || ...);
    constexpr bool begins = !is_exclusive || Monoid::has_identity;
    static_assert(begins,
                  "lazyfuse: before the first element there is no largest or smallest one; give exclusive to cumsum, "
                  "cumprod or a scan with an initial value");
    if constexpr (!options_fit<rank_of<X>, Options...>() || !begins) return bare_t<X>(static_cast<X&&>(x));
    else if constexpr (!reduce_detail::is_ordered<Monoid, value_t<X>>) return bare_t<X>(static_cast<X&&>(x));
    else
      return over(build<Monoid, is_exclusive, (is_backwards<Options> || ...)>(
                      x.tree, options_detail::axes_in(axes<>{}, options...)),
                  static_cast<X&&>(x));
  }
};

}  // namespace scan_detail

/// cumsum(x, axis<k>, exclusive, backwards): the sum of the elements up to each along an axis, which arrays of one axis
/// need not name. Bool and integers in int64, unsigned ones in uint64, 16-bit reals in float. One pass over memory, and
/// one kernel with what x is computed from and what is computed from the sums; the same bits on every run.
/// \numpy{cumsum}
inline constexpr scan_detail::function<op::sum> cumsum{};
/// cumprod(x, axis<k>, exclusive, backwards): the product of the elements up to each, as cumsum. \numpy{cumprod}
inline constexpr scan_detail::function<op::prod> cumprod{};
/// cummax(x, axis<k>, backwards): the largest element up to each; NaN wins. \numpy{maximum.accumulate}
inline constexpr scan_detail::function<op::max> cummax{};
/// cummin(x, axis<k>, backwards): the smallest element up to each; NaN wins. \numpy{minimum.accumulate}
inline constexpr scan_detail::function<op::min> cummin{};

/// scan(f, init, x, axis<k>, exclusive, backwards): f(...f(f(init, a), b)...) of the elements up to each along an axis,
/// or of those before it. f must be associative: neighbours are combined first. Elements are of any trivially copyable
/// type T, f returns one, and init is one. f is a function object without state, called on the device for arrays there.
template <class F, class T, class X, class... Options>
  requires(expression<X> && !expression<F>)
constexpr auto scan(F, const T& init, const X& x, Options... options) {
  using E = value_t<X>;
  constexpr bool stateless = __is_empty(F);
  static_assert(stateless, "lazyfuse: the function given to scan must be a function object without state");
  constexpr bool callable = [] {
    if constexpr (stateless) return requires(const E& e) {
        static_cast<E>(F{}(e, e));
      };
    else return true;
  }();
  static_assert(callable, "lazyfuse: the function given to scan must take two elements and return one");
  constexpr bool begins = __is_same(T, E) || (std::is_arithmetic_v<T> && arithmetic_type<E>);
  static_assert(begins,
                "lazyfuse: the initial value of scan must be an element of x, or a number that converts to one");
  if constexpr (scan_detail::options_fit<rank_of<X>, Options...>() && stateless && callable && begins) {
    const auto found = scan_detail::function<op::folded<F>>{}(map<op::existing>(x), options...);
    return map<op::begun_with<F>>(found, statistics_detail::value_of(leaf_detail::element<E>(init, "scan")));
  } else return x;
}

/// For a scan whose initial value was forgotten.
template <class F, class X, class... Options>
  requires(expression<X> && !expression<F>)
constexpr auto scan(F, const X& x, Options...) {
  static_assert(!__is_same(F, F), "lazyfuse: scan takes an initial value before its operand: scan(f, 0, x, axis<0>)");
  return x;
}

}  // namespace lazyfuse
