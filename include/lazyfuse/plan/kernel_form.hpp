// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the types of several expressions tell of their kernels: which could be one, what they read, and which results
// of earlier ones they had better read.
#pragma once

#include <lazyfuse/plan/finished.hpp>
#include <lazyfuse/plan/rows.hpp>

namespace lazyfuse::planning {

namespace assignments_detail {

using finished_detail::inside;

/// The kernel that an expression is by itself. Equal forms can be one kernel, but for `several`, which is more than
/// one.
struct kernel_form {
  enum { transform, reduce, rows, several } kind;
  int result_rank, rank = 0, axes = 0;
  bool kept_dims = false;
  friend constexpr bool operator==(const kernel_form&, const kernel_form&) = default;
};
template <class E>
constexpr kernel_form form_alone() {
  constexpr int R = E::rank;
  if constexpr (!has_reduction<E>) return {kernel_form::transform, R};
  else {
    constexpr auto f = reductions_detail::form_of<E>;
    constexpr auto r = rows_detail::form_of<E>;
    if (f.possible && ((!f.kept_dims && f.rank - f.axes == R) || !f.other_leaves))
      return {kernel_form::reduce, R, f.rank, f.axes, f.kept_dims};
    if (may_be_rows<R, E> && (r.nested || f.other_leaves)) return {kernel_form::rows, R, r.rank, r.axes};
    return {kernel_form::several, R};
  }
}

struct costing : tree::sums<int> {
  template <class Source, int R>
  static constexpr int leaf = 0;
  template <class Kind, class A, int R>
  static constexpr int deferred = 0;
  template <class Op, class... V>
  static constexpr int map(V... values) {
    return (Op::cost + ... + values);
  }
};
/// Instructions per element, as the operations count them.
template <class E>
inline constexpr int cost_of = tree::fold<costing, E>;

template <class Source, int R>
inline constexpr list<> array_of{};
template <class T, class Space, int R>
inline constexpr list<leaf<stored<T, Space>, R>> array_of<stored<T, Space>, R>{};
template <int I, class Source, uint64 Seen, int R>
inline constexpr auto array_of<numbered_source<I, Source, Seen>, R> = array_of<Source, R>;
struct listing_arrays {
  template <class Source, int R>
  static constexpr auto leaf = array_of<Source, R>;
  template <class Kind, class A, int R>
  static constexpr auto deferred = tree::fold<listing_arrays, A>;
  static constexpr list<> literal{};
  template <class Op, class... L>
  static constexpr auto map(L...) {
    return concat_t<L...>{};
  }
};
/// The arrays that an expression reads, one for each leaf.
template <class E>
using arrays_of = bare_t<decltype(tree::fold<listing_arrays, E>)>;

template <class T, class... A>
constexpr bool read_at_most(list<A...>) {
  return sizeof...(A) == 0 || (sizeof...(A) == 1 && ((sizeof(typename A::value_type) <= sizeof(T)) && ...));
}
/// Whether reading the value of K may be better than computing it again. It is not for a few instructions on one array.
template <class K>
inline constexpr bool worth_reading = has_reduction<K> || cost_of<K> > 4 || !read_at_most<value_t<K>>(arrays_of<K>{});

/// The distinct types of K... that Wanted accepts.
template <template <class> class Wanted, class Found, class... K>
struct select {
  using type = Found;
};
template <template <class> class Wanted, class Found, class K, class... More>
struct select<Wanted, Found, K, More...>
    : select<Wanted, typename appended_if<Wanted<K>::value && !contains<K, Found>, Found, K>::type, More...> {};

template <class K, class L>
inline constexpr int count_in = 0;
template <class K, class... E>
inline constexpr int count_in<K, list<E...>> = (0 + ... + __is_same(K, E));
template <class Space, class Found, class Named, class All>
struct set_of;
template <class Space, class... K, class Named, class All>
struct set_of<Space, list<K...>, Named, All> {
  using type = finished_set<Space, Named, finished<K, Space, count_in<K, All>>...>;
};

/// The kernel that expression E is where others are finished. What contains reductions of another form reads them.
template <class E, class... All>
struct form_among {
  template <class K>
  struct reduction_inside {
    static constexpr bool value = has_reduction<K> && inside<K, E>;
  };
  template <class K>
  struct foreign {  // a largest one of another form
    static constexpr bool value = reduction_inside<K>::value && !(form_alone<K>() == form_alone<E>()) &&
                                  !((reduction_inside<All>::value && inside<K, All>) || ...);
  };
  static constexpr kernel_form alone = form_alone<E>();
  static constexpr kernel_form value = [] {
    constexpr bool one_pass = alone.kind == kernel_form::transform || alone.kind == kernel_form::reduce;
    constexpr bool cut =
        alone.kind == kernel_form::several ? (reduction_inside<All>::value || ...) : (foreign<All>::value || ...);
    if constexpr (one_pass || !cut) return alone;
    else {
      using inner = typename select<reduction_inside, list<>, All...>::type;
      using set = typename set_of<typename E::space, inner, list<>, list<All...>>::type;
      return form_alone<bare_t<decltype(substituted(std::declval<set&>(), std::declval<const E&>()))>>();
    }
  }();
};

}  // namespace assignments_detail

}  // namespace lazyfuse::planning
