// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that evaluate elementwise programs: over elements that are next to each other, so that compilers make
// vectors of them.
#pragma once

#include <lazyfuse/backend/host/operand_walk.hpp>
#include <lazyfuse/backend/host/past_caches.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // "GCC unroll", which it hands to g++ all the same
#endif

namespace lazyfuse::host_detail {

/// Where the inner loop writes: contiguous memory, and where the next run starts.
template <class T>
struct output_cursor {
  T* data;
  index_t next;
  LAZYFUSE_HD void move_on(index_t runs) { data += runs * next; }
};
template <class... T>
struct output_cursors : pack<output_cursor<T>...> {};

template <class... T>
struct chunk_sink {
  static constexpr bool stores = true;
  const output_cursors<T...>& to;
  index_t i;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    get<I>(to).data[i] = value;
  }
};

template <class T, int N>
struct made_values {
  alignas(64) T data[N];
};

/// So many values of each result.
template <int N, class Seq, class... T>
struct made_results;
template <int N, int... J, class... T>
struct made_results<N, index_sequence<J...>, T...> : pack<made_values<T, N>...> {
  output_cursors<T...> cursors() { return {{{get<J>(*this).data, 0}...}}; }
  void copy_to(const output_cursors<T...>& to, index_t first) const {
    (algorithm::copy_n(get<J>(*this).data, N, get<J>(to).data + first), ...);
  }
};

/// Programs that call functions compute the last elements of a run as whole vectors, of which some are computed
/// already: that costs less than the rest of the run one by one. Not by clang, which calls functions one by one anyway.
#if defined(__clang__)
template <class>
inline constexpr bool ends_whole = false;
#else
template <class Schedule>
inline constexpr bool ends_whole = Schedule::found.calls && !Schedule::found.one_by_one;
#endif
inline constexpr int whole_end = dpp::tuning<dpp::transforms, host>::whole_end;

/// N elements from `first` on.
template <class Schedule, int N, class Cursors, class... T, class Values>
[[gnu::always_inline]] inline void transform_whole(const Cursors& cursors, const output_cursors<T...>& to,
                                                   index_t first, const Values& values) {
#if !defined(__clang__)
#pragma GCC ivdep
#pragma GCC unroll 1
#endif
  for (index_t i = 0; i < N; ++i) {
    chunk_sink<T...> sink{to, i};
    evaluate<Schedule>(chunk_context<Cursors, Values>{cursors, values, first + i}, sink);
  }
}

/// The loop everything else exists for: runs of n elements, or of N. Each: known is the first of the values of each
/// run.
template <class Schedule, int N, int Count, class Cursors, class... T, class Values = no_values>
void transform_runs(const Cursors& from, const output_cursors<T...>& targets, index_t runs, index_t n,
                    const Values& known = {}, bool each = false) {
  const auto loop = [](Cursors cursors, output_cursors<T...> to, index_t left, index_t length, const Values* first,
                       index_t apart) {
    for (Values values = *first; left > 0; --left) {
      index_t end = length;
      made_results<N == 0 && ends_whole<Schedule> ? whole_end : 1, make_index_sequence<sizeof...(T)>, T...> last;
      if constexpr (N == 0 && ends_whole<Schedule>)
        if (length > whole_end && length % whole_end != 0) {
          // Before the others, which may be stored where these are read.
          end = length / whole_end * whole_end;
          transform_whole<Schedule, whole_end>(cursors, last.cursors(), length - whole_end, values);
        }
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (index_t i = 0; i < (N > 0 ? N : end); ++i) {
        chunk_sink<T...> sink{to, i};
        evaluate<Schedule>(chunk_context<Cursors, Values>{cursors, values, i}, sink);
      }
      if constexpr (N == 0 && ends_whole<Schedule>)
        if (end < length) last.copy_to(to, length - whole_end);
      move_on(cursors, 1, make_index_sequence<Count>{});
      move_on(to, 1, make_index_sequence<sizeof...(T)>{});
      if constexpr (N > 0) values.move_on(N);
      else if (apart != 0 && left > 1) values = *++first;
    }
  };
  const bool whole = N == 0 && ends_whole<Schedule> && n >= whole_end;
  in_widest_vectors<reads_plain<Cursors> && (is_plain<T> && ...)>(N > 0   ? N * runs
                                                                  : whole ? algorithm::max(n, least_for_widest)
                                                                          : n,
                                                                  loop, from, targets, runs, n, &known, index_t{each});
}

template <class Cursor>
void move_by_runs(Cursor& c) {
  if constexpr (requires { c.step; }) c.next = run_length * c.step;
  else if constexpr (requires { c.next; }) c.next = run_length;
}
/// The loop of transform_runs() for runs of one row, with results that are stored past the caches; they must be ended.
template <class Schedule, class Cursors, class... T, class Values, int... I, int... J>
void stream_runs(const Cursors& from, const output_cursors<T...>& targets, index_t runs, const Values& known,
                 index_sequence<I...> operands, index_sequence<J...> results) {
  const auto loop = [](Cursors cursors, output_cursors<T...> to, index_t left, Values values,
                       index_sequence<I...> all_operands, index_sequence<J...> all_results) {
    (move_by_runs(get<I>(cursors)), ...);
    made_results<run_length, index_sequence<J...>, T...> made;
    const output_cursors<T...> to_made = made.cursors();
    for (; left > 0; --left) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (index_t i = 0; i < run_length; ++i) {
        chunk_sink<T...> sink{to_made, i};
        evaluate<Schedule>(chunk_context<Cursors, Values>{cursors, values, i}, sink);
      }
      (store_past_caches<run_length* int(sizeof(T))>(get<J>(to).data, get<J>(made).data), ...);
      move_on(cursors, 1, all_operands);
      move_on(to, 1, all_results);
      values.move_on(run_length);
    }
  };
  in_wide_vectors(loop, from, targets, runs, known, operands, results);  // memory bounds it
}

}  // namespace lazyfuse::host_detail

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
