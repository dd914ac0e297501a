// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often values are in bins: bincount, histogram. On the host the values are computed block by block, each part of
// them counted by itself; nothing is put in memory but counts.
#pragma once

#include <lazyfuse/selection/scatter.hpp>

#include <cmath>

namespace lazyfuse {

/// The bounds of a histogram.
struct value_range {
  double low, high;
};

/// What histogram returns.
template <class T, class Space>
struct histogram_result {
  array<int64, 1, Space> counts;
  array<T, 1, Space> edges;  ///< one more than counts
};

namespace selection_detail {

/// Parts that are counted by themselves: as few as the memory for their counts takes, and of small work one.
inline index_t parts_of(index_t elements, index_t bins) {
  constexpr index_t most_bytes = index_t{1} << 24, least_elements = index_t{1} << 15, most = 64;
  const index_t by_memory = bins >= most_bytes / 8 ? 1 : most_bytes / (8 * (bins + 1)),
                by_work = elements / least_elements;
  const index_t parts = by_memory < by_work ? by_memory : by_work;
  return parts < 1 ? 1 : parts < most ? parts : most;
}
/// An array of zeros.
template <class T, class Space, class = maker>
array<T, 1, Space> zero_counts(index_t n) {
  array<T, 1, Space> counts(shape<1>{n}, caller{});
  if (n > 0) memory_detail::zero(Space{}, counts.owner(), counts.unshared(), static_cast<std::size_t>(n) * sizeof(T));
  return counts;
}
/// count(n, counts, values...) for blocks of e..., of one shape, into counts of each part by itself, which are added
/// up: how many parts there are depends on sizes alone.
template <class T, class Count, class First, class... More>
array<T, 1, host> counted_in_parts(index_t bins, const Count& count, const First& first, const More&... more) {
  const index_t parts = parts_of(first.shape().size(), bins);
  auto room = zero_counts<T, host>(parts * bins);
  evaluate_blocks<int64>([](index_t) {},
                         [&](index_t part, index_t, index_t, index_t n, const auto*... values) {
                           count(n, room.unshared() + part * bins, values...);
                         },
                         parts, first.tree, more.tree...);
  if (parts == 1) return room;
  add_rows(room.unshared(), parts, bins);
  return array<T, 1, host>(room(range(0, bins)));
}
/// count(values, n, counts) for blocks of e; on the GPU for all of it.
template <class Space, class E, class Count, class = maker>
array<int64, 1, Space> counted(const E& e, index_t bins, const Count& count) {
  if constexpr (rank_of<E> == 0) return counted<Space>(e(newaxis), bins, count);
  else if constexpr (space_traits<Space>::on_device) {
    const memory_detail::device_scope<Space> scope(array_detail::device_of(e));
    const auto values = in_memory<value_t<E>, Space>(e.tree, nullptr);
    auto counts = zero_counts<int64, Space>(bins);
    if (const index_t n = e.shape().size(); n > 0) count(values.data, n, counts.unshared());
    return counts;
  } else
    return counted_in_parts<int64>(
        bins, [&](index_t n, int64* counts, const auto* values) { count(values, n, counts); }, e);
}

template <class X>
constexpr bool takes_histogram() {
  constexpr bool real = arithmetic_type<value_t<X>> && !complex_number<value_t<X>>;
  static_assert(real, "lazyfuse: histograms are of real numbers");
  return real;
}
/// float of float and 16-bit reals, else double.
template <class T>
using edge_t = std::conditional_t<__is_same(accumulator_t<T>, float), float, double>;

/// Numbers of type T; those that are there already as they are, which the GPU counts without a copy.
template <class T, class X>
decltype(auto) numbers_of(const X& x) {
  if constexpr (space_traits<result_space<X>>::on_device && __is_same(value_t<X>, T)) return (x);
  else return cast<T>(x);
}
template <class T, class X, class = maker>
auto counts_between(const X& x, const array<T, 1, host>& edges, double width) {
  using Space = result_space<X>;
  const memory_detail::device_scope<Space> scope(array_detail::device_of(x));
  const array<T, 1, Space> there = to<Space>(edges);
  const index_t n = edges.size() - 1;
  const T* const all = edges.data();
  const bins b{dtype_of<T>, there.data(), n, width, static_cast<double>(all[0]), static_cast<double>(all[n])};
  return histogram_result<T, Space>{
      counted<Space>(numbers_of<T>(x), b.count,
                     [&](const T* values, index_t n, int64* counts) { count_in_bins(Space{}, b, values, n, counts); }),
      there};
}
/// In bins of one width between low and high.
template <class T, class X, class = maker>
auto counts_in_uniform(const X& x, double low, double high, bool in_float, index_t bins, caller where) {
  if (bins < 1) throw_value("histogram: there are no bins", where);
  array<T, 1, host> edges(shape<1>{bins + 1}, caller{});
  const double width = uniform_edges(low, high, in_float, dtype_of<T>, bins, edges.unshared(), where);
  return counts_between<T>(x, edges, width);
}
/// As many bins as bincount has.
template <class X, class = maker>
index_t bins_of(const X& x, index_t minlength, caller where) {
  index_t bins = minlength < 0 ? 0 : minlength;
  if (x.shape().size() == 0) return bins;
  const auto [lowest, highest] = materialize(min(cast<int64>(x)), max(cast<int64>(x)));
  if (lowest.item(where) < 0) throw_value("bincount: a number is negative", where);
  const index_t most = highest.item(where);
  if (most >= index_t{1} << 60) throw_value("bincount: a number is too large to count up to it", where);
  return most >= bins ? most + 1 : bins;
}
}  // namespace selection_detail

/// bincount(x, minlength): how often each of 0, 1, ... is among integers of rank 1: an array of int64 up to the
/// largest, of minlength elements at least. Evaluates x twice. Throws index_error if one is negative. Waits on the GPU,
/// to see the largest. \numpy{bincount}
template <class X, class = maker>
  requires expression<X>
auto bincount(const X& x, index_t minlength = 0, caller where = caller::here()) {
  using namespace selection_detail;
  using Space = result_space<X>;
  constexpr bool whole = (integer<value_t<X>> || boolean<value_t<X>>)&&rank_of<X> == 1;
  static_assert(whole, "lazyfuse: bincount counts integers, of an expression of rank 1");
  if constexpr (!whole) return array<int64, 1, Space>();
  else {
    const asked_at at(where);
    const index_t bins = bins_of(x, minlength, where);
    return counted<Space>(numbers_of<int64>(x), bins, [&](const int64* values, index_t n, int64* counts) {
      count_numbers(Space{}, values, n, bins, counts);
    });
  }
}
/// bincount(x, weights, minlength): the sums of the weights of each of 0, 1, ..., as an array of double.
/// \numpy{bincount}
template <class X, class W, class = maker>
  requires(expression<X>&& expression<W>)
auto bincount(const X& x, const W& weights, index_t minlength = 0, caller where = caller::here()) {
  using namespace selection_detail;
  using Space = result_space<X>;
  constexpr bool whole = (integer<value_t<X>> || boolean<value_t<X>>)&&rank_of<X> == 1 && rank_of<W> == 1;
  static_assert(whole, "lazyfuse: bincount counts integers, of an expression of rank 1, with as many weights");
  if constexpr (!whole) return array<double, 1, Space>();
  else {
    const asked_at at(where);
    if (!(x.shape() == weights.shape()))
      throw_shapes("bincount", x.shape().extent, 1, weights.shape().extent, 1, "differ", where);
    const index_t bins = bins_of(x, minlength, where);
    if constexpr (space_traits<Space>::on_device) {
      const memory_detail::device_scope<Space> scope(array_detail::device_of(x));
      auto sums = zero_counts<double, Space>(bins);
      if (x.shape().size() > 0) write_at<true>("bincount", sums, cast<double>(weights), cast<int64>(x));
      return sums;
    } else {
      const auto add = [&](index_t n, double* sums, const int64* values, const double* each) {
        add_weights(values, each, n, bins, sums);
      };
      return counted_in_parts<double>(bins, add, cast<int64>(x), cast<double>(weights));
    }
  }
}

/// histogram(x, bins): how many elements are in each of so many bins of one width between the smallest and the largest
/// element: counts and edges, of NumPy's values. A bin has its lower edge, the last one its upper edge as well.
/// Evaluates x twice, and waits on the GPU. Throws index_error without bins, or if an element is infinite or NaN.
/// \numpy{histogram}
template <class X, class = maker>
  requires expression<X>
auto histogram(const X& x, index_t bins = 10) {
  using namespace selection_detail;
  if constexpr (takes_histogram<X>()) {
    using T = edge_t<value_t<X>>;
    double low = 0, high = 1;
    if (x.shape().size() > 0) {
      const auto [lowest, highest] = materialize(min(cast<T>(x)), max(cast<T>(x)));
      low = static_cast<double>(lowest.item());
      high = static_cast<double>(highest.item());
      if (!std::isfinite(low) || !std::isfinite(high))
        throw_value("histogram: elements are infinite or NaN; name the bounds, histogram(x, bins, {low, high})");
    }
    return counts_in_uniform<T>(x, low, high, __is_same(T, float), bins, caller{});
  }
}
/// histogram(x, bins, {low, high}): the same between these bounds; what is beyond them, or NaN, is not counted.
template <class X, class = maker>
  requires expression<X>
auto histogram(const X& x, index_t bins, value_range bounds, caller where = caller::here()) {
  using namespace selection_detail;
  if constexpr (takes_histogram<X>()) {
    const asked_at at(where);
    using T = edge_t<value_t<X>>;
    if (!(bounds.low <= bounds.high) || !std::isfinite(bounds.low) || !std::isfinite(bounds.high))
      throw_value("histogram: the bounds are infinite, NaN, or the lower one is the larger", where);
    return counts_in_uniform<T>(x, bounds.low, bounds.high, false, bins, where);
  }
}
/// histogram(x, edges): the same between edges that ascend, an expression of rank 1; by a search for each element.
/// Throws index_error if they do not.
template <class X, class E, class = maker>
  requires(expression<X>&& expression<E>)
auto histogram(const X& x, const E& edges, caller where = caller::here()) {
  using namespace selection_detail;
  constexpr bool sequence = rank_of<E> == 1 && arithmetic_type<value_t<E>> && !complex_number<value_t<E>>;
  static_assert(sequence, "lazyfuse: the edges of a histogram are real numbers, of rank 1");
  if constexpr (takes_histogram<X>() && sequence) {
    const asked_at at(where);
    constexpr bool floats = __is_same(edge_t<value_t<E>>, float) && __is_same(edge_t<value_t<X>>, float);
    using T = std::conditional_t<floats, float, double>;
    const array<T, 1, host> between = to<host>(cast<T>(edges));
    check_edges(dtype_of<T>, between.data(), between.size(), where);
    return counts_between<T>(x, between, 0);
  }
}

}  // namespace lazyfuse
