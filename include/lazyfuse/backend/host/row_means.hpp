// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of a row in the cache, which is found before its moments are added up.
#pragma once

#include <lazyfuse/backend/host/turns.hpp>

namespace lazyfuse::host_detail {

/// The mean of what reduction I of Set has moments of, over n elements; where that overflows, the first. Distances from
/// the first are added up, so that the mean of equal elements is that element. fetch: as asked_early() has it.
template <class Set, int I, int Count, class T, class Cursors, class Values>
[[gnu::always_inline]] inline T mean_of_row(const Cursors& from, index_t n, const Values& known, uint64 fetch) {
  const auto element = [&](index_t i) {
    taken_value<Set, I> sink{};
    evaluate<typename Set::prologue>(chunk_context<Cursors, Values>{from, known, i}, sink);
    return sink.value.shift;
  };
  const T first = element(0);
  const auto apart = [&](index_t i) { return element(i) - first; };
  constexpr index_t turn = 4 * lane_count;
  alignas(64) T lanes[lane_count] = {};
  index_t i = 0;
  for (; i + turn <= n; i += turn) {
    if (fetch) prefetch_ahead<Set, turn>(fetch, from, i, make_index_sequence<Count>{});
    for (index_t l = i; l < i + lane_count; ++l)
      lanes[l - i] += (apart(l) + apart(l + lane_count)) + (apart(l + 2 * lane_count) + apart(l + 3 * lane_count));
  }
  for (; i + lane_count <= n; i += lane_count)
    for (index_t l = 0; l < lane_count; ++l) lanes[l] += apart(i + l);
  for (index_t l = 0; l < n - i; ++l) lanes[l] += apart(i + l);
  fold_values<typename Set::template monoid<I>::of_distances, lane_count>(lanes);
  const T mean = first + lanes[0] / T(n);
  return mean - mean == 0 ? mean : first;
}

}  // namespace lazyfuse::host_detail
