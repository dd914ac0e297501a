// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of selections: of all elements, with the identity in place of those that are not selected. So they fuse as
// all reductions do, and nothing is moved.
#pragma once

#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/selection/selection.hpp>

namespace lazyfuse {

namespace selection_detail {
/// What is selected, and `otherwise` elsewhere.
template <class S, class T>
auto elsewhere(const S& s, const T& otherwise) {
  return map<op::where>(s.mask(), s.values(), statistics_detail::value_of(otherwise));
}
}  // namespace selection_detail

template <class Monoid, class S>
auto reduce_selected(reduce_detail::with<Monoid>, const S& s) {
  using T = typename S::value_type;
  constexpr bool numbers = arithmetic_type<T>;
  static_assert(numbers, "lazyfuse: reductions of selections are defined for numbers");
  if constexpr (!numbers) return s.count();
  else if constexpr (__is_same(Monoid, op::all) || __is_same(Monoid, op::any))
    return reduction_function<reduce_detail::with<Monoid>>{}(selection_detail::elsewhere(
        selection_detail::make(s.mask(), cast<bool>(s.values())), __is_same(Monoid, op::all)));
  else if constexpr (!reduce_detail::is_ordered<Monoid, T>) return s.count();
  else
    return reduction_function<reduce_detail::with<Monoid>>{}(
        selection_detail::elsewhere(s, Monoid::template identity<T>()));
}
template <class S>
auto reduce_selected(reduce_detail::mean, const S& s) {
  using T = typename S::value_type;
  using Real = floating_t<accumulator_t<T>>;
  const auto total = sum(cast<Real>(selection_detail::elsewhere(s, T(0))));
  const auto result = total / cast<Real>(s.count());
  if constexpr (small_real<T>) return cast<T>(result);
  else return result;
}

/// How many selected elements are not zero. \numpy{count_nonzero}
template <filtered S>
auto count_nonzero(const S& s) {
  return sum(s.mask() & cast<bool>(s.values()));
}

}  // namespace lazyfuse
