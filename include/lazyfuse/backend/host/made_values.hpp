// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what is not cheap to compute: values are made next to each other by loops over whole vectors, before
// they are combined.
#pragma once

#include <lazyfuse/backend/host/row_moments.hpp>
#include <lazyfuse/backend/host/transform_loops.hpp>

namespace lazyfuse::host_detail {

/// What ends with the runs of all reductions of Set.
template <class Set, class Seq = make_index_sequence<Set::size>>
struct row_runs_of;
template <class Set, int... I>
struct row_runs_of<Set, index_sequence<I...>> {
  template <int K>
  static constexpr bool counts = is_count<typename Set::template reduction_at<K>, typename Set::sources>;
  template <int K>
  using one = std::conditional_t<counts<K>, count_runs<typename Set::template value_type<K>>,
                                 row_runs<typename Set::template monoid<K>, typename Set::template value_type<K>>>;
  static constexpr bool has_counts = (counts<I> || ...);
  using type = pack<one<I>...>;
  using partials = pack<typename one<I>::partials...>;
};

/// Whether the values of these reductions may be made before they are combined.
template <class Set>
inline constexpr bool is_made = ends_whole<typename Set::prologue> && !Set::has_near && !Set::has_ordered &&
                                !Set::absorbs && !row_runs_of<Set>::has_counts && adds_plain<Set>;
template <class Set, class Walk>
inline constexpr bool makes_values = is_made<Set>&& Walk::all_in_memory;

/// The reductions of Set, of values in memory.
template <class Set, class Seq = make_index_sequence<Set::size>>
struct of_made;
template <class Set, int... I>
struct of_made<Set, index_sequence<I...>> {
  using set = reduction_set<list<reduction<typename Set::template monoid<I>, arg<I>>...>,
                            list<memory<typename Set::template value_type<I>>...>>;
  using cursors = pack<cursor<memory<typename Set::template value_type<I>>>...>;
  template <int N>
  using results = made_results<N, index_sequence<I...>, typename Set::template value_type<I>...>;
  /// What was made, in rows of n.
  template <class Targets>
  static cursors read(const Targets& made, index_t n, index_t first = 0) {
    return {{get<I>(made).data + first, n}...};
  }
};

}  // namespace lazyfuse::host_detail
