// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort, argsort, topk and partition. They compute at once: what they are given is evaluated by one kernel, to keys, and
// they return arrays, which expressions take again.
#pragma once

#include <lazyfuse/sort/rows.hpp>

namespace lazyfuse {

/// sort(x, axis<A>, descending): the elements in ascending order along an axis, the last one unless it is named, or in
/// descending order; an array. Of bool, integers and real numbers. NaN counts as the largest, so that it is last, or
/// first; all become one NaN. -0.0 comes before 0.0. \numpy{sort}
template <class X, class... Options, class = maker>
  requires expression<X>
auto sort(const X& x, Options...) {
  using namespace sort_detail;
  constexpr bool known = ((options_detail::is_axes<Options> || is_descending<Options>)&&...);
  if constexpr (takes<X>() && known_options<known, Options...>()) {
    constexpr int R = rank_of<X>, A = axis_of<R, Options...>();
    constexpr bool down = descends<Options...>;
    const call_scope<result_space<X>> scope(x, caller{});
    auto keys = new_keys<false, down, A>(x);
    sort_keys(result_space<X>{}, rows_in(keys));
    return array<value_t<X>, R, result_space<X>>(with_axis_back<A>(elements_of<value_t<X>, down>(keys)));
  }
}

/// argsort(x, axis<A>, descending): where the elements of sort(x, ...) are along the axis, an array of int64. Equal
/// ones keep their order, in both directions; so do NaNs, which count as equal here, and zeros of either sign.
/// take_along_axis(x, argsort(x, axis<A>), axis<A>) is sorted. On the GPU an axis has fewer than 2^32 elements.
/// \numpy{argsort}
template <class X, class... Options, class = maker>
  requires expression<X>
auto argsort(const X& x, Options...) {
  using namespace sort_detail;
  constexpr bool known = ((options_detail::is_axes<Options> || is_descending<Options>)&&...);
  if constexpr (takes<X>() && known_options<known, Options...>()) {
    constexpr int R = rank_of<X>, A = axis_of<R, Options...>();
    const call_scope<result_space<X>> scope(x, caller{});
    auto keys = new_keys<true, descends<Options...>, A>(x);
    array<int64, R, result_space<X>> places(keys.shape(), caller{});
    const key_rows rows = rows_in(keys);
    if (!rows.none()) sort_places(result_space<X>{}, rows, places.data());
    return result_of<A>(static_cast<array<int64, R, result_space<X>>&&>(places));
  }
}

/// What topk returns: k elements along the axis, and where they are.
template <class T, int R, class Space>
struct topk_result {
  array<T, R, Space> values;       ///< from the largest to the smallest
  array<int64, R, Space> indices;  ///< along the axis; of equal elements the first ones come first
};
/// topk(x, k, axis<A>): the k largest elements along an axis, the last one unless it is named, and their places, as
/// arrays: .values, .indices. NaN counts as the largest, and zeros of either sign as equal. By selection; on the GPU by
/// sorting where k is more than a quarter of the axis. Throws shape_error if there are fewer. The smallest of reals:
/// topk(-x, k), which has NaN first, too; of integers: topk(~x, k).
template <class X, class... Options, class = maker>
  requires expression<X>
auto topk(const X& x, index_t k, Options...) {
  using namespace sort_detail;
  constexpr bool known = (options_detail::is_axes<Options> && ...);
  if constexpr (takes<X>() && known_options<known, Options...>()) {
    using T = value_t<X>;
    using Space = result_space<X>;
    constexpr int R = rank_of<X>, A = axis_of<R, Options...>();
    const call_scope<Space> scope(x, caller{});
    if (k < 0 || k > x.shape()[A])
      throw_shape("topk", x.shape().extent, R, "has fewer elements along the axis than are asked for");
    auto all = new_keys<false, true, A>(x);
    const shape<R> s = with_length(all.shape(), k);
    array<key_of<T>, R, Space> keys(s, caller{});
    array<int64, R, Space> places(s, caller{});
    const key_rows rows = rows_with_zeros<T, true>(all);
    if (!rows.none() && k > 0) first_places(Space{}, rows, k, keys.data(), places.data());
    return topk_result<T, R, Space>{array<T, R, Space>(with_axis_back<A>(elements_of<T, true>(keys))),
                                    result_of<A>(static_cast<array<int64, R, Space>&&>(places))};
  }
}

/// partition(x, k, axis<A>): the elements along an axis, the last one unless it is named, in such an order that element
/// k is where sort would put it, those before it are no larger, and those behind it no smaller; an array. A negative k
/// counts from the end. Throws index_error. \numpy{partition}
template <class X, class... Options, class = maker>
  requires expression<X>
auto partition(const X& x, index_t k, Options...) {
  using namespace sort_detail;
  constexpr bool known = (options_detail::is_axes<Options> && ...);
  if constexpr (takes<X>() && known_options<known, Options...>()) {
    constexpr int R = rank_of<X>, A = axis_of<R, Options...>();
    const call_scope<result_space<X>> scope(x, caller{});
    const index_t n = x.shape()[A], p = k < 0 ? k + n : k;
    if (p < 0 || p >= n) throw_value("partition: there is no element k along the axis");
    auto keys = new_keys<false, false, A>(x);
    partition_keys(result_space<X>{}, rows_in(keys), p);
    return array<value_t<X>, R, result_space<X>>(with_axis_back<A>(elements_of<value_t<X>, false>(keys)));
  }
}

}  // namespace lazyfuse
