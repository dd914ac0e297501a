// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of choices by position, as of a concat, part by part (evaluate/choices.hpp). Where the axis along which
// parts follow each other is kept, each has a slice of the results. Where it is reduced, the first part is reduced into
// memory, and the kernel of the second combines with that.
#pragma once

#include <lazyfuse/evaluate/choices.hpp>
#include <lazyfuse/evaluate/products.hpp>
#include <lazyfuse/program/combinations.hpp>

namespace lazyfuse::run_detail {

/// How many choices are inside of each other: each is compiled for either axis.
inline constexpr int most_choices = 4;
struct choices_within {
  template <class Source, int R>
  static constexpr int leaf = 0;
  template <class Kind, class A, int R>
  static constexpr int deferred = 0;
  static constexpr int literal = 0;
  template <class Op, class... V>
  static constexpr int map(V... values) {
    int most = 0;
    ((most = values > most ? values : most), ...);
    return most + ir::choice<Op>;
  }
};
/// Whether results of a rank are reductions with choices in their arguments, and with nothing else in their kernel that
/// chooses.
struct of_choices {
  bool known = true, any = false;
};
template <int Rank>
struct reducing_choices {
  template <class Source, int R>
  static constexpr of_choices leaf{};
  static constexpr of_choices literal{};
  template <class Kind, class A, int R>
  static constexpr of_choices deferred{
      R == Rank && !planning::has_reduction<A> && tree::fold<choices_within, A> <= most_choices, has_choice<A>};
  template <class Op, class... V>
  static constexpr of_choices map(V... values) {
    return {!ir::choice<Op> && (values.known && ...), (values.any || ...)};
  }
};
template <class Space, class... E>
inline constexpr bool may_reduce_parts = false;
template <class Space, class E>
inline constexpr bool may_reduce_parts<Space, E> = [] {
  if constexpr (!has_choice<E>) return false;
  else {
    constexpr of_choices found = tree::fold<reducing_choices<E::rank>, E>;
    return found.known && found.any && planning::reductions_detail::form_of<E>.possible &&
           !are_around_products<Space, E>;
  }
}();

/// What the reductions of an expression have in common.
template <int R>
struct parts_of_reductions {
  choice_cut cut;
  bool known = true;  ///< their results are the whole's, in their own order
  index_t bytes = 0;  ///< that the largest argument has
  int along = -1;     ///< the axis of the whole along which its parts follow each other
};
template <int R, class E>
void find_parts(const E&, const shape<R>&, parts_of_reductions<R>&) {}
template <int R, class Kind, class A>
void find_parts(const leaf<deferred<Kind, A>, R>& e, const shape<R>& whole, parts_of_reductions<R>& to) {
  constexpr int kept = A::rank - Kind::axes;
  const A& argument = e.source.argument;
  const auto& s = argument.shape();
  const index_t bytes = s.size() * index_t{sizeof(value_t<A>)};
  if (bytes > to.bytes) to.bytes = bytes;
  find_cut(tree::unnamed(argument), s, to.cut);
  to.known = to.known && e.extents == whole && e.offset == 0 &&
             planning::same_order(e.extents.extent, e.steps.step, R, s.extent, kept);
  const choice_cut& cut = to.cut;
  if (cut.axis < 0 || cut.axis >= kept) return;
  index_t step = 1;
  for (int k = kept - 1; k > cut.axis; --k) step *= s[k];
  int along = -1;
  for (int k = 0; k < R; ++k)
    if (e.extents[k] > 1 && e.extents[k] == s[cut.axis] && e.steps[k] == step) along = k;
  to.known = to.known && along >= 0 && (to.along < 0 || to.along == along);  // other axes of one element may be kept
  to.along = along;
}
template <int R, class Op, int... I, class... A>
void find_parts(const map_expr<Op, index_sequence<I...>, A...>& e, const shape<R>& whole, parts_of_reductions<R>& to) {
  (find_parts(tree::unnamed(e.template argument<I>()), whole, to), ...);
}

/// The argument of a reduction on one side of a cut.
template <bool Before, class A>
auto argument_part(const A& e, const choice_cut& cut) {
  box b = whole_of(e.shape());
  (Before ? b.end : b.first)[cut.axis] = cut.at;
  return chosen<Before>(part_in<A::rank>(tree::unnamed(e), b));
}
/// An argument with what it reads as it lies.
template <class A>
auto lying(const A& e) {
  if constexpr (has_choice<A>) return e;
  else return with_elements(e);
}

/// Reductions of one side of a cut along an axis that they keep, in place of views of those of the whole.
template <bool Before, class E>
auto side(const E& e, const choice_cut& cut);
template <bool Before, class Kind, class A, int R>
auto side_of(const leaf<deferred<Kind, A>, R>& e, const choice_cut& cut) {
  using own = typename Kind::own;
  const auto argument = argument_part<Before>(e.source.argument, cut);
  return leaf<deferred<own, bare_t<decltype(argument)>>, R>({argument}, e.extents, row_major(e.extents));
}
template <bool Before, class E>
auto side_of(const E& e, const choice_cut& cut) {
  return tree::rebuilt(e, [&](const auto& a) { return side<Before>(a, cut); });
}
template <bool Before, class E>
auto side(const E& e, const choice_cut& cut) {
  if constexpr (planning::has_reduction<E>) return side_of<Before>(tree::unnamed(e), cut);
  else return e;
}
template <class E>
bool arguments_fit(const E&) {
  return true;
}
template <class Kind, class A, int R>
bool arguments_fit(const leaf<deferred<Kind, A>, R>& e) {
  return is_readable(e.source.argument);
}
template <class Op, int... I, class... A>
bool arguments_fit(const map_expr<Op, index_sequence<I...>, A...>& e) {
  return (arguments_fit(tree::unnamed(e.template argument<I>())) && ...);
}
template <class E>
auto with_lying_arguments(const E& e) {
  if constexpr (tree::is_named<E>) return with_lying_arguments(tree::unnamed(e));
  else if constexpr (planning::has_reduction<E>) {
    if constexpr (requires { e.source.argument; }) return tree::with_argument(e, lying(e.source.argument));
    else return tree::rebuilt(e, [](const auto& a) { return with_lying_arguments(a); });
  } else return e;
}

template <class Space, int R, class T, class E>
bool reduce_sides(const execution& x, const target_pack<R, T>& to, allocation* const* owners, const E& e, int axis,
                  const choice_cut& cut) {
  box first = whole_of(e.shape()), second = first;
  first.end[axis] = second.first[axis] = cut.at;
  const auto before = side<true>(part_in<R>(tree::unnamed(e), first), cut);
  const auto after = side<false>(part_in<R>(tree::unnamed(e), second), cut);
  if (!arguments_fit(before) || !arguments_fit(after)) return false;
  run<Space, R, T>(x, before.shape(), place_in(to, first), owners, with_lying_arguments(before));
  run<Space, R, T>(x, after.shape(), place_in(to, second), owners, with_lying_arguments(after));
  return true;
}

/// The one reduction of an expression.
template <class Kind, class A, int R>
const auto& only_reduction(const leaf<deferred<Kind, A>, R>& e) {
  return e;
}
template <class Op, int... I, class... A>
const auto& only_reduction(const map_expr<Op, index_sequence<I...>, A...>& e) {
  constexpr int at = [] {
    int found = 0;
    ((found = planning::has_reduction<A> ? I : found), ...);
    return found;
  }();
  return only_reduction(tree::unnamed(e.template argument<at>()));
}
/// The expression with something else in place of that.
template <class E, class X>
auto with_reduction(const E& e, const X& instead) {
  if constexpr (tree::is_named<E>) return with_reduction(tree::unnamed(e), instead);
  else if constexpr (!planning::has_reduction<E>) return e;
  else if constexpr (requires { e.source.argument; }) return instead;
  else return tree::rebuilt(e, [&](const auto& a) { return with_reduction(a, instead); });
}
template <class Space, int R, class T, class E, class Monoid, int Axes, bool V, class A>
bool reduce_and_combine(const execution& x, const target_pack<R, T>& to, allocation* const* owners, const E& e,
                        const leaf<tree::reduced<Monoid, Axes, A, V>, R>& whole, const choice_cut& cut) {
  using kind = tree::by_monoid<Monoid, Axes, V>;
  using combine = bare_t<decltype(ir::combination<Monoid>)>;
  if constexpr (std::is_null_pointer_v<combine>) return false;
  else {
    const auto before = argument_part<true>(whole.source.argument, cut);
    const auto after = argument_part<false>(whole.source.argument, cut);
    if (!is_readable(before) || !is_readable(after)) return false;
    temporaries t;
    const auto first = made<Space>(x.for_part("reduced part by part"), t,
                                   planning::reductions_detail::own_result<typename kind::own>(lying(before)));
    const auto second = lying(after);
    const leaf<bare_t<decltype(first.source)>, R> known(first.source, whole.extents, whole.steps, whole.offset);
    // Viewed: so its type says that parts follow each other along the axis that is reduced.
    const leaf<deferred<typename kind::viewed, bare_t<decltype(second)>>, R> other({second}, whole.extents, whole.steps,
                                                                                   whole.offset);
    const auto both = map_detail::node<combine, index_sequence<0, 1>>(known, other);
    static_assert(std::is_same_v<value_t<decltype(both)>, value_t<A>>);
    run<Space, R, T>(x, e.shape(), to, owners, with_reduction(e, both));
    return true;
  }
}

/// Returns false, and has done nothing, where it is not worth it, or the choices do not change at one place. Not for
/// lists to be launched, as choices of results.
template <class Space, int R, class T, class E>
bool reduce_in_parts(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
                     const E& e) {
  constexpr index_t least_bytes = space_traits<Space>::on_device ? 1 << 25 : 1 << 17;
  if (x.list && x.list->has_memory()) return false;
  parts_of_reductions<R> found;
  find_parts(tree::unnamed(e), s, found);
  const choice_cut& cut = found.cut;
  if (found.bytes < least_bytes || !cut.one || cut.axis < 0) return false;
  find_parts(tree::unnamed(e), s, found);  // where all of them have the cut, which the first may not have known
  constexpr auto form = planning::reductions_detail::form_of<E>;
  if (cut.axis < form.rank - form.axes) {
    if constexpr (R > 0 && !form.viewed)
      if (found.known && found.along >= 0 && cut.at > 0 && cut.at < s[found.along])
        return reduce_sides<Space>(x, to, owners, e, found.along, cut);
  } else if constexpr (form.count == 1) {
    const auto& whole = only_reduction(tree::unnamed(e));
    if (cut.at > 0 && cut.at < whole.source.argument.shape()[cut.axis])
      return reduce_and_combine<Space>(x, to, owners, e, whole, cut);
  }
  return false;
}

}  // namespace lazyfuse::run_detail
