// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions around products of matrices, and of what is computed for them: where a library multiplies faster than a
// kernel that computes all of it, factors and products are put into memory, and what is around them reads them there,
// but for what the library computes with a product.
#pragma once

#include <lazyfuse/evaluate/temporaries.hpp>

namespace lazyfuse::run_detail {

/// Computed into memory for a library, or by one.
struct for_library : tree::to_memory<false> {
  using viewed = for_library;
  static constexpr const char* because = "a library multiplies matrices in memory";
};

template <class E>
using bare_tree = bare_t<decltype(tree::unnamed(std::declval<const E&>()))>;

/// What a factor is of: sums of 16-bit reals widen it first.
template <class E>
struct factor_of {
  using type = E;
};
template <class Op, class Seq, class A>
  requires(ir::code_detail::is_cast<Op>&& small_real<value_t<A>>)
struct factor_of<map_expr<Op, Seq, A>> : factor_of<A> {};
template <class E>
struct factor_of<tree::named<E>> : factor_of<E> {};

/// Whether a way of computing elements of an argument adds up products of two expressions of one type, without stages,
/// and leaves a matrix.
template <class Kind, class A>
struct products_added {
  static constexpr bool value = false;
};
template <class Monoid, int Axes, bool V, class Op, class Seq, class A, class B>
  requires(std::is_same_v<typename Monoid::of_products, Op>)
struct products_added<tree::by_monoid<Monoid, Axes, V>, map_expr<Op, Seq, A, B>> {
  using factor = value_t<typename factor_of<A>::type>;
  static constexpr bool value = map_expr<Op, Seq, A, B>::rank - Axes >= 2 &&
                                std::is_same_v<factor, value_t<typename factor_of<B>::type>> &&
                                !planning::has_reduction<A> && !planning::has_reduction<B>;
};
template <class Kind, class E>
struct products_added<Kind, tree::named<E>> : products_added<Kind, E> {};

template <class E>
inline constexpr bool is_product = false;
template <class Kind, class A, int R>
inline constexpr bool is_product<leaf<deferred<Kind, A>, R>> = products_added<Kind, A>::value;
/// A product of 16-bit reals, whose sum is rounded.
template <class E>
inline constexpr bool is_rounded_product = false;
template <class Op, class Seq, class A>
inline constexpr bool is_rounded_product<map_expr<Op, Seq, A>> =
    ir::code_detail::is_cast<Op>&& small_real<value_t<map_expr<Op, Seq, A>>>&& is_product<bare_tree<A>>;

/// Whether what is computed of products is, in this space, computed where they are.
template <class Space>
inline constexpr bool finishes_products = requires {
  backend<Space>::finishes_products;
};
template <class E>
auto in_memory_for_library(const E& e) {
  if constexpr (requires { e.source.owner; }) return e;
  else return leaf<deferred<for_library, E>, E::rank>({e}, e.shape(), row_major(e.shape()));
}
/// 16-bit reals are widened by the library, but on the host before it.
template <class Space, class E>
auto factor_in_memory(const E& e) {
  if constexpr (tree::is_named<E>) return factor_in_memory<Space>(tree::unnamed(e));
  else if constexpr (finishes_products<Space> || std::is_same_v<typename factor_of<E>::type, E>)
    return in_memory_for_library(e);
  else return tree::rebuilt(e, [](const auto& a) { return factor_in_memory<Space>(a); });
}
/// The product of what is in memory.
template <class Space, class Kind, class A, int R>
auto multiplied(const leaf<deferred<Kind, A>, R>& e) {
  return tree::with_argument(
      e, tree::rebuilt(tree::unnamed(e.source.argument), [](const auto& a) { return factor_in_memory<Space>(a); }));
}
template <class Space, class Op, class Seq, class A>
auto multiplied(const map_expr<Op, Seq, A>& e) {
  return tree::rebuilt(e, [](const auto& a) { return multiplied<Space>(tree::unnamed(a)); });
}
/// The expression with the factors of its products in memory.
template <class Space, class E>
auto with_factors_apart(const E& e) {
  if constexpr (tree::is_named<E>) return with_factors_apart<Space>(tree::unnamed(e));
  else if constexpr (is_product<E> || is_rounded_product<E>) return multiplied<Space>(e);
  else if constexpr (planning::has_reduction<E>)
    return tree::rebuilt(e, [](const auto& a) { return with_factors_apart<Space>(a); });
  else return e;
}
/// The expression with its products in memory; at its root one stays.
template <bool Root, class E>
auto with_products_apart(const E& e) {
  if constexpr (tree::is_named<E>) return with_products_apart<Root>(tree::unnamed(e));
  else if constexpr (is_product<E> || is_rounded_product<E>) {
    if constexpr (Root) return e;
    else return in_memory_for_library(e);
  } else if constexpr (planning::has_reduction<E>)
    return tree::rebuilt(e, [](const auto& a) { return with_products_apart<false>(a); });
  else return e;
}
/// Factors first, then products: those that are equal are computed once only if nothing in them is still to be
/// computed.
template <class Space, class E>
auto next_apart(const E& e) {
  using factors_apart = decltype(with_factors_apart<Space>(e));
  if constexpr (!finishes_products<Space> && std::is_same_v<bare_t<factors_apart>, E>)
    return with_products_apart<true>(e);
  else return with_factors_apart<Space>(e);
}

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
/// Whether expressions have no stages but products, and more than a product of arrays, in a space with such a library.
template <class Space, class... E>
inline constexpr bool are_around_products = [] {
  if constexpr (makes_all_kernels<Space> || !requires { backend<Space>::multiplies(dtype{}, dtype{}); }) return false;
  else {
    constexpr stage_count n = (stage_count{} + ... + tree::fold<counting_products, E>);
    if constexpr (n.all == 0 || n.all != n.products) return false;
    else return (!std::is_same_v<bare_t<decltype(next_apart<Space>(std::declval<const E&>()))>, E> || ...);
  }
}();

/// Whether an expression is computed of one product, whose factors are in memory.
template <class Space, class E>
inline constexpr bool is_of_one_product = [] {
  constexpr stage_count n = tree::fold<counting_products, E>;
  return n.all == 1 && n.products == 1 &&
         std::is_same_v<bare_t<decltype(with_factors_apart<Space>(std::declval<const E&>()))>, E>;
}();

/// Elements of a factor, each once.
template <class Source, int R>
index_t factor_size(const leaf<Source, R>& e) {
  index_t n = 1;
  for (int k = 0; k < R; ++k)
    if (e.steps[k] != 0) n *= e.extents[k];
  return n;
}
template <class E>
index_t factor_size(const E& e) {
  return e.shape().size();
}

/// Whether the library is to compute all of the products.
template <class Space, class E>
bool products_pay(const E& e);
template <class Space, class Kind, class A, int R>
bool product_pays(const leaf<deferred<Kind, A>, R>& e) {
  constexpr index_t least_positions = 1 << 18, least_reads = 32;
  using factor = typename products_added<Kind, A>::factor;
  const auto& product = tree::unnamed(e.source.argument);
  const index_t positions = product.shape().size();
  const auto is_read_often = [&](const auto& f) { return factor_size(tree::unnamed(f)) * least_reads <= positions; };
  return positions >= least_positions && is_read_often(product.template argument<0>()) &&
         is_read_often(product.template argument<1>()) &&
         backend<Space>::multiplies(dtype_of<std::conditional_t<finishes_products<Space>, value_t<A>, factor>>,
                                    dtype_of<value_t<A>>);
}
template <class Space, class Op, int... I, class... A>
bool product_pays(const map_expr<Op, index_sequence<I...>, A...>& e) {
  return (products_pay<Space>(e.template argument<I>()) && ...);
}
template <class Space, class E>
bool products_pay(const E& e) {
  if constexpr (planning::has_reduction<E>) return product_pays<Space>(tree::unnamed(e));
  else return true;
}

}  // namespace lazyfuse::run_detail
