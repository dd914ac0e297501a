// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A selection: the elements of an expression at which a mask is true. It is lazy and no expression, for nobody knows
// how many they are. Elementwise functions are pushed inside: of what is selected, selected by the same mask.
#pragma once

#include <lazyfuse/array/array.hpp>

namespace lazyfuse {

template <class Mask, class Values>
class selection;

namespace selection_detail {

/// An expression without its other names: its tree and the handles.
template <class X>
auto plain(X&& x) {
  return over(x.tree, static_cast<X&&>(x));
}
template <class X>
using plain_t = lazy<tree_t<X>>;

template <class Source, int R>
constexpr bool same(const tree::leaf<Source, R>& a, const tree::leaf<Source, R>& b);
template <class Op, int... I, class... A>
constexpr bool same(const tree::map_expr<Op, index_sequence<I...>, A...>& a,
                    const tree::map_expr<Op, index_sequence<I...>, A...>& b);
/// Whether trees of one type compute the same, from the same memory.
template <class T, auto V>
constexpr bool same(const tree::literal_leaf<T, V>&, const tree::literal_leaf<T, V>&) {
  return true;
}
template <class Source>
constexpr bool same_source(const Source& a, const Source& b) {
  if constexpr (requires { a.argument; }) return same(a.argument, b.argument);
  else if constexpr (__is_empty(Source)) return true;
  else if constexpr (requires { a == b; }) return a == b;
  else return false;
}
template <class Source, int R>
constexpr bool same(const tree::leaf<Source, R>& a, const tree::leaf<Source, R>& b) {
  bool equal = a.extents == b.extents && a.offset == b.offset && same_source(a.source, b.source);
  for (int k = 0; k < R; ++k) equal = equal && a.steps[k] == b.steps[k];
  return equal;
}
template <class Op, int... I, class... A>
constexpr bool same(const tree::map_expr<Op, index_sequence<I...>, A...>& a,
                    const tree::map_expr<Op, index_sequence<I...>, A...>& b) {
  return a.extents == b.extents &&
         (same(tree::unnamed(a.template argument<I>()), tree::unnamed(b.template argument<I>())) && ...);
}

/// Whether a mask can select from X; says why not.
template <class Mask, class X>
constexpr bool takes() {
  constexpr bool is_mask = boolean<value_t<Mask>>;
  static_assert(is_mask, "lazyfuse: a mask is an expression of bool, as x > 0");
  constexpr bool has_axes = rank_of < Mask >> 0 && rank_of < X >> 0;
  static_assert(has_axes || !is_mask,
                "lazyfuse: a mask selects from expressions that have axes; of one element where(b, x, y)");
  constexpr bool fits = rank_of<Mask> == rank_of<X>;
  static_assert(
      fits || !has_axes || !is_mask,
      "lazyfuse: a mask has the axes of what it selects from; one along an axis is compress(mask, x, axis<0>)");
  using joined = map_detail::joined<expression_space_t<Mask>, expression_space_t<X>>;
  static_assert(!joined::mixed, "lazyfuse: a mask and what it selects from must live in one space");
  return is_mask && fits && has_axes && !joined::mixed;
}

/// An operand as elementwise functions see it inside of a selection.
template <class A>
constexpr decltype(auto) inside(A&& a) {
  if constexpr (filtered<A>) {
    if constexpr (__is_same(A, bare_t<A>)) return static_cast<A&&>(a).take_values();
    else return a.values();
  } else return static_cast<A&&>(a);
}
template <class A, class... B>
constexpr const auto& first_selection(const A& a, const B&... b) {
  if constexpr (filtered<A>) return a;
  else return first_selection(b...);
}
/// Whether an operand can stand beside a selection by that mask.
template <class Mask, class A>
constexpr bool stands_beside() {
  if constexpr (filtered<A>) {
    constexpr bool one_mask = __is_same(typename bare_t<A>::mask_type, Mask);
    static_assert(one_mask,
                  "lazyfuse: selections meet where one mask made them, auto m = x > 0; x(m) + y(m); others are arrays "
                  "first: lf::array a = x(m)");
    return one_mask;
  } else if constexpr (scalar<A> || is_literal<bare_t<A>>) return true;
  else {
    constexpr bool one = rank_of<A> == 0;
    static_assert(
        one,
        "lazyfuse: nobody knows how many elements a selection has: it meets numbers, expressions of rank 0 and "
        "other selections by its mask; beside others it is an array first: lf::array a = x(mask)");
    return one;
  }
}
template <class Mask, class A>
void check_mask(const char* operation, const Mask& mask, const A& a) {
  if constexpr (filtered<A>)
    if (!same(tree::unnamed(mask.tree), tree::unnamed(a.mask().tree)))
      throw_shapes(operation, mask.shape().extent, Mask::rank, a.mask().shape().extent, Mask::rank,
                   "are those of two masks, and selections meet where one made them");
}
}  // namespace selection_detail

/// What x(mask) and compress return: the elements at which the mask is true, in row-major order. Functions element by
/// element of selections by one mask and of numbers are selections; `x(x > 1) * 2 + 1` is computed in one pass.
/// Reductions of one (sum, prod, min, max, mean, any, all, count_nonzero) are expressions of rank 0 and select nothing
/// in memory. A mask selects from a selection as well: `s(s > 2)`. An array, materialize and printing evaluate it.
template <class Mask, class Values>
class selection : public operand_interface {
 public:
  using mask_type = Mask;
  using values_type = Values;
  using value_type = typename Values::value_type;
  using space =
      array_detail::space_of_result<typename map_detail::joined<typename Mask::space, typename Values::space>::type>;
  using array_type = array<value_type, 1, typename space::type>;

  selection(const Mask& mask, const Values& values) : mask_(mask), values_(values) {}

  const Mask& mask() const { return mask_; }
  const Values& values() const& { return values_; }
  Values take_values() && { return static_cast<Values&&>(values_); }
  Mask take_mask() && { return static_cast<Mask&&>(mask_); }

  /// The elements at which a selection of bool, made of this one, is true: s(s > 2).
  template <class Filter>
  auto operator()(const Filter& filter) const {
    constexpr bool of_this = filtered<Filter>;
    static_assert(of_this,
                  "lazyfuse: the elements of a selection are chosen by what is computed of it, s(s > 2); by an "
                  "array they are when it is one itself: lf::array a = x(mask)");
    if constexpr (!of_this) return *this;
    else if constexpr (selection_detail::stands_beside<Mask, Filter>() &&
                       selection_detail::takes<typename Filter::values_type, Values>()) {
      selection_detail::check_mask("compress", mask_, filter);
      auto both = map<op::logical_and>(mask_, filter.values());
      return selection<decltype(both), Values>(both, values_);
    } else return *this;
  }
  /// How many elements there are, as an expression of rank 0.
  auto count() const { return sum(mask_); }
  /// How many elements there are: evaluates the mask and waits.
  template <class = maker>
  index_t size(caller where = caller::here()) const {
    return static_cast<index_t>(count().item(where));
  }
  /// The elements, computed.
  template <class = maker>
  operator array_type() const;
  template <class E>
  void operator=(const E&) && {
    static_assert(
        !__is_same(E, E),
        "lazyfuse: elements are written where they are, by a mask of an array that is not const: x(mask) = e");
  }
  selection(const selection&) = default;
  selection(selection&&) noexcept = default;
  selection& operator=(const selection&) & = default;

 private:
  Mask mask_;
  Values values_;
};

namespace selection_detail {
template <class Mask, class Values>
selection<Mask, Values> make(const Mask& mask, const Values& values) {
  return {mask, values};
}
}  // namespace selection_detail

/// Op of what is selected.
template <class Op, class... A>
  requires(filtered<A> || ...)
constexpr auto map(A&&... a) {
  using namespace selection_detail;
  const auto& first = first_selection(a...);
  using Mask = typename bare_t<decltype(first)>::mask_type;
  if constexpr ((stands_beside<Mask, A>() && ...)) {
    const Mask mask = first.mask();
    (check_mask(Op::name, mask, a), ...);
    return make(mask, map<Op>(inside(static_cast<A&&>(a))...));
  } else return first;
}
template <class F, class... X>
  requires(!expression<F> && !scalar<F> && !filtered<F> && (filtered<X> || ...))
constexpr auto map(F f, X&&... x) {
  using namespace selection_detail;
  const auto& first = first_selection(x...);
  using Mask = typename bare_t<decltype(first)>::mask_type;
  if constexpr ((stands_beside<Mask, X>() && ...)) {
    const Mask mask = first.mask();
    (check_mask("map", mask, x), ...);
    return make(mask, map(f, inside(static_cast<X&&>(x))...));
  } else return first;
}

/// compress(mask, x): the elements of x at which the mask, of its shape, is true, in row-major order: a selection.
/// x(mask) is the same. Throws shape_error if the shapes differ. \numpy{compress}
template <class Mask, class X>
  requires(expression<Mask>&& expression<X>)
auto compress(const Mask& mask, const X& x) {
  using namespace selection_detail;
  if constexpr (takes<Mask, X>()) {
    if (!(mask.shape() == x.shape()))
      throw_shapes("compress", mask.shape().extent, rank_of<Mask>, x.shape().extent, rank_of<X>,
                   "differ, and a mask has that of what it selects from");
    return make(plain(mask), plain(x));
  } else return plain(x);
}

}  // namespace lazyfuse
