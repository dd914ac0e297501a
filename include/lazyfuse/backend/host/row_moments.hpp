// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of moments along a row: all lanes have one shift, the mean of its first elements or of the whole row.
#pragma once

#include <lazyfuse/backend/host/runs.hpp>

namespace lazyfuse::host_detail {

/// Moments along a row: its first elements are kept, and their mean is the shift of all lanes.
template <class T>
struct moment_partials : distance_sums<T, lane_count> {
  static constexpr index_t enough = reduce_tuning::turns_to_shift * lane_count, most_seen = enough + lane_count;
  T shift;
  T* seen;  ///< where the next turn's elements go
  /// Until there is a shift, the sums are the elements of one turn: at a pointer that g++ does not know to stay, a loop
  /// would scatter them.
  void first_turn(index_t n) {
    algorithm::copy_n(this->sum, lane_count, seen);
    seen += n;
  }
  LAZYFUSE_HD void combine(index_t l, const moment_sums<T>& v) { this->sum[l] = v.shift; }
  LAZYFUSE_HD void add_near(index_t l, const moment_sums<T>& v) { this->join(l, apart(l, v)); }
  LAZYFUSE_HD moment_sums<T> apart(index_t, const moment_sums<T>& v) const { return this->of(v.shift - shift); }
};
template <in_distances M, class T>
struct row_runs<M, moment_sums<T>> {
  using partials = moment_partials<T>;
  row_totals<typename M::of_distances, T> sum, squares;
  index_t centred = 0;  ///< how many elements there were when they got their shift
  alignas(64) T seen[partials::most_seen];

  void begin_again() {
    sum.begin_again();
    squares.begin_again();
    centred = 0;
  }
  /// Before the first element: all get this shift, which is near their mean.
  void begin_at(partials& run, T shift) {
    run.shift = shift;
    centred = index_t{1} << 62;
  }
  [[gnu::noinline]] void end_run(partials& run, index_t elements) {
    if (centred == 0) {
      if (elements >= run.enough) begin(run, elements);
      return;
    }
    sum.add(run.sum);
    squares.add(run.squares);
    if (elements / 2 < centred) return;
    centred = elements;
    // Squares of distances from a shift that lags behind are larger than those that count.
    const auto m = M::recentred(moment_sums<T>{T(elements), run.shift, sum.sum(), squares.sum()});
    run.shift = m.shift;
    sum.start(m.sum);
    squares.start(m.squares);
  }
  [[gnu::noinline]] moment_sums<T> result(partials& last, index_t elements) {
    if (elements == 0) return {};
    if (centred == 0) begin(last, elements);
    return {T(elements), last.shift, sum.result(last.sum), squares.result(last.squares)};
  }

 private:
  /// The lanes of the n elements seen, from their mean.
  void begin(partials& run, index_t n) {
    if (n <= partials::enough) begin_with<partials::enough>(run, n);
    else begin_with<partials::most_seen>(run, n);
  }
  /// As many as N, which the compiler knows: then the sums of lanes stay in registers.
  template <index_t N>
  void begin_with(partials& run, index_t n) {
    const T first = seen[0];
    algorithm::fill_n(seen + n, N - n, first);
    T sums[lane_count];
    for (index_t l = 0; l < lane_count; ++l) sums[l] = over_turns<N>([&](index_t i) { return seen[i + l] - first; });
    fold_values<typename M::of_distances, lane_count>(sums);
    const T shift = first + sums[0] / T(n);
    algorithm::fill_n(seen + n, N - n, shift);
    for (index_t l = 0; l < lane_count; ++l) {
      run.sum[l] = over_turns<N>([&](index_t i) { return seen[i + l] - shift; });
      run.squares[l] = over_turns<N>([&](index_t i) { return (seen[i + l] - shift) * (seen[i + l] - shift); });
    }
    centred = n;
    run.shift = shift;
  }
  template <index_t N, class F>
  static T over_turns(const F& f) {
    return [&]<int... K>(index_sequence<K...>) { return (f(K * lane_count) + ...); }
    (make_index_sequence<int(N / lane_count)>{});
  }
};

}  // namespace lazyfuse::host_detail
