// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Similarities and losses of rows: what training code compares two arrays by. Conventions as in normalization.hpp.
#pragma once

#include <lazyfuse/expr/normalization.hpp>

namespace lazyfuse {

/// cosine_similarity(x, y, axis<-1>, epsilon{1e-8}, keepdims): sum(x * y) / (max(|x|, epsilon) * max(|y|, epsilon))
/// along the axes. Operands are broadcast. PyTorch's cosine_similarity
template <class X, class Y, class... Options>
  requires(expression<X>&& expression<Y>)
constexpr auto cosine_similarity(const X& x, const Y& y, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_epsilon<Options> || is_keepdims<Options>)&&...),
                "lazyfuse: cosine_similarity takes axis<...>, epsilon{e} and keepdims after its operands");
  constexpr bool keep = (is_keepdims<Options> || ...);
  const auto s = broadcast_shapes(x.shape(), y.shape(), "cosine_similarity");
  const auto a = axes_in(axis<-1>, options...);
  const auto f = [&](const auto& u, const auto& v) {
    const auto length = [&](const auto& e) {
      return maximum(sqrt(reduce_keeping<keep>(sum, square(e), a)), value_in(epsilon{1e-8}, options...).value);
    };
    return reduce_keeping<keep>(sum, u * v, a) / (length(u) * length(v));
  };
  return as_stored<decltype(x + y)>(with_both(f, broadcast_to(real_of(x), s), broadcast_to(real_of(y), s)));
}

namespace normalization_detail {
/// 0, 1, ..., n - 1.
template <class T>
constexpr auto numbers_up_to(index_t n) {
  const shape<1> s{n};
  return over(tree::leaf<ir::counter<T>, 1>({}, s, row_major(s)));
}
}  // namespace normalization_detail

/// cross_entropy(x, target, axis<-1>): -sum(target * log_softmax(x)) along the axis, the loss of each row. Real targets
/// are probabilities in the shape of x, and 0 * -infinity counts as 0. Integers are classes in the shape of x without
/// the axis; a class out of range, as PyTorch's ignore_index, gives 0. Others, and more than 2^32 classes, throw
/// shape_error. PyTorch's cross_entropy, whose classes are axis 1, and which takes the mean of it.
template <class X, class Y, class... Options>
  requires(expression<X>&& expression<Y>)
constexpr auto cross_entropy(const X& x, const Y& target, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && (is_axes<Options> && ...),
                "lazyfuse: cross_entropy takes axis<k> after its operands");
  const auto a = axes_in(axis<-1>, options...);
  static_assert(is_one_axis<bare_t<decltype(a)>>, "lazyfuse: the classes of cross_entropy lie along one axis");
  constexpr int R = rank_of<X>, k = view_detail::normal_axis<only_axis(bare_t<decltype(a)>{}), R>();
  const auto s = x.shape();
  const auto loss = [&](const auto& z, const auto& last) {
    using T = value_t<decltype(z)>;
    const auto shifted = z - max(z, a, keepdims);
    const auto total = log(sum(exp(shifted), a));
    return last(z, shifted, total, T(0));
  };
  if constexpr (integer<value_t<Y>>) {
    static_assert(rank_of<Y> == R - 1, "lazyfuse: the class indices of cross_entropy have one axis fewer than x");
    const index_t classes = s[k];
    if (classes > index_t{1} << 32) throw_shape("cross_entropy", s.extent, R, "has more than 2^32 classes");
    constexpr reduction_function<reduce_detail::with<op::picked>> pick;
    const auto label = cast<int64>(target);
    const auto wanted = with_axis<k>(cast<uint32>(target));
    for (int axis = 0; axis < R; ++axis)
      if (axis != k && wanted.shape()[axis] != s[axis])
        throw_shapes("cross_entropy", s.extent, R, target.shape().extent, R - 1, "are not those of x and its classes");
    // Numbers of 32 bits, which vectors compare fast. What is picked is no work for the pass that computes exp.
    const auto here = along<R>(numbers_up_to<uint32>(classes), axis<k>) == wanted;
    return as_stored<X>(
        loss(used_often<true>(real_of(x)), [&](const auto& z, const auto&, const auto& total, auto zero) {
          const auto found = total - (pick(where(here, z, zero), a) - max(z, a));
          return where(logical_and(label >= 0, label < classes), found, zero);
        }));
  } else {
    static_assert(rank_of<Y> == R, "lazyfuse: the probabilities of cross_entropy have as many axes as x");
    const auto f = [&](const auto& z, const auto& p) {
      return loss(z, [&](const auto&, const auto& shifted, const auto& total, auto) {
        return total * sum(p, a) - sum(where(p == 0, value_t<decltype(p * shifted)>(0), p * shifted), a);
      });
    };
    return as_stored<X>(with_both(f, real_of(x), repeated(real_of(target), s, "cross_entropy")));
  }
}

/// kl_div(p, q, axis<-1>, keepdims): the sum of p * log(p / q) along the axes, with 0 where p is 0: the
/// Kullback-Leibler divergence of q from p. Operands are broadcast. The sum of SciPy's special.rel_entr
template <class P, class Q, class... Options>
  requires(expression<P>&& expression<Q>)
constexpr auto kl_div(const P& p, const Q& q, Options... options) {
  using namespace normalization_detail;
  static_assert(once<Options...> && ((is_axes<Options> || is_keepdims<Options>)&&...),
                "lazyfuse: kl_div takes axis<...> and keepdims after its operands");
  return reduce_keeping<(is_keepdims<Options> || ...)>(sum, rel_entr(p, q), axes_in(axis<-1>, options...));
}

}  // namespace lazyfuse
