// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalizations: x against its own statistics along some axes. Integers are computed in double, 16-bit reals in float,
// bool is refused. Options follow the operands in any order. A division by what all elements of a row share is a
// product with its reciprocal, which costs a unit in the last place, or two after a root.
#pragma once

#include <lazyfuse/expr/create.hpp>
#include <lazyfuse/expr/statistics.hpp>

namespace lazyfuse {

namespace normalization_detail {

using statistics_detail::as_real, statistics_detail::as_stored;
using namespace options_detail;

/// What functions here are computed of: as statistics, but bool has no distances.
template <class X>
constexpr decltype(auto) real_of(const X& x) {
  static_assert(!boolean<value_t<X>>, "lazyfuse: normalizations are not defined for bool; convert with cast<T>(x)");
  return as_real(x);
}

/// A weight or bias repeated to the shape of x.
template <class W, int R>
constexpr auto repeated(const W& w, const shape<R>& s, const char* operation) {
  return over(view_detail::broadcast_tree(w.tree, s, operation), w);
}

/// (x - mean) / sqrt(variance + epsilon) along the axes.
template <class X, int... A>
constexpr auto standardized(const X& x, axes<A...> a, ddof d, epsilon e) {
  using namespace statistics_detail;
  using T = value_t<X>;
  const index_t n = reduce_detail::reduced_count(x.shape(), a);
  const auto m = moments_of<true>(x, a);
  // with a number behind those of x: it is computed with once, and is none of x's scalars
  const auto inverse_of_n = number_detail::numbered_argument<number_detail::span<tree_t<X>>>(value_of(inverse<T>(n)));
  const auto scale = rsqrt(variance_from(m, inverse_of_n, n, d) + e.value);
  return map<op::standardized>(x, m, inverse_of_n, scale);
}

/// x, times the first of the operands, plus the second.
template <class X, class... Operands>
constexpr auto weighted(X&& x, const char* operation, const Operands&... w) {
  constexpr int count = expressions<Operands...>;
  static_assert(count <= 2, "lazyfuse: a normalization takes at most a weight and a bias");
  const auto s = x.shape();
  if constexpr (count == 0) return static_cast<X&&>(x);
  else if constexpr (count == 1) return static_cast<X&&>(x) * repeated(expression_in<0>(w...), s, operation);
  else
    return static_cast<X&&>(x) * repeated(expression_in<0>(w...), s, operation) +
           repeated(expression_in<1>(w...), s, operation);
}

/// A view of t, in which Axis is a new axis of extent 1.
template <int Axis, class E>
constexpr auto with_axis(const E& e) {
  constexpr int R = rank_of<E>;
  index_map<R, R + 1> m;
  for (int k = 0; k <= R; ++k) {
    const int from = k < Axis ? k : k - 1;
    m.source[k] = k == Axis ? -1 : from;
    m.factor[k] = k == Axis ? 0 : 1;
    m.extents[k] = k == Axis ? 1 : e.shape()[from];
  }
  return over(view_detail::remap(e.tree, m), e);
}

/// A weight or bias of channels beside an x of rank R; other options as they are.
template <int R, class O>
constexpr auto per_channel(const O& option) {
  if constexpr (expression<O>) {
    static_assert(rank_of<O> == 1, "lazyfuse: the weight and bias of batch_norm have rank 1");
    return along<R>(option, axis<1>);
  } else return option;
}
template <int... K>
constexpr auto axes_but_channels(index_sequence<K...>) {
  return axes<0, K + 2 ...>{};
}
template <int A>
constexpr int only_axis(axes<A>) {
  return A;
}
template <class>
inline constexpr bool is_one_axis = false;
template <int A>
inline constexpr bool is_one_axis<axes<A>> = true;

}  // namespace normalization_detail

/// softmax(x, axis<-1>): exp(x) / sum(exp(x)) along the axes; shifted by the maximum, so that nothing overflows. A row
/// with NaN or +infinity, or of -infinity alone, is NaN; an empty x throws shape_error. SciPy's special.softmax
template <class X, class... Options>
  requires expression<X>
constexpr auto softmax(const X& x, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && (is_axes<Options> && ...), "lazyfuse: softmax takes axis<...> after its operand");
  const auto a = axes_in(axis<-1>, options...);
  const auto z = used_often<false>(real_of(x));
  const auto shifted = z - max(z, a, keepdims);
  const auto of = [&](const auto& e) { return as_stored<X>(e * reciprocal(sum(e, a, keepdims))); };
  if constexpr (small_real<value_t<X>>) return of(map<op::rough_exp>(shifted));
  else return of(exp(shifted));
}

/// log_softmax(x, axis<-1>): log(softmax(x)) without its loss of small values. SciPy's special.log_softmax
template <class X, class... Options>
  requires expression<X>
constexpr auto log_softmax(const X& x, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && (is_axes<Options> && ...),
                "lazyfuse: log_softmax takes axis<...> after its operand");
  const auto a = axes_in(axis<-1>, options...);
  const auto z = used_often<false>(real_of(x));
  const auto shifted = z - map<op::finite_or_zero>(max(z, a, keepdims));
  return as_stored<X>(shifted - log(sum(exp(shifted), a, keepdims)));
}

/// logsumexp(x, axis<...>, keepdims): log(sum(exp(x))) along the axes, or of all elements, without overflow: -infinity
/// of nothing but -infinity, +infinity with one +infinity. An empty x throws shape_error. SciPy's special.logsumexp
template <class X, class... Options>
  requires expression<X>
constexpr auto logsumexp(const X& x, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_keepdims<Options>)&&...),
                "lazyfuse: logsumexp takes axis<...> and keepdims after its operand");
  constexpr bool keep = (is_keepdims<Options> || ...);
  const auto a = axes_in(axes<>{}, options...);
  const auto z = used_often<false>(real_of(x));
  const auto shifted = z - map<op::finite_or_zero>(max(z, a, keepdims));
  return as_stored<X>(log(reduce_keeping<keep>(sum, exp(shifted), a)) +
                      map<op::finite_or_zero>(reduce_keeping<keep>(max, z, a)));
}

/// layer_norm(x, weight, bias, axis<-1>, epsilon{1e-5}): (x - mean) / sqrt(var + epsilon) * weight + bias along the
/// axes, with the biased variance in one pass. Weight and bias are optional; they are broadcast to the shape of x,
/// or throw shape_error. PyTorch's layer_norm, after Ba, Kiros and Hinton, arXiv 1607.06450
template <class X, class... Options>
  requires expression<X>
constexpr auto layer_norm(const X& x, const Options&... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((expression<Options> || is_axes<Options> || is_epsilon<Options>)&&...),
                "lazyfuse: layer_norm takes weight, bias, axis<...> and epsilon{e} after its operand");
  const auto a = axes_in(axis<-1>, options...);
  const auto z = used_often<(expressions<Options...> > 0)>(real_of(x));
  return as_stored<X>(
      weighted(standardized(z, a, ddof{0}, value_in(epsilon{1e-5}, options...)), "layer_norm", options...));
}

/// rms_norm(x, weight, axis<-1>, epsilon{e}): x / sqrt(mean(x * x) + epsilon) * weight along the axes. Weight is
/// optional; epsilon is that of the element type unless given. PyTorch's rms_norm, after Zhang and Sennrich, arXiv
/// 1910.07467
template <class X, class... Options>
  requires expression<X>
constexpr auto rms_norm(const X& x, const Options&... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((expression<Options> || is_axes<Options> || is_epsilon<Options>)&&...) &&
                    expressions<Options...> <= 1,
                "lazyfuse: rms_norm takes weight, axis<...> and epsilon{e} after its operand");
  const auto a = axes_in(axis<-1>, options...);
  const auto z = used_often<(expressions<Options...> > 0)>(real_of(x));
  const epsilon e = value_in(epsilon{std::numeric_limits<value_t<decltype(z)>>::epsilon()}, options...);
  return as_stored<X>(weighted(z * reciprocal(sqrt(mean(square(z), a, keepdims) + e.value)), "rms_norm", options...));
}

/// normalize(x, ord<2>, axis<-1>, epsilon{1e-12}): x / max(norm(x), epsilon) along the axes; the order is 1, 2 or inf.
/// PyTorch's normalize
template <class X, class... Options>
  requires expression<X>
constexpr auto normalize(const X& x, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_order<Options> || is_epsilon<Options>)&&...),
                "lazyfuse: normalize takes axis<...>, ord<1>, ord<2> or ord<inf>, and epsilon{e} after its operand");
  constexpr auto p = order_in(ord<2>, Options{}...);
  const auto a = axes_in(axis<-1>, options...);
  const auto z = used_often<false>(real_of(x));
  const auto scaled = [&](const auto& norm) {
    return as_stored<X>(z * reciprocal(maximum(norm, value_in(epsilon{1e-12}, options...).value)));
  };
  constexpr bool known = __is_same(decltype(p), const order<1>) || __is_same(decltype(p), const order<2>) ||
                         __is_same(decltype(p), const order<inf>);
  static_assert(known, "lazyfuse: normalize takes a norm of order 1, 2 or inf");
  if constexpr (__is_same(decltype(p), const order<1>)) return scaled(sum(abs(z), a, keepdims));
  else if constexpr (__is_same(decltype(p), const order<inf>)) return scaled(max(abs(z), a, keepdims));
  else return scaled(sqrt(sum(square(z), a, keepdims)));
}

/// standardize(x, axis<...>, ddof{0}, epsilon{0}): (x - mean) / sqrt(var + epsilon) along the axes, or of all elements.
/// SciPy's stats.zscore
template <class X, class... Options>
  requires expression<X>
constexpr auto standardize(const X& x, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_ddof<Options> || is_epsilon<Options>)&&...),
                "lazyfuse: standardize takes axis<...>, ddof{k} and epsilon{e} after its operand");
  return as_stored<X>(standardized(used_often<false>(real_of(x)), axes_in(axes<>{}, options...),
                                   value_in(ddof{}, options...), value_in(epsilon{}, options...)));
}

/// batch_norm(x, weight, bias, epsilon{1e-5}): every channel (axis 1) of x standardized over all other axes, times
/// weight plus bias, with the statistics of x itself, as in training, and the biased variance. Weight and bias are
/// optional; they have one element per channel, or throw shape_error. PyTorch's batch_norm, after Ioffe and Szegedy,
/// arXiv 1502.03167
template <class X, class... Options>
  requires expression<X>
constexpr auto batch_norm(const X& x, const Options&... options) {
  using namespace normalization_detail;
  constexpr int R = rank_of<X>;
  static_assert(once<Options...> && ((expression<Options> || is_epsilon<Options>)&&...),
                "lazyfuse: batch_norm takes weight, bias and epsilon{e} after its operand");
  static_assert(R >= 2, "lazyfuse: batch_norm takes an operand of rank 2 or more, with channels along axis 1");
  const auto a = axes_but_channels(make_index_sequence<R - 2>{});
  const auto z = used_often<(expressions<Options...> > 0)>(real_of(x));
  return as_stored<X>(weighted(standardized(z, a, ddof{0}, value_in(epsilon{1e-5}, options...)), "batch_norm",
                               per_channel<R>(options)...));
}

}  // namespace lazyfuse
