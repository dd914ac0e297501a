// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions made of others: places of extremes, counts, norms, averages, reductions that leave NaN out, and a user's
// own. Options follow the operands in any order: axis<...>, keepdims, and ddof{k} or ord<p> where they apply.
#pragma once

#include <lazyfuse/expr/statistics.hpp>
#include <lazyfuse/op/reduction.hpp>

namespace lazyfuse {

namespace reductions_detail {
using namespace options_detail;
using statistics_detail::as_real, statistics_detail::as_stored;

/// Where each element of shape s stands along the axes, counted in row-major order.
template <int R, int... A>
constexpr auto places(const shape<R>& s, axes<A...>) {
  strides<R> steps;
  index_t step = 1;
  for (int k = R - 1; k >= 0; --k) {
    const bool along = (reduce_detail::plan_axes<R, A...>::mask >> k) & 1;
    steps[k] = along ? step : 0;
    if (along) step *= s[k];
  }
  return over(tree::leaf<ir::position, R>({}, s, steps));
}

/// Whether the options are axes and keepdims, each once; a sentence if not.
template <class... Options>
consteval bool only_axes() {
  constexpr bool known = once<Options...> && ((is_axes<Options> || is_keepdims<Options>)&&...);
  static_assert(known, "lazyfuse: this reduction takes axis<...> and keepdims after its operands");
  return known;
}
template <class... Options>
inline constexpr bool keeps = (is_keepdims<Options> || ...);

/// A monoid over e, as the options say.
template <class Monoid, class E, class... Options>
constexpr auto reduced_by(E&& e, const Options&... options) {
  return reduce_keeping<keeps<Options...>>(reduction_function<reduce_detail::with<Monoid>>{}, static_cast<E&&>(e),
                                           axes_in(axes<>{}, options...));
}

template <class Monoid>
struct place_function : mistakes::axes_in_a_list {
  using mistakes::axes_in_a_list::operator();
  template <class X, class... Options>
    requires expression<X>
  constexpr auto operator()(const X& x, Options... options) const {
    constexpr bool ordered = arithmetic_type<value_t<X>> && !complex_number<value_t<X>>;
    static_assert(ordered, "lazyfuse: argmax and argmin are defined for bool and real numbers, which are ordered");
    if constexpr (only_axes<Options...>() && ordered) {
      const auto with_places = map<op::place>(x, places(x.shape(), axes_in(axes<>{}, options...)));
      return map<op::index_of>(reduced_by<Monoid>(with_places, options...));
    } else return x;
  }
};

template <class Monoid, class Otherwise>
struct nan_function : mistakes::axes_in_a_list {
  using mistakes::axes_in_a_list::operator();
  template <class X, class... Options>
    requires expression<X>
  constexpr auto operator()(const X& x, Options... options) const {
    constexpr bool ordered = arithmetic_type<value_t<X>> && !complex_number<value_t<X>>;
    static_assert(ordered, "lazyfuse: nanmax and nanmin are defined for bool and real numbers, which are ordered");
    if constexpr (!only_axes<Options...>() || !ordered) return x;
    else if constexpr (floating_point<value_t<X>>) return reduced_by<Monoid>(x, options...);
    else return reduced_by<Otherwise>(x, options...);  // there is no NaN
  }
};

/// x with a number in place of NaN.
template <class X>
constexpr auto without_nan(const X& x, int instead) {
  constexpr bool numbers = arithmetic_type<value_t<X>>;
  static_assert(numbers,
                "lazyfuse: this reduction is defined for numbers; take a member with map(f, x), or component<K>(x)");
  if constexpr (floating_point<value_t<X>> || complex_number<value_t<X>>) return where(isnan(x), instead, x);
  else return x;
}
/// How many elements are no NaN, as elements of type T.
template <class T, class X, class... Options>
constexpr auto numbers_of(const X& x, const Options&... options) {
  return cast<T>(reduced_by<op::sum>(logical_not(isnan(x)), options...));
}

template <bool Root>
struct nan_spread_function : mistakes::axes_in_a_list {
  using mistakes::axes_in_a_list::operator();
  template <class X, class... Options>
    requires expression<X>
  constexpr auto operator()(const X& x, Options... options) const {
    static_assert(once<Options...> && ((is_axes<Options> || is_ddof<Options> || is_keepdims<Options>)&&...),
                  "lazyfuse: nanvar and nanstd take axis<...>, ddof{k} and keepdims after their operand");
    const auto& z = as_real(x);
    using T = value_t<decltype(z)>;
    const auto m = reduced_by<op::moments_of_numbers>(map<op::sample_of_number>(z), options...);
    const auto d = statistics_detail::value_of(static_cast<T>(value_in(ddof{}, options...).value));
    auto variance = map<op::variance_of_counted>(m, d);
    if constexpr (Root) return as_stored<X>(map<op::sqrt>(static_cast<decltype(variance)&&>(variance)));
    else return as_stored<X>(static_cast<decltype(variance)&&>(variance));
  }
};
}  // namespace reductions_detail

/// argmax(x, axis<...>, keepdims): where the largest element stands: an int64, along the axes in row-major order, or in
/// the whole array. The first of equal ones; the first NaN, if there is one. An empty x throws shape_error.
/// \numpy{argmax}
inline constexpr reductions_detail::place_function<op::argmax> argmax{};
/// argmin(x, axis<...>, keepdims): where the smallest element stands, as argmax. \numpy{argmin}
inline constexpr reductions_detail::place_function<op::argmin> argmin{};

/// count_nonzero(x, axis<...>, keepdims): how many elements are not zero, an int64; NaN is not. \numpy{count_nonzero}
template <class X, class... Options>
  requires expression<X>
constexpr auto count_nonzero(const X& x, Options... options) {
  (void)reductions_detail::only_axes<Options...>();
  constexpr bool numbers = arithmetic_type<value_t<X>>;
  static_assert(numbers,
                "lazyfuse: count_nonzero is defined for numbers; take a member with map(f, x), or component<K>(x)");
  if constexpr (numbers) return reductions_detail::reduced_by<op::sum>(cast<bool>(x), options...);
  else return x;
}

/// ptp(x, axis<...>, keepdims): the largest element less the smallest, in one pass; integers wrap around. \numpy{ptp}
template <class X, class... Options>
  requires expression<X>
constexpr auto ptp(const X& x, Options... options) {
  (void)reductions_detail::only_axes<Options...>();
  return reductions_detail::reduced_by<op::max>(x, options...) - reductions_detail::reduced_by<op::min>(x, options...);
}

/// norm(x, ord<2>, axis<...>, keepdims): the norm of all elements as one vector, or of those along the axes: ord<2>
/// unless given, ord<1>, ord<0> (how many are not zero), ord<inf> (the largest magnitude), ord<-inf> (the smallest), or
/// any other p, as ord<3>, ord<-1>, or ord<0.5> (clang: from version 18 on). Integers in double; of complex numbers it
/// is real. Squares may overflow, as NumPy's. \numpy{linalg.vector_norm}
template <class X, class... Options>
  requires expression<X>
constexpr auto norm(const X& x, Options... options) {
  using namespace reductions_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_order<Options> || is_keepdims<Options>)&&...),
                "lazyfuse: norm takes axis<...>, ord<p> and keepdims after its operand");
  constexpr auto p = order_in(ord<2>, Options{}...);
  const auto lengths = [&] {
    if constexpr (complex_number<value_t<X>>) return abs(x);
    else return abs(as_real(x));
  }();
  const auto total = [&](const auto& e) {
    return reduce_keeping<keeps<Options...>>(sum, e, axes_in(axes<>{}, options...));
  };
  using T = value_t<decltype(lengths)>;
  if constexpr (__is_same(decltype(p), const order<inf>))
    return as_stored<X>(reduce_keeping<keeps<Options...>>(max, lengths, axes_in(axes<>{}, options...)));
  else if constexpr (__is_same(decltype(p), const order<-inf>))
    return as_stored<X>(reduce_keeping<keeps<Options...>>(min, lengths, axes_in(axes<>{}, options...)));
  else {
    constexpr auto value = order_value(p);
    if constexpr (value == 0) return as_stored<X>(cast<T>(total(lengths != 0)));
    else if constexpr (value == 1) return as_stored<X>(total(lengths));
    else if constexpr (value == 2) return as_stored<X>(sqrt(total(square(lengths))));
    else return as_stored<X>(pow(total(pow(lengths, value)), 1.0 / value));
  }
}

/// average(x, weights, axis<...>, keepdims): the mean of x with weights, sum(x * w) / sum(w). Weights with as many axes
/// as are named, and fewer than x, lie along those; others are broadcast to the shape of x, or throw shape_error.
/// Weights that sum to zero give NaN or infinities. \numpy{average}
template <class X, class W, class... Options>
  requires(expression<X>&& expression<W>)
constexpr auto average(const X& x, const W& weights, Options... options) {
  using namespace reductions_detail;
  (void)only_axes<Options...>();
  const auto f = [&](const auto& u, const auto& w) {
    return reduced_by<op::sum>(u * w, options...) / reduced_by<op::sum>(w, options...);
  };
  using named_axes = decltype(axes_in(axes<>{}, options...));
  constexpr bool lie_along = rank_of<W> == axis_count(named_axes{}) && rank_of<W> < rank_of<X>;
  const auto w = [&] {
    if constexpr (lie_along) return broadcast_to(along<rank_of<X>>(as_real(weights), named_axes{}), x.shape());
    else return broadcast_to(as_real(weights), x.shape());
  }();
  return as_stored<X>(with_both(f, as_real(x), w));
}

/// nansum(x, axis<...>, keepdims): the sum of what is not NaN. \numpy{nansum}
template <class X, class... Options>
  requires expression<X>
constexpr auto nansum(const X& x, Options... options) { return sum(reductions_detail::without_nan(x, 0), options...); }
/// nanprod(x, axis<...>, keepdims): the product of what is not NaN. \numpy{nanprod}
template <class X, class... Options>
  requires expression<X>
constexpr auto nanprod(const X& x, Options... options) {
  return prod(reductions_detail::without_nan(x, 1), options...);
}
/// nanmean(x, axis<...>, keepdims): the mean of what is not NaN; NaN of nothing else. \numpy{nanmean}
template <class X, class... Options>
  requires expression<X>
constexpr auto nanmean(const X& x, Options... options) {
  using namespace reductions_detail;
  (void)only_axes<Options...>();
  const auto& z = as_real(x);
  using T = value_t<decltype(z)>;
  return as_stored<X>(reduced_by<op::sum>(without_nan(z, 0), options...) / numbers_of<T>(z, options...));
}
/// nanmax(x, axis<...>, keepdims): the largest of what is not NaN; NaN of nothing else; an empty x throws shape_error.
/// \numpy{nanmax}
inline constexpr reductions_detail::nan_function<op::nanmax, op::max> nanmax{};
/// nanmin(x, axis<...>, keepdims): the smallest of what is not NaN, as nanmax. \numpy{nanmin}
inline constexpr reductions_detail::nan_function<op::nanmin, op::min> nanmin{};
/// nanvar(x, axis<...>, ddof{0}, keepdims): the variance of what is not NaN, read once. \numpy{nanvar}
inline constexpr reductions_detail::nan_spread_function<false> nanvar{};
/// nanstd(x, axis<...>, ddof{0}, keepdims): the square root of nanvar. \numpy{nanstd}
inline constexpr reductions_detail::nan_spread_function<true> nanstd{};

/// reduce(f, init, x, axis<...>, keepdims): f(...f(f(init, a), b)...) over the elements along the axes, or all: f must
/// be associative and commutative, since the order is not fixed. Elements are of any trivially copyable type T, f
/// returns one, and init is one; without elements it is the result. f is a function object without state, called on the
/// device for arrays there.
template <class F, class T, class X, class... Options>
  requires(expression<X> && !expression<F>)
constexpr auto reduce(F, const T& init, const X& x, Options... options) {
  using namespace reductions_detail;
  using E = value_t<X>;
  constexpr bool stateless = __is_empty(F);
  static_assert(stateless, "lazyfuse: the function given to reduce must be a function object without state");
  constexpr bool callable = requires(const E& e) { static_cast<E>(F{}(e, e)); };
  constexpr bool begins = __is_same(T, E) || (std::is_arithmetic_v<T> && arithmetic_type<E>);
  static_assert(begins,
                "lazyfuse: the initial value of reduce must be an element of x, or a number that converts to one");
  static_assert(callable, "lazyfuse: the function given to reduce must take two elements and return one");
  if constexpr (only_axes<Options...>() && stateless && callable && begins) {
    const auto found = reduced_by<op::folded<F>>(map<op::existing>(x), options...);
    return map<op::begun_with<F>>(found, statistics_detail::value_of(leaf_detail::element<E>(init, "reduce")));
  } else return x;
}

}  // namespace lazyfuse
