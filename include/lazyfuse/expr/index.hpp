// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands between the parentheses of x(...), and the affine index map that it means.
#pragma once

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/op/map.hpp>

namespace lazyfuse {

/// Type of none.
struct none_t {};
/// A missing bound of a range.
inline constexpr none_t none{};

/// Type of end and end - k.
struct end_t {
  index_t before = 0;
  template <class I>
    requires std::is_integral_v<I>
  friend constexpr end_t operator-(end_t e, I k) { return {e.before + static_cast<index_t>(k)}; }
};
/// The end of an axis, one past its last index, as a bound of a range; end - k lies k before it. NumPy's len(x).
inline constexpr end_t end{};

/// One bound of a range: an index (negative counts from the end), end, or none.
struct range_bound {
  enum origin : unsigned char { missing, first, last };
  index_t value = 0;
  origin from = missing;
  constexpr range_bound(none_t) {}
  constexpr range_bound(end_t e) : value(-e.before), from(last) {}
  template <class I>
    requires std::is_integral_v<I>
  constexpr range_bound(I i) : value(static_cast<index_t>(i)), from(value < 0 ? last : first) {}
};

/// start:stop:step of NumPy; bounds beyond the axis are clipped, negative ones count from the end. A negative step
/// ends at none, not at end. Used as an index, throws index_error if the step is zero, or negative with the stop end.
struct range {
  range_bound start, stop;
  index_t step = 1;
  template <class I = int>
  constexpr range(range_bound from, range_bound to, I by = 1) : start(from), stop(to), step(by) {
    constexpr bool whole = !std::is_floating_point_v<I>;
    static_assert(whole, "lazyfuse: the step of a range is an integer");
  }
};

/// Types of all, newaxis and ellipsis.
struct all_t {};
struct newaxis_t {};
struct ellipsis_t {};
/// A whole axis. Called with an expression it is the reduction of that name.
struct all_function : all_t {
  template <class X, class... Options>
    requires operands<X>
  constexpr auto operator()(X&& x, Options... options) const;
};
/// all(x, axis<...>, keepdims): whether every element is true. As an index, x(all, 0), a whole axis. \numpy{all}
inline constexpr all_function all{};
/// An additional axis of extent 1.
inline constexpr newaxis_t newaxis{};
/// As many whole axes as are missing.
inline constexpr ellipsis_t ellipsis{};

/// From positions of rank To to positions of rank From: in[source[k]] += factor[k] * out[k], from start; and
/// in[beside[k] - 1], if there is one.
template <int From, int To>
struct index_map {
  index_t start[From > 0 ? From : 1] = {};
  int source[To > 0 ? To : 1] = {};  ///< axis of the input that output axis k walks along, or -1
  int beside[To > 0 ? To : 1] =
      {};  ///< 1 + another one that it walks along at the same time; 0, for which maps begin: none
  index_t factor[To > 0 ? To : 1] = {};
  shape<To> extents;
};

namespace view_detail {
template <class S>
inline constexpr bool is_index = std::is_integral_v<S>;
template <class S>
inline constexpr bool is_all = __is_same(S, all_t) || __is_same(S, all_function);
template <class S>
inline constexpr bool is_spec = is_index<S> || is_all<S> || __is_same(S, range) || __is_same(S, newaxis_t) ||
                                __is_same(S, ellipsis_t) || __is_same(S, none_t);

/// Fills the map one specification at a time.
template <int From, int To>
struct map_builder {
  const shape<From>& shape_in;
  index_map<From, To>& map;
  int missing;
  int in = 0, out = 0;

  constexpr void whole() {
    map.source[out] = in;
    map.factor[out] = 1;
    map.extents[out++] = shape_in[in++];
  }
  constexpr void add(all_t) { whole(); }
  constexpr void add(ellipsis_t) {
    for (int k = 0; k < missing; ++k) whole();
  }
  constexpr void add(newaxis_t) {
    map.source[out] = -1;
    map.factor[out] = 0;
    map.extents[out++] = 1;
  }
  constexpr void add(index_t i) {
    const index_t n = shape_in[in];
    if (i < -n || i >= n) throw_index("index", i, in, shape_in.extent, From);
    map.start[in++] = i < 0 ? i + n : i;
  }
  constexpr void add(const range& r) {
    const index_t n = shape_in[in], longest = n > 0 ? n : 1;
    if (r.step == 0) throw_value("range: the step is zero");
    const bool up = r.step > 0;
    if (!up && r.stop.from == range_bound::last && r.stop.value == 0)
      throw_value("range: a negative step never reaches end; write none as the stop to include index 0");
    // beyond the axis, all steps are as good: one that cannot overflow
    const index_t step = r.step > longest ? longest : r.step < -longest ? -longest : r.step;
    const index_t low = up ? 0 : -1, high = up ? n : n - 1;
    const auto clip = [&](range_bound b, index_t otherwise) {
      if (b.from == range_bound::missing) return otherwise;
      if (b.from == range_bound::last && b.value < -n) return low;
      const index_t v = b.from == range_bound::last ? b.value + n : b.value;
      return v < low ? low : v > high ? high : v;
    };
    const index_t from = clip(r.start, up ? low : high), to = clip(r.stop, up ? high : low);
    const index_t span = up ? to - from : from - to, by = up ? step : -step;
    map.start[in] = span > 0 ? from : 0;
    map.source[out] = in;
    map.factor[out] = step;
    map.extents[out++] = span > 0 ? (span + by - 1) / by : 0;
    ++in;
  }
};

template <int From, class... S>
constexpr auto map_of(const shape<From>& s, S... specs) {
  constexpr bool is_end = (__is_same(S, end_t) || ...), known = (is_spec<S> && ...);
  constexpr bool by_elements = (expression<S> || ...);
  static_assert(!by_elements,
                "lazyfuse: x(mask) and x(indices) are in a header of their own, <lazyfuse/select.hpp>; of some axes "
                "take(x, indices, axis<1>), compress(mask, x, axis<1>)");
  static_assert(
      !is_end,
      "lazyfuse: end is a bound of a range, as in range(start, end), and not an index; the last element has index -1");
  static_assert(known || is_end || by_elements,
                "lazyfuse: an index is an integer, range(start, stop, step), all, newaxis or ellipsis");
  constexpr int ellipses = (0 + ... + int(__is_same(S, ellipsis_t)));
  constexpr int named = (0 + ... + int(!__is_same(S, newaxis_t) && !__is_same(S, none_t) && !__is_same(S, ellipsis_t)));
  constexpr int dropped = (0 + ... + int(is_index<S>));
  constexpr int added = (0 + ... + int(__is_same(S, newaxis_t) || __is_same(S, none_t)));
  static_assert(named <= From, "lazyfuse: more indices than the expression has axes");
  static_assert(ellipses <= 1, "lazyfuse: an index has at most one ellipsis");
  constexpr int To = named <= From ? From - dropped + added : 0;
  index_map<From, To> map;
  map_builder<From, To> build{s, map, From - named};
  [[maybe_unused]] const auto add = [&](auto spec) {
    if constexpr (is_index<decltype(spec)>) build.add(static_cast<index_t>(spec));
    else if constexpr (is_all<decltype(spec)>) build.add(all_t{});
    else if constexpr (__is_same(decltype(spec), none_t)) build.add(newaxis_t{});
    else if constexpr (is_spec<decltype(spec)>) build.add(spec);
    else build.whole();  // a wrong one, of which a sentence has told
  };
  (add(specs), ...);
  if constexpr (ellipses == 0) build.add(ellipsis_t{});
  return map;
}
}  // namespace view_detail

}  // namespace lazyfuse
