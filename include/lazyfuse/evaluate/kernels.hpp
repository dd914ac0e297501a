// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many kernels an expression is, by its type: the decisions of run.hpp, with arrays in place of what is computed
// into memory. Nothing is compiled for it.
#pragma once

#include <lazyfuse/evaluate/run.hpp>

#include <type_traits>

namespace lazyfuse {

namespace kernels_detail {

/// What is computed into memory first: barriers, wherever they are; the outermost reductions and scans; the outermost
/// ones that are no scans; or those that are inside others.
enum class first { barriers, patterns, reductions, nested };

/// The type of an expression once that is done, node by node (expr/tree.hpp).
template <class Space, first What, class E>
struct after;
template <class Space, first What, class Source, int R>
struct after<Space, What, tree::leaf<Source, R>> {
  using type = tree::leaf<Source, R>;
};
template <class Space, first What, class T, auto V>
struct after<Space, What, tree::literal_leaf<T, V>> {
  using type = tree::literal_leaf<T, V>;
};
template <class Space, first What, class E>
using after_t = typename after<Space, What, E>::type;
template <class Space, first What, class Op, class Seq, class... A>
struct after<Space, What, tree::map_expr<Op, Seq, A...>> {
  using type = tree::map_expr<Op, Seq, after_t<Space, What, A>...>;
};
template <class Space, first What, class E>
struct after<Space, What, tree::named<E>> {
  using inner = after_t<Space, What, E>;
  using type = std::conditional_t<map_detail::is_composite<inner>, tree::named<inner>, inner>;
};
template <class Space, first What, class Kind, class A, int R>
struct after<Space, What, tree::leaf<tree::deferred<Kind, A>, R>> {
  using values = stored<value_t<A>, Space>;
  template <class Source>
  using read_from = std::type_identity<tree::leaf<Source, R>>;
  static auto found() {
    if constexpr (What == first::nested) return read_from<tree::deferred<Kind, after_t<Space, first::patterns, A>>>{};
    else if constexpr (What == first::barriers && Kind::in_kernel)
      return read_from<tree::deferred<Kind, after_t<Space, What, A>>>{};
    else if constexpr (What == first::barriers)
      return read_from<bare_t<decltype(std::declval<const Kind&>().read(std::declval<values>()))>>{};
    else if constexpr (What == first::reductions && scans_detail::is_scan<Kind>)
      return read_from<tree::deferred<Kind, A>>{};
    else return read_from<values>{};
  }
  using type = typename decltype(found())::type;
};

/// What that was, as expressions.
template <first What>
struct listing {
  template <class Source, int R>
  static constexpr list<> leaf{};
  template <class Kind, class A, int R>
  static constexpr auto deferred = [] {
    if constexpr (What == first::nested) return tree::fold<listing<first::patterns>, A>;
    else if constexpr (What == first::barriers) {
      if constexpr (Kind::in_kernel) return tree::fold<listing, A>;
      else return list<A>{};
    } else if constexpr (What == first::reductions && scans_detail::is_scan<Kind>) return list<>{};
    else return list<tree::leaf<tree::deferred<typename Kind::own, A>, A::rank - Kind::axes>>{};
  }();
  static constexpr list<> literal{};
  template <class Op, class... L>
  static constexpr auto map(L...) {
    return concat_t<L...>{};
  }
};
template <class Met, class... E>
struct distinct {
  using type = Met;
};
template <class Met, class E, class... More>
struct distinct<Met, E, More...> : distinct<typename appended_if<!contains<E, Met>, Met, E>::type, More...> {};

template <class Space, class E>
constexpr int count();
template <class Space, class... E>
constexpr int count_all(list<E...>) {
  return (0 + ... + count<Space, E>());
}
template <class... E>
constexpr auto each_once(list<E...>) {
  return typename distinct<list<>, E...>::type{};
}
template <class Space, first What, class E>
constexpr int count_first() {
  return count_all<Space>(each_once(tree::fold<listing<What>, E>)) + count<Space, after_t<Space, What, E>>();
}

template <class E>
inline constexpr bool is_deferred = false;
template <class Kind, class A, int R>
inline constexpr bool is_deferred<tree::leaf<tree::deferred<Kind, A>, R>> = true;

template <class Space, class E>
constexpr int count() {
  constexpr int R = E::rank;
  if constexpr (tree::has_barrier<E>) return count_first<Space, first::barriers, E>();
  else if constexpr (run_detail::reads_too_many<E>)
    return count<Space, bare_t<decltype(barrier_detail::limit<plan_limits<>>(std::declval<const E&>()))>>();
  else if constexpr (!planning::has_reduction<E>) return 1;
  else if constexpr (run_detail::has_nested<E> && (has_scan<E> || !planning::may_be_rows<R, E>))
    return count_first<Space, first::nested, E>();
  else if constexpr (has_scan<E>) {
    constexpr auto form = scans_detail::form_of<E>;
    if constexpr (form.reductions) return count_first<Space, first::reductions, E>();
    else if constexpr (form.same && form.rank == R) return 1;
    else return count_first<Space, first::patterns, E>();
  } else {
    constexpr auto form = planning::reductions_detail::form_of<E>;
    constexpr bool nested = run_detail::has_nested<E>,
                   reduces = !nested && form.possible &&
                             ((!form.kept_dims && form.rank - form.axes == R) || !form.other_leaves);
    if constexpr (reduces || is_deferred<E> || (planning::may_be_rows<R, E> && (nested || form.other_leaves))) return 1;
    else return count_first<Space, first::patterns, E>();
  }
}

}  // namespace kernels_detail

/// How many kernels an expression of type E is at least, and exactly if its values allow what its type does:
/// reductions that are broadcast back run along the same axes, and their rows stay on the chip. So
/// static_assert(kernels<decltype(e)> == 1) notices what makes another kernel of an expression, and plan(e).kernels
/// says what its values make of it. (Files without nvcc plan by values alone, and may need fewer.)
template <class E>
  requires expression<bare_t<E>>
inline constexpr int kernels = kernels_detail::count<result_space<bare_t<E>>, tree_t<bare_t<E>>>();

}  // namespace lazyfuse
