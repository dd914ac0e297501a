// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scanning elements in memory: in short runs, so that one does not wait for the one before it, and with what rounding
// lost kept beside the total.
#pragma once

#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/core/index.hpp>
#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse::host_detail {

/// A total to which more is added, with what rounding lost on the way.
template <class M, class T>
struct running_total {
  T value = M::template identity<T>();
  T rest = T();
  void add(const T& more) {
    const T both = compute<M>(value, more);
    if constexpr (ir::rounding_monoid<M, T>) rest = rest + M::carried(value, more, both);
    value = both;
  }
  T total() const {
    if constexpr (ir::rounding_monoid<M, T>) return M::restored(value, rest);
    else return value;
  }
};

using scan_tuning = dpp::tuning<dpp::scans, host>;

template <class M, bool Exclusive, bool Store, class T>
void scan_loop(T* __restrict__ v, index_t n, const T& before, running_total<M, T>& so_far) {
  const auto run = [&](T* elements, const T& start, index_t count) {
    T local[scan_tuning::run];
    local[0] = elements[0];
    for (index_t k = 1; k < count; ++k) local[k] = compute<M>(local[k - 1], elements[k]);
    if constexpr (Store) {
      if constexpr (Exclusive) elements[0] = start;
      for (index_t k = Exclusive; k < count; ++k) elements[k] = compute<M>(start, local[k - Exclusive]);
    }
    return local[count - 1];
  };
  for (index_t from = 0; from < n; from += scan_tuning::span) {
    const index_t end = algorithm::min(from + scan_tuning::span, n);
    const T outside = compute<M>(before, so_far.total());
    T span = M::template identity<T>();
    index_t i = from;
    for (; i + scan_tuning::run <= end; i += scan_tuning::run)
      span = compute<M>(span, run(v + i, compute<M>(outside, span), scan_tuning::run));
    if (i < end) span = compute<M>(span, run(v + i, compute<M>(outside, span), end - i));
    so_far.add(span);
  }
}
/// Elements v[0, n) become their scan, if Store: what is `before` the block, those of the block so far, those of their
/// span, and those of their run.
template <class M, bool Exclusive, bool Store, class T>
void scan_in_runs(T* v, index_t n, const T& before, running_total<M, T>& so_far) {
  in_wide_vectors([](T* elements, index_t count, const T& first,
                     running_total<M, T>* total) { scan_loop<M, Exclusive, Store>(elements, count, first, *total); },
                  v, n, before, &so_far);
}

/// The totals of columns side by side, which a run of lines is added to when it ends: of at most N columns.
template <class M, class T, int N>
struct totals_of_columns {
  alignas(64) T run[N];
  alignas(64) T before[N];  ///< the run
  alignas(64) T total[N];   ///< before the run, rounded; `before` has what that lost
  alignas(64) T rest[N];

  void clear(index_t n) {
    algorithm::fill_n(run, n, M::template identity<T>());
    algorithm::fill_n(total, n, M::template identity<T>());
    algorithm::fill_n(rest, n, T());
  }
  void end_run(index_t columns) {
    in_widest_vectors<is_plain<T>>(
        columns, [](totals_of_columns* own, index_t n) { own->end_run_of(n); }, this, columns);
  }
  template <bool Exclusive>
  void scan_line(T* line, index_t columns) {
    in_widest_vectors<is_plain<T>>(
        columns, [](totals_of_columns* own, T* to, index_t n) { own->scan_line_of<Exclusive>(to, n); }, this, line,
        columns);
  }

 private:
  void end_run_of(index_t n) {
    for (index_t i = 0; i < n; ++i) {
      const T both = compute<M>(total[i], run[i]);
      if constexpr (ir::rounding_monoid<M, T>) {
        rest[i] = rest[i] + M::carried(total[i], run[i], both);
        before[i] = M::restored(both, rest[i]);
      } else before[i] = both;
      total[i] = both;
      run[i] = M::template identity<T>();
    }
  }
  template <bool Exclusive>
  void scan_line_of(T* __restrict__ line, index_t n) {
    for (index_t i = 0; i < n; ++i) {
      const T up_to = compute<M>(run[i], line[i]);
      line[i] = compute<M>(before[i], Exclusive ? run[i] : up_to);
      run[i] = up_to;
    }
  }
};

}  // namespace lazyfuse::host_detail
