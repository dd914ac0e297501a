// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variance, standard deviation, covariance and correlation: ordinary expressions over reductions. Integers and bool are
// computed in double. Options follow the operands in any order: axis<...>, ddof{k}, keepdims.
#pragma once

#include <lazyfuse/expr/options.hpp>
#include <lazyfuse/op/statistics.hpp>

namespace lazyfuse {

namespace statistics_detail {

/// x itself if its elements are float or double, 16-bit ones as float, else x as double.
template <class X>
constexpr decltype(auto) as_real(const X& x) {
  static_assert(arithmetic_type<value_t<X>>,
                "lazyfuse: statistics and normalizations are defined for numbers; take a member with map(f, x), or "
                "component<K>(x)");
  constexpr bool ordered = !complex_number<value_t<X>>;
  static_assert(ordered, "lazyfuse: this is not defined for complex numbers; take real(x), imag(x) or abs(x)");
  if constexpr (real_number<value_t<X>>) return static_cast<const X&>(x);
  else if constexpr (!ordered) return real(x);
  else if constexpr (small_real<value_t<X>>) return cast<float>(x);
  else return cast<double>(x);
}
/// What was computed of x, in 16 bits if x is.
template <class X, class E>
constexpr auto as_stored(E&& e) {
  if constexpr (small_real<value_t<X>>) return cast<value_t<X>>(static_cast<E&&>(e));
  else return bare_t<E>(static_cast<E&&>(e));
}

/// A value as an operand of exactly its type.
template <class T>
constexpr auto value_of(T value) {
  return over(tree::constant_leaf(value, shape<0>{}));
}

/// 1 / (n - ddof); infinite where that is not positive, so that the variance is infinite, or NaN, as NumPy's.
template <class T>
constexpr T inverse(index_t n, ddof d = {}) {
  return n > d.value ? static_cast<T>(1.0 / static_cast<double>(n - d.value)) : std::numeric_limits<T>::infinity();
}

/// The moments of real z along the axes.
template <bool Keep, class Z, int... A>
constexpr auto moments_of(const Z& z, axes<A...> a) {
  return options_detail::reduce_keeping<Keep>(reduction_function<reduce_detail::with<op::moments>>{},
                                              map<op::sample>(z), a);
}
/// The variance of n numbers whose moments are m. inverse_of_n: 1 / n.
template <class M, class Inverse>
constexpr auto variance_from(const M& m, const Inverse& inverse_of_n, index_t n, ddof d) {
  return map<op::variance_of>(m, inverse_of_n, value_of(inverse<value_t<Inverse>>(n, d)));
}

template <bool Root>
struct spread_function : mistakes::axes_in_a_list {
  using mistakes::axes_in_a_list::operator();
  template <class X, class... Options>
    requires expression<X>
  constexpr auto operator()(const X& x, Options... options) const {
    using namespace options_detail;
    static_assert(once<Options...> && ((is_axes<Options> || is_ddof<Options> || is_keepdims<Options>)&&...),
                  "lazyfuse: var and std take axis<...>, ddof{k} and keepdims after their operand");
    constexpr bool keep = (is_keepdims<Options> || ...);
    const auto a = axes_in(axes<>{}, options...);
    const auto of = [&](const auto& z) {
      const index_t n = reduce_detail::reduced_count(z.shape(), a);
      return variance_from(moments_of<keep>(z, a), value_of(inverse<value_t<decltype(z)>>(n)), n,
                           value_in(ddof{}, options...));
    };
    const auto rooted = [](auto&& variance) {
      if constexpr (Root) return map<op::sqrt>(static_cast<decltype(variance)>(variance));
      else return bare_t<decltype(variance)>(static_cast<decltype(variance)>(variance));
    };
    // the mean squared distance in the plane is the sum of those along its axes
    if constexpr (complex_number<value_t<X>>) return rooted(of(real(x)) + of(imag(x)));
    else return as_stored<X>(rooted(of(as_real(x))));
  }
};

/// x less its mean along the axes, which stay.
template <class X, int... A>
constexpr auto centred(const X& x, axes<A...> a) {
  return x - mean(x, a, keepdims);
}

}  // namespace statistics_detail

/// var(x, axis<...>, ddof{0}, keepdims): the variance along the axes, or of all elements: the mean of (x - mean(x))^2,
/// divided by n - ddof instead of n. Read once, and as exact as in two passes where the mean is large (op::moments).
/// NaN with NaN or infinities, or if there are no elements. \numpy{var}
inline constexpr statistics_detail::spread_function<false> var{};
/// std(x, axis<...>, ddof{0}, keepdims): the standard deviation, the square root of var. \numpy{std}
inline constexpr statistics_detail::spread_function<true> std{};

/// cov(x, y, axis<...>, ddof{1}, keepdims): the covariance of x and y along the axes, or of all elements: sum((x -
/// mean(x)) * (y - mean(y))) divided by n - ddof. Operands are broadcast, or throw shape_error. An element beside the
/// diagonal of NumPy's matrix. \numpy{cov}
template <class X, class Y, class... Options>
  requires(expression<X>&& expression<Y>)
constexpr auto cov(const X& x, const Y& y, Options... options) {
  using namespace statistics_detail;
  using namespace options_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_ddof<Options> || is_keepdims<Options>)&&...),
                "lazyfuse: cov takes axis<...>, ddof{k} and keepdims after its operands");
  const auto shape = broadcast_shapes(x.shape(), y.shape(), "cov");
  const auto a = axes_in(axes<>{}, options...);
  const auto scale = inverse<double>(reduce_detail::reduced_count(shape, a), value_in(ddof{1}, options...));
  const auto f = [&](const auto& u, const auto& v) {
    return reduce_keeping<(is_keepdims<Options> || ...)>(sum, centred(u, a) * centred(v, a), a) * scale;
  };
  return as_stored<decltype(x + y)>(with_both(f, broadcast_to(as_real(x), shape), broadcast_to(as_real(y), shape)));
}

/// cov(x, ddof{1}): the covariance matrix of variables in rows and observations in columns: shape (v, n) to (v, v). A
/// broadcast product and a sum: v^2 * n products, without blocking for a cache. \numpy{cov}
template <class X, class... Options>
  requires(expression<X> && (!expression<Options> && ...))
constexpr auto cov(const X& x, Options... options) {
  using namespace statistics_detail;
  using namespace options_detail;
  static_assert((is_ddof<Options> && ...), "lazyfuse: cov of one operand takes only ddof{k} after it");
  static_assert(rank_of<X> == 2,
                "lazyfuse: cov of one operand takes a matrix with variables in rows; for two operands write cov(x, y)");
  const auto d = centred(as_real(x), axis<1>);
  return as_stored<X>(sum(d(all, newaxis, all) * d(newaxis, all, all), axis<2>) *
                      inverse<double>(x.shape()[1], value_in(ddof{1}, options...)));
}

/// corrcoef(x, y, axis<...>, keepdims): Pearson's correlation of x and y along the axes, or of all elements, in [-1,
/// 1]; NaN where one is constant. Operands are broadcast. \numpy{corrcoef}
template <class X, class Y, class... Options>
  requires(expression<X>&& expression<Y>)
constexpr auto corrcoef(const X& x, const Y& y, Options... options) {
  using namespace statistics_detail;
  using namespace options_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_keepdims<Options>)&&...),
                "lazyfuse: corrcoef takes axis<...> and keepdims after its operands");
  constexpr bool keep = (is_keepdims<Options> || ...);
  const auto shape = broadcast_shapes(x.shape(), y.shape(), "corrcoef");
  const auto a = axes_in(axes<>{}, options...);
  const auto f = [&](const auto& u, const auto& v) {
    const auto dx = centred(u, a);
    const auto dy = centred(v, a);
    const auto length = [&](const auto& d) { return sqrt(reduce_keeping<keep>(sum, d * d, a)); };
    return minimum(maximum(reduce_keeping<keep>(sum, dx * dy, a) / (length(dx) * length(dy)), -1), 1);
  };
  return as_stored<decltype(x + y)>(with_both(f, broadcast_to(as_real(x), shape), broadcast_to(as_real(y), shape)));
}

}  // namespace lazyfuse
