// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unique elements: keys are sorted, and each run of equal ones is one of them.
#pragma once

#include <lazyfuse/sort/rows.hpp>

namespace lazyfuse {

namespace sort_detail {

/// Sorted keys of all elements, and where their runs start; last, where the last one ends.
template <class T, class Space>
struct runs {
  array<key_of<T>, 1, Space> keys, unsorted;  ///< the latter of reals with places, whose zeros have signs
  array<int64, 1, Space> places, starts;
  index_t count = 0;

  /// Places: noted, too.
  template <bool Places, class X, class = maker>
  static runs of(const X& x) {
    runs r;
    r.keys = array<key_of<T>, 1, Space>(keys_of<false>(in_a_row(x)));
    const index_t n = r.keys.size();
    if constexpr (Places && floating_point<T>) {
      const auto plus = top_of<T>, minus = static_cast<key_of<T>>(~plus);
      r.unsorted = r.keys;
      r.keys = array<key_of<T>, 1, Space>(where(r.unsorted == minus, plus, r.unsorted));
    }
    const key_rows row = rows_with_zeros<T, false>(r.keys);
    r.starts = array<int64, 1, Space>(shape<1>{n + 1}, caller{});
    if constexpr (Places) {
      r.places = array<int64, 1, Space>(shape<1>{n}, caller{});
      if (n > 0) sort_places(Space{}, row, r.places.data());
    } else sort_keys(Space{}, row);
    r.count = find_runs(Space{}, row, r.starts.data());
    r.starts(range(r.count, r.count + 1)) = n;
    return r;
  }
  auto first() const { return starts(range(0, count)); }
  template <class = maker>
  auto values() const {
    if (unsorted.size() > 0) return array<T, 1, Space>(elements_of<T, false>(take(unsorted, indices(), axis<0>)));
    return array<T, 1, Space>(elements_of<T, false>(take(keys, first(), axis<0>)));
  }
  template <class = maker>
  auto counts() const {
    return array<int64, 1, Space>(starts(range(1, count + 1)) - first());
  }
  template <class = maker>
  auto indices() const {
    return array<int64, 1, Space>(take(places, first(), axis<0>));
  }
  template <int R, class = maker>
  auto inverse(const shape<R>& s) {
    array<int64, R, Space> number(s, caller{});
    if (number.size() > 0) number_runs(Space{}, starts.data(), count, places.data(), number.size(), number.data());
    return number;
  }
};
template <bool Places, class X, class = maker>
auto runs_of(const X& x) {
  return runs<value_t<X>, result_space<X>>::template of<Places>(x);
}
template <class X>
constexpr bool has_unique_elements() {
  constexpr bool ordered = boolean<value_t<X>> || integer<value_t<X>> || floating_point<value_t<X>>;
  static_assert(ordered,
                "lazyfuse: complex numbers, vectors and structs have no order, by which unique elements are found");
  return ordered;
}

}  // namespace sort_detail

/// unique(x): the different elements, in ascending order: an array of one axis. NaNs count as one, as in NumPy's
/// unique, and so do zeros of either sign: -0.0 if there is one. Waits on the GPU, to see how many there are.
/// \numpy{unique}
template <class X, class = maker>
  requires expression<X>
auto unique(const X& x, caller where = caller::here()) {
  if constexpr (sort_detail::has_unique_elements<X>()) {
    const sort_detail::call_scope<result_space<X>> scope(x, where);
    return sort_detail::runs_of<false>(x).values();
  }
}

/// What unique_counts returns.
template <class T, class Space>
struct unique_counts_result {
  array<T, 1, Space> values;      ///< in ascending order
  array<int64, 1, Space> counts;  ///< how often each is there
};
/// unique_counts(x): .values as unique(x), and .counts. \numpy{unique_counts}
template <class X, class = maker>
  requires expression<X>
auto unique_counts(const X& x, caller where = caller::here()) {
  if constexpr (sort_detail::has_unique_elements<X>()) {
    const sort_detail::call_scope<result_space<X>> scope(x, where);
    const auto r = sort_detail::runs_of<false>(x);
    return unique_counts_result<value_t<X>, result_space<X>>{r.values(), r.counts()};
  }
}

/// What unique_inverse returns.
template <class T, int R, class Space>
struct unique_inverse_result {
  array<T, 1, Space> values;               ///< in ascending order
  array<int64, R, Space> inverse_indices;  ///< of the shape of x: which of them each element is
};
/// unique_inverse(x): .values as unique(x), but for the sign of zero, which is that of the first one, and
/// .inverse_indices, so that take(values, inverse_indices) is x.
/// \numpy{unique_inverse}
template <class X, class = maker>
  requires expression<X>
auto unique_inverse(const X& x, caller where = caller::here()) {
  if constexpr (sort_detail::has_unique_elements<X>()) {
    const sort_detail::call_scope<result_space<X>> scope(x, where);
    auto r = sort_detail::runs_of<true>(x);
    return unique_inverse_result<value_t<X>, rank_of<X>, result_space<X>>{r.values(), r.inverse(x.shape())};
  }
}

/// What unique_all returns.
template <class T, int R, class Space>
struct unique_all_result {
  array<T, 1, Space> values;               ///< in ascending order
  array<int64, 1, Space> indices;          ///< where each is first, counted in row-major order
  array<int64, R, Space> inverse_indices;  ///< of the shape of x: which of them each element is
  array<int64, 1, Space> counts;           ///< how often each is there
};
/// unique_all(x): .values as unique_inverse(x), .indices, .inverse_indices and .counts. \numpy{unique_all}
template <class X, class = maker>
  requires expression<X>
auto unique_all(const X& x, caller where = caller::here()) {
  if constexpr (sort_detail::has_unique_elements<X>()) {
    const sort_detail::call_scope<result_space<X>> scope(x, where);
    auto r = sort_detail::runs_of<true>(x);
    return unique_all_result<value_t<X>, rank_of<X>, result_space<X>>{r.values(), r.indices(), r.inverse(x.shape()),
                                                                      r.counts()};
  }
}

}  // namespace lazyfuse
