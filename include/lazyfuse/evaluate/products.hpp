// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions around products of matrices: where a library multiplies faster than a kernel that computes all of the
// expression, the products are computed first, and what is around them is a kernel that reads them.
#pragma once

#include <lazyfuse/evaluate/temporaries.hpp>

namespace lazyfuse::run_detail {

/// The type of an array, or of what is widened for a sum of 16-bit reals; void: it is something else.
template <class E>
struct factor_of {
  using type = void;
};
template <class T, class Space, int R>
struct factor_of<leaf<stored<T, Space>, R>> {
  using type = T;
};
template <int I, class Source, uint64 Seen, int R>
struct factor_of<leaf<numbered_source<I, Source, Seen>, R>> : factor_of<leaf<Source, R>> {};
template <class E>
struct factor_of<tree::named<E>> : factor_of<E> {};
template <class Op, class Seq, class A>
  requires(ir::code_detail::is_cast<Op>)
struct factor_of<map_expr<Op, Seq, A>> : factor_of<A> {};

/// Whether a way of computing elements of an argument adds up the products of two arrays.
template <class Kind, class A>
struct products_added {
  static constexpr bool value = false;
};
template <class Monoid, int Axes, bool V, class Op, class Seq, class A, class B>
  requires(
      requires { Monoid::is_sum; } && requires { Op::is_product; })
struct products_added<tree::by_monoid<Monoid, Axes, V>, map_expr<Op, Seq, A, B>> {
  using factor = typename factor_of<A>::type;
  static constexpr bool value = !std::is_void_v<factor> && std::is_same_v<factor, typename factor_of<B>::type>;
};
template <class Kind, class E>
struct products_added<Kind, tree::named<E>> : products_added<Kind, E> {};

struct stage_count {
  int all, products;
  friend constexpr stage_count operator+(const stage_count& a, const stage_count& b) {
    return {a.all + b.all, a.products + b.products};
  }
};
struct counting_products : tree::sums<stage_count> {
  template <class Source, int R>
  static constexpr stage_count leaf{};
  template <class Kind, class A, int R>
  static constexpr stage_count deferred{1, int(products_added<Kind, A>::value)};
};
/// What rounds a product alone is a part of it.
template <class E>
inline constexpr bool is_around = false;
template <class Op, class Seq, class... A>
inline constexpr bool is_around<map_expr<Op, Seq, A...>> = !ir::code_detail::is_cast<Op>;
template <class E>
inline constexpr bool is_around<tree::named<E>> = is_around<E>;

/// Whether expressions have no stages but products, and something around them, in a space with such a library.
template <class Space, class... E>
inline constexpr bool are_around_products = [] {
  if constexpr (makes_all_kernels<Space> || !requires { backend<Space>::multiplies(dtype{}, dtype{}); }) return false;
  else {
    constexpr stage_count n = (stage_count{} + ... + tree::fold<counting_products, E>);
    return n.all > 0 && n.all == n.products && (n.all > 1 || (is_around<E> && ...));
  }
}();

/// Elements of a factor, each once.
template <class Source, int R>
index_t factor_size(const leaf<Source, R>& e) {
  index_t n = 1;
  for (int k = 0; k < R; ++k)
    if (e.steps[k] != 0) n *= e.extents[k];
  return n;
}
template <class Op, class Seq, class A>
index_t factor_size(const map_expr<Op, Seq, A>& e) {
  return factor_size(tree::unnamed(e.template argument<0>()));
}

/// Whether the library is to compute all of the products.
template <class Space, class E>
bool products_pay(const E& e);
template <class Space, class Source, int R>
bool product_pays(const leaf<Source, R>&) {
  return true;
}
template <class Space, class T, auto V>
bool product_pays(const tree::literal_leaf<T, V>&) {
  return true;
}
template <class Space, class Kind, class A, int R>
bool product_pays(const leaf<deferred<Kind, A>, R>& e) {
  constexpr index_t least_positions = 1 << 18, least_reads = 32;
  using factor = typename products_added<Kind, A>::factor;
  const auto& product = tree::unnamed(e.source.argument);
  const index_t positions = product.shape().size();
  const auto is_read_often = [&](const auto& f) { return factor_size(tree::unnamed(f)) * least_reads <= positions; };
  return positions >= least_positions && is_read_often(product.template argument<0>()) &&
         is_read_often(product.template argument<1>()) &&
         backend<Space>::multiplies(dtype_of<factor>, dtype_of<value_t<A>>);
}
template <class Space, class Op, int... I, class... A>
bool product_pays(const map_expr<Op, index_sequence<I...>, A...>& e) {
  return (products_pay<Space>(e.template argument<I>()) && ...);
}
template <class Space, class E>
bool products_pay(const E& e) {
  return product_pays<Space>(tree::unnamed(e));
}

}  // namespace lazyfuse::run_detail
