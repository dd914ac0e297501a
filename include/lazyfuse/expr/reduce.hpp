// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions as expressions: a leaf whose source is still to be computed. The reduced axes of the
// argument are moved to its end (a view, free), so a reduction is a monoid and a number of axes.
#pragma once

#include <lazyfuse/expr/argument_ids.hpp>
#include <lazyfuse/program/program.hpp>

namespace lazyfuse {

namespace tree {

/// Combining the last Axes axes of the argument with a monoid: dense and row-major. Viewed: some slice or permutation
/// of it; its elements then are not read in their own order.
template <class Monoid, int Axes, bool Viewed>
struct by_monoid {
  static constexpr bool in_kernel = true, in_own_order = !Viewed;
  static constexpr int axes = Axes;
  static constexpr const char* cut = "cut at a reduction";
  using viewed = by_monoid<Monoid, Axes, true>;
  using own = by_monoid<Monoid, Axes, false>;
  using stage = ir::combined<Monoid>;
};
template <class Monoid, int Axes, class A, bool Viewed>
using reduced = deferred<by_monoid<Monoid, Axes, Viewed>, A>;

}  // namespace tree

namespace reduce_detail {
template <int R, int... A>
struct plan_axes {
  static constexpr unsigned mask =
      sizeof...(A) == 0 ? (1u << R) - 1 : (0u | ... | (1u << view_detail::normal_axis<A, R>()));
  static constexpr int reduced_count = __builtin_popcount(mask);
  static constexpr int kept = R - reduced_count;
  static_assert(sizeof...(A) == 0 || reduced_count == sizeof...(A), "lazyfuse: a reduction can name an axis only once");
};

/// What the monoid keeps elements of type T in, and what becomes of that.
template <class Monoid, class T>
using accumulator_of = like_t<T, typename Monoid::template accumulator<component_t<T>>>;
template <class Monoid, class T>
using result_of = like_t<T, typename Monoid::template result<component_t<T>>>;

/// Whether the monoid can choose among elements of type T; a sentence if not.
template <class Monoid, class T>
consteval bool ordered_for() {
  constexpr bool order = !complex_number<T> || !__is_same(typename Monoid::template accumulator<T>, T) || !requires {
    Monoid::of_numbers(T{}, T{});
  };
  static_assert(order, "lazyfuse: complex numbers have no largest or smallest; take abs(x), real(x) or imag(x)");
  return order;
}
template <class Monoid, class T>
inline constexpr bool is_ordered = ordered_for<Monoid, component_t<T>>();

template <class Monoid, class E>
constexpr auto accumulated(const E& e) {
  using T = accumulator_of<Monoid, value_t<E>>;
  if constexpr (__is_same(T, value_t<E>)) return e;
  else return map_detail::cast_node<T>(e);
}

template <class Monoid, bool Keep, class E, int... A>
constexpr auto build(const E& e, axes<A...>) {
  constexpr int R = E::rank;
  using axes_plan = plan_axes<R, A...>;
  if constexpr (R == 0)
    return build<Monoid, false>(view_detail::view_tree(e, newaxis), axes<>{});  // one element, one axis to reduce
  else {
    const auto from = e.shape();
    index_map<R, R> order;
    shape<axes_plan::kept> kept;
    index_map<axes_plan::kept, R> keep;
    int front = 0, back = axes_plan::kept;
    index_t count = 1;
    for (int k = 0; k < R; ++k) {
      const bool reduce_it = (axes_plan::mask >> k) & 1;
      const int to = reduce_it ? back++ : front++;
      order.source[to] = k;
      order.factor[to] = 1;
      order.extents[to] = from[k];
      keep.source[k] = reduce_it ? -1 : to;
      keep.factor[k] = reduce_it ? 0 : 1;
      keep.extents[k] = reduce_it ? 1 : from[k];
      if (reduce_it) count *= from[k];
      else kept[to] = from[k];
    }
    if (!Monoid::has_identity && count == 0 && kept.size() != 0)
      throw_shape(Monoid::name, from.extent, R, "has no elements to reduce");
    const auto finish = [&]<class N>(const N& argument) {
      using source = tree::reduced<Monoid, axes_plan::reduced_count, N, false>;
      const tree::leaf<source, axes_plan::kept> result({argument}, kept, row_major(kept));
      if constexpr (Keep) {  // not a view: axes of extent 1 do not change the order
        const auto kept_view = view_detail::remap(result, keep);
        return tree::leaf<source, R>(result.source, kept_view.extents, kept_view.steps);
      } else return result;
    };
    // Reduced axes that are already last need no view.
    constexpr bool in_order = axes_plan::mask == ((1u << R) - 1) - ((1u << axes_plan::kept) - 1);
    if constexpr (in_order) return finish(accumulated<Monoid>(e));
    else {
      using number_detail::for_a_reduction, number_detail::with_numbers_of;
      return finish(accumulated<Monoid>(with_numbers_of<for_a_reduction>(e, view_detail::remap(e, order))));
    }
  }
}

template <int R, int... A>
constexpr index_t reduced_count(const shape<R>& s, axes<A...>) {
  index_t n = 1;
  for (int k = 0; k < R; ++k)
    if ((plan_axes<R, A...>::mask >> k) & 1) n *= s[k];
  return n;
}

/// e as elements of type T.
template <class T, class E>
constexpr auto as_type(const E& e) {
  if constexpr (__is_same(T, value_t<E>)) return e;
  else return map_detail::cast_node<T>(e);
}

template <class Monoid>
struct with {
  template <bool Keep, class E, class Axes>
  static constexpr auto build(const E& e, Axes a) {
    if constexpr (!is_ordered<Monoid, value_t<E>>) return e;
    else if constexpr (requires { typename result_of<Monoid, value_t<E>>; })
      return as_type<result_of<Monoid, value_t<E>>>(reduce_detail::build<Monoid, Keep>(e, a));
    else return reduce_detail::build<Monoid, Keep>(e, a);
  }
};
struct mean {
  template <bool Keep, class E, class Axes>
  static constexpr auto build(const E& e, Axes a) {
    using Each = component_t<value_t<E>>;
    using Real = floating_t<accumulator_t<Each>>;
    using T = like_t<value_t<E>, Real>;
    const auto count = leaf_detail::element<Real>(reduced_count(e.shape(), a), "mean");
    const auto total = as_type<T>(reduce_detail::build<op::sum, Keep>(e, a));
    const auto mean = map_detail::node<op::divide, index_sequence<0, 1>>(total, tree::constant_leaf(count, shape<0>{}));
    if constexpr (small_real<Each>) return as_type<value_t<E>>(mean);
    else return mean;
  }
};
}  // namespace reduce_detail

/// A reduction as a function: of x over the named axes, or over all; with keepdims reduced axes stay, with extent 1.
/// Lazy, and one kernel with what it is computed from and what is computed from it.
template <class Reduction>
struct reduction_function : mistakes::axes_in_a_list {
  template <class X, int... A>
    requires expression<X>
  constexpr auto operator()(X&& x, axes<A...> a = {}) const {
    return over(Reduction::template build<false>(x.tree, a), static_cast<X&&>(x));
  }
  template <class X, int... A>
    requires expression<X>
  constexpr auto operator()(X&& x, axes<A...> a, keepdims_t) const {
    return over(Reduction::template build<true>(x.tree, a), static_cast<X&&>(x));
  }
  template <class X>
    requires expression<X>
  constexpr auto operator()(X&& x, keepdims_t k) const { return (*this)(static_cast<X&&>(x), axes<>{}, k); }
  template <class X, int... A>
    requires expression<X>
  constexpr auto operator()(X&& x, keepdims_t k, axes<A...> a) const { return (*this)(static_cast<X&&>(x), a, k); }
  /// Of a selection, which selection/reduce.hpp knows.
  template <filtered X>
  constexpr auto operator()(X&& x) const {
    return reduce_selected(Reduction{}, static_cast<X&&>(x));
  }
  template <class X, class Option, class... Options>
    requires expression<X>
  constexpr auto operator()(X&& x, Option, Options...) const {
    static_assert(!__is_same(Option, Option),
                  "lazyfuse: reductions take axis<...> and keepdims after their operand, sum(x, axis<1>) for NumPy's "
                  "sum(x, 1); the larger of two operands is maximum(x, y), the smaller minimum(x, y)");
    return bare_t<X>(static_cast<X&&>(x));
  }
  using mistakes::axes_in_a_list::operator();
};

/// sum(x, axis<...>, keepdims): the sum; bool and integers in int64, unsigned ones in uint64. Pairwise order, the same
/// bits on every run. \numpy{sum}
inline constexpr reduction_function<reduce_detail::with<op::sum>> sum{};
/// prod(x, axis<...>, keepdims): the product; bool and integers in int64, unsigned ones in uint64. \numpy{prod}
inline constexpr reduction_function<reduce_detail::with<op::prod>> prod{};
/// max(x, axis<...>, keepdims): the largest element; NaN wins; an empty x throws shape_error. \numpy{max}
inline constexpr reduction_function<reduce_detail::with<op::max>> max{};
/// min(x, axis<...>, keepdims): the smallest element; NaN wins; an empty x throws shape_error. \numpy{min}
inline constexpr reduction_function<reduce_detail::with<op::min>> min{};
/// any(x, axis<...>, keepdims): whether some element is true. \numpy{any}
inline constexpr reduction_function<reduce_detail::with<op::any>> any{};
/// mean(x, axis<...>, keepdims): the sum divided by the number of elements; integers and bool in double. NaN of an
/// empty x. \numpy{mean}
inline constexpr reduction_function<reduce_detail::mean> mean{};

/// Whether every element is true. \numpy{all}
template <class X, class... Options>
  requires operands<X>
constexpr auto all_function::operator()(X&& x, Options... options) const {
  return reduction_function<reduce_detail::with<op::all>>{}(static_cast<X&&>(x), options...);
}

}  // namespace lazyfuse
