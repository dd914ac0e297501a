// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short rows, each added up in a few lanes.
#pragma once

#include <lazyfuse/backend/host/reduced_values.hpp>
#include <lazyfuse/backend/host/runs.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // "GCC unroll", which it hands to g++ all the same
#endif

namespace lazyfuse::host_detail {

/// Lanes of a short row, which is one run.
template <class Set>
inline constexpr int few_lanes = Set::has_ordered                          ? 1
                                 : sizeof(typename Set::accumulators) == 8 ? vector_bytes / 8
                                                                           : 4;
template <class Set>
constexpr bool is_short(index_t length) {
  return length >= few_lanes<Set> && length <= few_lanes<Set> * run_elements;
}

template <class Set, class Cursors, class Partials, int... I>
void short_row(const Cursors& cursors, index_t length, Partials& sums, index_sequence<I...>) {
  constexpr int lanes = few_lanes<Set>;
  (get<I>(sums).clear(lanes), ...);
  index_t i = 0;
  const auto add = [&](index_t l) {
    lane_sink<typename Set::prologue::roots, Partials, no_values, false, Set::has_ordered> sink{sums, {}, l};
    evaluate<typename Set::prologue>(chunk_context<Cursors>{cursors, {}, i + l}, sink);
  };
  for (; i + lanes <= length; i += lanes) {
#if !defined(__clang__)
#pragma GCC ivdep
#pragma GCC unroll 1  // unrolled, it becomes no vectors; of g++ 12 wrong ones, from eight integers on
#endif
    for (index_t l = 0; l < lanes; ++l) add(l);
  }
  for (index_t l = 0; i + l < length; ++l) add(l);
  (get<I>(sums).fold(), ...);
}
/// The results of rows that are runs of the cursors.
template <class Set, int Count, class Cursors>
void reduce_few(const Cursors& from, index_t count, index_t length, typename Set::accumulators* results) {
  in_wide_vectors(
      [](Cursors cursors, index_t rows, index_t n, auto* found) {
        for (index_t r = 0; r < rows; ++r) {
          partial_pack<Set, few_lanes<Set>> sums;
          short_row<Set>(cursors, n, sums, make_index_sequence<Set::size>{});
          found[r] = lane<Set>(sums, 0, make_index_sequence<Set::size>{});
          move_on(cursors, 1, make_index_sequence<Count>{});
        }
      },
      from, count, length, results);
}

}  // namespace lazyfuse::host_detail

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
