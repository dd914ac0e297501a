// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what is not cheap to compute: the values of some rows are made next to each other in one loop over
// whole vectors, before they are combined.
#pragma once

#include <lazyfuse/backend/host/made_values.hpp>
#include <lazyfuse/backend/host/reduced_values.hpp>

namespace lazyfuse::host_detail {

/// Rows of which the values of Set are made together.
template <class Set, class Walk>
struct made_rows {
  using made = of_made<Set>;
  using cursors = typename made::cursors;
  static constexpr index_t most = algorithm::min<index_t>(Walk::chunk, reduce_tuning::most_made);

  const Walk walk;
  index_t held = 0;  ///< rows
  int places = 0;
  index_t counts[reduce_tuning::most_made_places];
  index_t offsets[reduce_tuning::most_made_places * (Walk::count + 1)];
  copied_row there[Walk::count + 1];
  typename Walk::packings packed;
  typename made::template results<int(most)> results;

  explicit made_rows(const Walk& w) : walk(w) {}
  made_rows(const made_rows&) = delete;
  made_rows& operator=(const made_rows&) = delete;

  /// How many rows of n elements.
  static index_t together(index_t n) {
    return n < most ? algorithm::min<index_t>(most / algorithm::max<index_t>(n, 1), reduce_tuning::most_made_rows) : 1;
  }
  /// Holds some more rows, the offsets of whose first one are the sums of these, and says whether these are enough.
  bool hold(index_t rows, index_t enough, const index_t* a, const index_t* b = nullptr) {
    const int count = walk.table.count;
    for (int i = 0; i < count; ++i) offsets[places * count + i] = b ? a[i] + b[i] : a[i];
    counts[places++] = rows;
    held += rows;
    return held == enough || places == reduce_tuning::most_made_places;
  }
  void drop() { held = places = 0; }
  /// The values of n elements from `first` on of all rows that are held.
  cursors make(index_t first, index_t n) {
    element_run at[Walk::count + 1];
    walk.untyped_walk().gather(at, packed.bytes, {offsets, counts, places}, there, first, n);
    typename Walk::cursors from;
    walk.set_all(from, at);
    transform_runs<typename Set::prologue, 0, Walk::count>(from, results.cursors(), 1, held * n);
    return of_row(0, n);
  }
  cursors of_row(index_t row, index_t n) { return made::read(results, n, row * n); }
};

}  // namespace lazyfuse::host_detail
