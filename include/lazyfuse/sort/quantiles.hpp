// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// median and quantile: what sorting would put at few positions, by selection.
#pragma once

#include <lazyfuse/sort/rows.hpp>

namespace lazyfuse {

namespace sort_detail {

/// Between which elements a quantile is, in order, and how far from the first of them.
struct between {
  index_t below, above;
  double weight;
};
/// Throws index_error unless 0 <= q <= 1.
between position_of(double q, index_t n);
/// Puts n positions in order, each once. Returns how many there are.
int ascending_without_equal(index_t* positions, int n);

/// Quantiles of integers are double, and of real numbers of their type; those of 16 bits are computed in float.
template <class T>
using quantile_t = floating_t<T>;
template <class T>
using computed_in = std::conditional_t<small_real<T>, float, floating_t<T>>;

/// Keys at n positions of each row, and last the largest.
template <class Space, class X, class = maker>
auto selected(const X& x, const index_t* positions, int n) {
  array<key_of<value_t<X>>, rank_of<X>, Space> all(keys_of<false>(x)), some(with_length(x.shape(), n), caller{});
  if (some.size() > 0) select_keys(Space{}, rows_in(all), positions, n, some.data());
  return some;
}
/// The elements of column j of them.
template <class T, class K>
auto column(const K& keys, index_t j) {
  return cast<computed_in<T>>(elements_of<T, false>(keys)(ellipsis, j));
}
/// e, and NaN where the largest is.
template <class T, class L, class E>
auto unless_nan(const L& largest, const E& e) {
  if constexpr (floating_point<T>) return where(isnan(largest), largest, e);
  else return e;
}

/// f(rows, back): the rows along the axis that the options name, or all elements as one; back puts an expression of one
/// element for each row where the options want it.
template <class... Options, class X, class F>
auto with_rows(const char* operation, const X& x, const F& f) {
  constexpr bool keep = reductions_detail::keeps<Options...>;
  constexpr int R = rank_of<X>;
  const auto check = [&](index_t length) {
    if (length == 0) throw_shape(operation, x.shape().extent, R, "has no elements along the axis");
  };
  if constexpr ((options_detail::is_axes<Options> || ...)) {
    constexpr int A = axis_of<R, Options...>();
    check(x.shape()[A]);
    return f(with_axis_last<A>(x), [](const auto& e) {
      if constexpr (keep) return with_axis_back<A>(e(ellipsis, newaxis));
      else return e;
    });
  } else {
    check(x.shape().size());
    return f(in_a_row(x), [](const auto& e) {
      if constexpr (keep) {
        shape<R> ones;
        for (int k = 0; k < R; ++k) ones[k] = 1;
        return broadcast_to(e, ones);
      } else return e;
    });
  }
}
/// Whether options are those.
template <class... Options>
constexpr bool axis_and_keepdims() {
  constexpr bool good = options_detail::once<Options...> &&
                        ((options_detail::is_axes<Options> || options_detail::is_keepdims<Options>)&&...);
  static_assert(good, "lazyfuse: median and quantile take axis<A> and keepdims after their operands");
  return good;
}
/// An array of the type of quantiles.
template <class T, class Space, class E, class = maker>
auto quantiles_in_memory(const E& e) {
  return array<quantile_t<T>, rank_of<E>, Space>(cast<quantile_t<T>>(e));
}

/// The quantile of a weight between two columns, rounded as NumPy does.
template <class T, class K>
auto quantile_from(const K& keys, index_t below, index_t above, double weight, index_t largest) {
  const bool nearer = weight >= 0.5;
  const auto a = column<T>(keys, below), b = column<T>(keys, above), from = column<T>(keys, nearer ? above : below);
  const auto by = static_cast<computed_in<T>>(nearer ? weight - 1 : weight);
  return unless_nan<T>(column<T>(keys, largest), where(a == b, a, from + (b - a) * by));
}

}  // namespace sort_detail

/// median(x, axis<A>, keepdims): the element in the middle along an axis, or of all elements; of an even number the
/// mean of the two. double of integers; NaN where there is one. An array. By selection. Throws shape_error if there are
/// no elements. \numpy{median}
template <class X, class... Options, class = maker>
  requires expression<X>
auto median(const X& x, Options...) {
  using namespace sort_detail;
  if constexpr (takes<X>() && axis_and_keepdims<Options...>()) {
    using T = value_t<X>;
    using Space = result_space<X>;
    const call_scope<Space> scope(x, caller{});
    return with_rows<Options...>("median", x, [](const auto& rows, const auto& back) {
      const index_t n = rows.shape()[rank_of<decltype(rows)> - 1];
      const index_t positions[] = {(n - 1) / 2, n / 2, n - 1};
      const auto keys = selected<Space>(rows, positions, 3);
      const auto a = column<T>(keys, 0), b = column<T>(keys, 1);
      return quantiles_in_memory<T, Space>(back(unless_nan<T>(column<T>(keys, 2), where(a == b, a, (a + b) / 2))));
    });
  }
}

/// quantile(x, q, axis<A>, keepdims): what a part q of the elements along an axis, or of all, is below; linear between
/// two of them, at q (n - 1). As median otherwise; NumPy's percentile is quantile(x, p / 100). Throws index_error
/// unless 0 <= q <= 1. \numpy{quantile}
template <class X, class Q, class... Options, class = maker>
  requires(expression<X>&& std::is_arithmetic_v<Q>)
auto quantile(const X& x, Q q, Options...) {
  using namespace sort_detail;
  if constexpr (takes<X>() && axis_and_keepdims<Options...>()) {
    using T = value_t<X>;
    using Space = result_space<X>;
    const call_scope<Space> scope(x, caller{});
    return with_rows<Options...>("quantile", x, [q](const auto& rows, const auto& back) {
      const index_t n = rows.shape()[rank_of<decltype(rows)> - 1];
      const between place = position_of(static_cast<double>(q), n);
      const index_t positions[] = {place.below, place.above, n - 1};
      const auto keys = selected<Space>(rows, positions, 3);
      return quantiles_in_memory<T, Space>(back(quantile_from<T>(keys, 0, 1, place.weight, 2)));
    });
  }
}
/// quantile(x, {0.25, 0.75}, axis<A>): several, along a new first axis.
template <class X, int N, class... Options, class = maker>
  requires expression<X>
auto quantile(const X& x, const double (&q)[N], Options...) {
  using namespace sort_detail;
  if constexpr (takes<X>() && axis_and_keepdims<Options...>()) {
    using T = value_t<X>;
    using Space = result_space<X>;
    const call_scope<Space> scope(x, caller{});
    return with_rows<Options...>("quantile", x, [&q](const auto& rows, const auto& back) {
      const index_t n = rows.shape()[rank_of<decltype(rows)> - 1];
      between places[N];
      index_t positions[2 * N + 1] = {};
      for (int j = 0; j < N; ++j) {
        places[j] = position_of(q[j], n);
        positions[2 * j] = places[j].below;
        positions[2 * j + 1] = places[j].above;
      }
      positions[2 * N] = n - 1;
      const int count = ascending_without_equal(positions, 2 * N + 1);
      const auto keys = selected<Space>(rows, positions, count);
      const auto column_of = [&](index_t position) {
        int j = 0;
        while (positions[j] != position) ++j;
        return j;
      };
      const auto one = [&](int j) {
        return back(quantile_from<T>(keys, column_of(places[j].below), column_of(places[j].above), places[j].weight,
                                     count - 1));
      };
      constexpr int R = rank_of<decltype(one(0))> + 1;
      shape<R> s;
      s[0] = N;
      for (int k = 1; k < R; ++k) s[k] = one(0).shape()[k - 1];
      array<quantile_t<T>, R, Space> all(s, caller{});
      for (int j = 0; j < N; ++j) all(j) = cast<quantile_t<T>>(one(j));
      return all;
    });
  }
}

}  // namespace lazyfuse
