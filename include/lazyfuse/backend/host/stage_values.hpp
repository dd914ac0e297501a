// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes over rows hand on to later ones: the results of reductions, of one row or of columns side by side, and
// what was computed for every element and would cost more to compute again.
#pragma once

#include <lazyfuse/backend/host/partial_sums.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/transform.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::host_detail {

/// The results of reductions over one row, and what a pass makes of them once per row.
template <class Values>
struct row_values {
  static constexpr bool precomputes = true;
  Values results;
  template <class P>
  LAZYFUSE_HD auto at(index_t) const {
    return shared_of<P>(results);
  }
  template <class P>
  requires has_cached<P, Values> LAZYFUSE_HD auto precomputed(index_t) const { return shared_of<P>(results); }
  template <int, class More>
  row_values<More> in_pass(const More& made) const {
    return {made};
  }
  LAZYFUSE_HD const row_values& from(index_t) const { return *this; }
  LAZYFUSE_HD void move_on(index_t) {}
  void next_row(index_t) {}
};

/// Memory for one value of a program at each of n places: at most N, on the stack, or (N = 0) any number.
template <class P, class T, int N>
struct value_array {
  alignas(64) T data[N];
  explicit value_array(index_t) {}
};
template <class P, class T>
struct value_array<P, T, 0> {
  scratch<T> data;
  explicit value_array(index_t n) : data(n) {}
};
template <class Programs, class Sources, int N = 0>
struct value_arrays;
template <class... P, class Sources, int N>
struct value_arrays<list<P...>, Sources, N> : value_array<P, program_value_t<P, Sources>, N>... {
  explicit value_arrays([[maybe_unused]] index_t n) : value_array<P, program_value_t<P, Sources>, N>(n)... {}
};
template <class P, class T, int N>
T* array_of(value_array<P, T, N>& a) {
  return &a.data[0];
}

/// Bytes of one value of each.
template <class Sources, class... P>
constexpr int bytes_of_values(list<P...>) {
  return (0 + ... + int(sizeof(program_value_t<P, Sources>)));
}

/// The values of programs at places side by side: those of P from `data` on.
template <class P, class T>
struct values_at {
  T* data;
};
template <class P, class T>
LAZYFUSE_HD T* values_of(const values_at<P, T>& v) {
  return v.data;
}
template <class Programs, class Sources>
struct side_by_side;
template <class... P, class Sources>
struct side_by_side<list<P...>, Sources> : values_at<P, program_value_t<P, Sources>>... {
  template <int N>
  static side_by_side in(value_arrays<list<P...>, Sources, N>& arrays) {
    return {{array_of<P>(arrays)}...};
  }
  LAZYFUSE_HD side_by_side after([[maybe_unused]] index_t n) const { return {{values_of<P>(*this) + n}...}; }
};

/// The same, and what is remembered of the row's elements, as pass Pass sees them: programs of passes before it are
/// known, those of its own are noted.
template <int Pass, class Values, class Programs, class Sources>
struct remembered_values;
template <int Pass, class Values, class... P, class Sources>
struct remembered_values<Pass, Values, list<P...>, Sources> {
  static constexpr bool precomputes = true;
  template <class Q>
  static constexpr bool remembered = contains<Q, list<P...>>&& stages_detail::stage_of<Q> < Pass;
  Values results;
  side_by_side<list<P...>, Sources> elements;
  template <int Other, class More>
  remembered_values<Other, More, list<P...>, Sources> in_pass(const More& made) const {
    return {made, elements};
  }
  template <class Q>
  LAZYFUSE_HD auto at(index_t) const {
    return shared_of<Q>(results);
  }
  template <class Q>
    requires(remembered<Q> || has_cached<Q, Values>)
  LAZYFUSE_HD auto precomputed(index_t i) const {
    if constexpr (remembered<Q>) return values_of<Q>(elements)[i];
    else return shared_of<Q>(results);
  }
  template <class Q, class V>
    requires(contains<Q, list<P...>>&& stages_detail::stage_of<Q> == Pass)
  LAZYFUSE_HD void note(index_t i, const V& value) const { values_of<Q>(elements)[i] = value; }
  LAZYFUSE_HD remembered_values from(index_t n) const { return {results, elements.after(n)}; }
  LAZYFUSE_HD void move_on(index_t n) { elements = elements.after(n); }
  void next_row(index_t n) { move_on(n); }
};

/// The results of reductions over columns, side by side, and what a pass makes of them once per column.
template <class Reductions, class Made, class Sources>
struct column_values {
  static constexpr bool precomputes = true;
  side_by_side<Reductions, Sources> columns;
  side_by_side<Made, Sources> made;
  template <class Q>
  LAZYFUSE_HD auto at(index_t i) const {
    return values_of<Q>(columns)[i];
  }
  template <class Q>
  requires contains<Q, Made> LAZYFUSE_HD auto precomputed(index_t i) const { return values_of<Q>(made)[i]; }
  LAZYFUSE_HD column_values from(index_t n) const { return {columns.after(n), made.after(n)}; }
  LAZYFUSE_HD void move_on(index_t n) { *this = from(n); }
  void next_row(index_t) {}
};
/// The same, and what is remembered of the elements of the columns, in lines of so many.
template <int Pass, class Reductions, class Made, class Programs, class Sources>
struct remembered_columns : column_values<Reductions, Made, Sources> {
  using known = column_values<Reductions, Made, Sources>;
  template <class Q>
  static constexpr bool remembered = contains<Q, Programs>&& stages_detail::stage_of<Q> < Pass;
  side_by_side<Programs, Sources> elements;
  index_t line;
  template <class Q>
    requires(remembered<Q> || contains<Q, Made>)
  LAZYFUSE_HD auto precomputed(index_t i) const {
    if constexpr (remembered<Q>) return values_of<Q>(elements)[i];
    else return values_of<Q>(this->made)[i];
  }
  template <class Q, class V>
    requires(contains<Q, Programs>&& stages_detail::stage_of<Q> == Pass)
  LAZYFUSE_HD void note(index_t i, const V& value) const { values_of<Q>(elements)[i] = value; }
  LAZYFUSE_HD remembered_columns from(index_t n) const { return {known::from(n), elements.after(n), line}; }
  LAZYFUSE_HD void move_on(index_t n) { *this = from(n); }
  void next_row(index_t) { elements = elements.after(line); }
};
template <class Set, class Reductions = typename Set::reductions>
struct keep_columns;
template <class Set, class... R>
struct keep_columns<Set, list<R...>> {
  template <class Partials, class Values>
  static void run(const Partials& from, const Values& to, index_t n) {
    const auto one = [&](const auto& sums, auto* data) {
      for (index_t i = 0; i < n; ++i) data[i] = sums.at(i);
    };
    (one(get<Set::template index_of<R>>(from), values_of<R>(to.columns)), ...);
  }
};

/// The axes are [outer kept axes | axes of the row | the axis of the inner loop]; the inner loop runs along the row, or
/// along a kept axis.
template <class Staged, class Sources, class Operands, int R, class... T>
struct stage_run {
  using walk_type = row_walk<Operands, Sources, R>;
  using seq = typename walk_type::seq;
  using position = typename walk_type::position;

  const index_t* extents;
  const Operands& operands;
  const target_pack<R, T...>& targets;
  bool one_result;
  index_t outer, height, width;  ///< kept positions without the inner axis, positions of the row likewise, inner axis
  typename walk_type::table_type table = walk_type::table_of(operands, extents);
  row_layout lies = walk().layout();

  double cost(index_t elements) const { return double(elements) * (Staged::cost + 1); }
  position at_line(index_t line) const {
    position o{&table, extents, 0, R - 1};
    o.seek(line);
    return o;
  }
  /// Along the inner axis.
  walk_type walk() const { return {operands, table, R - 1, -1}; }

  /// Calls f(position) for so many lines from `first` on.
  template <class F>
  void for_lines(const position& first, index_t lines, const F& f) const {
    if (lines == 1) return f(first);
    for (position o = first; lines > 0; --lines, o.next()) f(o);
  }

  /// Asks for the memory that the results of the line at `o` go to, or for its beginning: stores that wait for it hold
  /// up what comes after them, which is the next row. Few results are in the caches already.
  [[gnu::always_inline]] void ask_for_results(const position& o, index_t rows = 1) const {
    if (outer * height * width * bytes_of<T...> < dpp::tuning<dpp::row_stages, host>::least_asked) return;
    const auto one = [&]<class V>(const target<V, R>& t) __attribute__((always_inline)) {
      if constexpr (R > 0) {
        if (t.steps[R - 1] != 1) return;
        auto* p = address(t.data);
        for (int k = 0; k < R - 1; ++k) p += o.at[k] * t.steps[k];
        constexpr index_t most = dpp::tuning<dpp::row_stages, host>::asked_early / int(sizeof...(T));
        const index_t n = algorithm::min(width * index_t{sizeof(V)}, most);
        const index_t apart = t.steps[R >= 2 ? R - 2 : 0];
        for (index_t k = 0; k < rows; ++k, p += apart)
          for (index_t b = 0; b < n; b += line_bytes) __builtin_prefetch(reinterpret_cast<std::byte*>(p) + b, 1);
      }
    };
    [&]<int... I>(index_sequence<I...>) __attribute__((always_inline)) { (one(get<I>(targets)), ...); }
    (make_index_sequence<sizeof...(T)>{});
  }

  /// Stores the results of so many lines, columns [c0, c1). Stream: past the caches.
  template <bool Stream = false, class Values>
  void results(const position& first, index_t lines, index_t c0, index_t c1, const Values& values) const {
    using run_type = transform_run<typename Staged::output, Operands, Sources, Values, R, T...>;
    run_type run{extents, operands, targets, walk(), lies, c1 - c0, lines, values, c0};
    for_lines(first, lines, [&](const position& o) {
      if constexpr (Stream) run.stream_row(o, c0, c1);
      else run.rows_of(o, 1, c0, c1);
      run.values.next_row(width);
    });
    if constexpr (Stream) end_of_stores_past_caches();
  }
};

}  // namespace lazyfuse::host_detail
