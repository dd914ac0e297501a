// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views: slices, transposes, flips, broadcasts and reshapes of arrays and of unevaluated expressions.
// A view is an affine index map; it is pushed down to the leaves when it is taken, and costs nothing.
#pragma once

#include <lazyfuse/expr/map.hpp>

namespace lazyfuse {

struct none_t {};
/// A missing bound of a range.
inline constexpr none_t none{};
/// The end of an axis, as the stop of a range.
inline constexpr none_t end{};

/// One bound of a range: an index (negative counts from the end) or none.
struct range_bound {
  index_t value = 0;
  bool given = false;
  constexpr range_bound(none_t) {}
  template <class I>
    requires ::cuda::std::is_integral_v<I>
  constexpr range_bound(I i) : value(static_cast<index_t>(i)), given(true) {}
};

/// start:stop:step of NumPy; bounds beyond the axis are clipped, negative ones count from the end.
struct range {
  range_bound start, stop;
  index_t step = 1;
  constexpr range(range_bound from, range_bound to, index_t by = 1) : start(from), stop(to), step(by) {}
};

struct all_t {};
struct newaxis_t {};
struct ellipsis_t {};
/// A whole axis. Called with an expression it is the reduction of that name.
struct all_function : all_t {
  template <class X, class... Options>
    requires operands<X>
  constexpr auto operator()(X&& x, Options... options) const;
};
inline constexpr all_function all{};
/// An additional axis of extent 1.
inline constexpr newaxis_t newaxis{};
/// As many whole axes as are missing.
inline constexpr ellipsis_t ellipsis{};

/// From positions of rank To to positions of rank From: in[source[k]] += factor[k] * out[k], from start.
template <int From, int To>
struct index_map {
  index_t start[From > 0 ? From : 1] = {};
  int source[To > 0 ? To : 1] = {};  ///< axis of the input that output axis k walks along, or -1
  index_t factor[To > 0 ? To : 1] = {};
  shape<To> extents;
};

namespace view_detail {
template <class S>
inline constexpr bool is_index = ::cuda::std::is_integral_v<S>;
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
    if (i < -n || i >= n) throw_index("index", i, in, n);
    map.start[in++] = i < 0 ? i + n : i;
  }
  constexpr void add(const range& r) {
    const index_t n = shape_in[in], step = r.step;
    if (step == 0) throw_index("range: the step is zero; index", 0, in, n);
    const index_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    const auto clip = [&](range_bound b, index_t otherwise) {
      if (!b.given) return otherwise;
      const index_t v = b.value < 0 ? b.value + n : b.value;
      return v < low ? low : v > high ? high : v;
    };
    const index_t from = clip(r.start, step > 0 ? low : high), to = clip(r.stop, step > 0 ? high : low);
    const index_t span = step > 0 ? to - from : from - to, by = step > 0 ? step : -step;
    map.start[in] = span > 0 ? from : 0;
    map.source[out] = in;
    map.factor[out] = step;
    map.extents[out++] = span > 0 ? (span + by - 1) / by : 0;
    ++in;
  }
};

template <int From, class... S>
constexpr auto map_of(const shape<From>& s, S... specs) {
  static_assert((is_spec<S> && ...),
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
  const auto add = [&](auto spec) {
    if constexpr (is_index<decltype(spec)>) build.add(static_cast<index_t>(spec));
    else if constexpr (is_all<decltype(spec)>) build.add(all_t{});
    else if constexpr (__is_same(decltype(spec), none_t)) build.add(newaxis_t{});
    else build.add(spec);
  };
  (add(specs), ...);
  if constexpr (ellipses == 0) build.add(ellipsis_t{});
  return map;
}

template <class S>
constexpr auto viewed(const S& source) {
  using To = typename source_traits<S>::viewed;
  if constexpr (requires { source.argument; }) return To{source.argument};
  else return To(source);
}

template <class Source, int From, int To>
constexpr auto remap(const leaf<Source, From>& e, const index_map<From, To>& m) {
  strides<To> steps;
  index_t offset = e.offset;
  for (int k = 0; k < From; ++k) offset += m.start[k] * e.steps[k];
  for (int k = 0; k < To; ++k) steps[k] = m.source[k] < 0 ? 0 : m.factor[k] * e.steps[m.source[k]];
  return leaf<typename source_traits<Source>::viewed, To>(viewed(e.source), m.extents, steps, offset);
}
template <class T, auto Value, int To>
constexpr auto remap(const literal_leaf<T, Value>& e, const index_map<0, To>&) {
  return e;
}

/// The map as an operand of shape s sees it, whose parent has the shape p.
template <int From, int To, int Rank>
constexpr index_map<Rank, To> through_broadcast(const index_map<From, To>& m, const shape<From>& p,
                                                const shape<Rank>& s) {
  index_map<Rank, To> r;
  r.extents = m.extents;
  constexpr int shift = From - Rank;
  for (int k = 0; k < Rank; ++k) r.start[k] = s[k] == p[k + shift] ? m.start[k + shift] : 0;
  for (int k = 0; k < To; ++k) {
    const int axis = m.source[k] - shift;
    const bool own = m.source[k] >= 0 && axis >= 0 && s[axis >= 0 ? axis : 0] == p[m.source[k] >= 0 ? m.source[k] : 0];
    r.source[k] = own ? axis : -1;
    r.factor[k] = own ? m.factor[k] : 0;
  }
  return r;
}

template <class Op, class Seq, class... A, int From, int To>
constexpr auto remap(const map_expr<Op, Seq, A...>& e, const index_map<From, To>& m);

template <class A, int From, int To>
constexpr auto remap_argument(const A& a, const shape<From>& parent, const index_map<From, To>& m) {
  if constexpr (A::rank == 0 && From > 0) return a;  // a scalar beside arrays broadcasts anyway
  else return remap(a, through_broadcast(m, parent, a.shape()));
}
/// A named argument stays named.
template <class A, class Each>
constexpr auto each_argument(const A& a, const Each& each) {
  using R = bare_t<decltype(each(a))>;
  if constexpr (is_named<A> && !is_named<R> && requires { typename R::operation; }) return named<R>(each(a));
  else return each(a);
}
template <class Op, int... I, class... A, int To, class Each>
constexpr auto rebuild(const map_expr<Op, indices<I...>, A...>& e, const shape<To>& s, const Each& each) {
  using Node = map_expr<Op, indices<I...>, bare_t<decltype(each_argument(e.template argument<I>(), each))>...>;
  if constexpr (Node::rank == To) return Node(s, each_argument(e.template argument<I>(), each)...);
  else return Node({}, each_argument(e.template argument<I>(), each)...);
}
template <class Op, class Seq, class... A, int From, int To>
constexpr auto remap(const map_expr<Op, Seq, A...>& e, const index_map<From, To>& m) {
  return rebuild(e, m.extents, [&](const auto& a) { return remap_argument(a, e.shape(), m); });
}

template <int R>
constexpr shape<R> shape_from(const index_t (&extents)[R]) {
  shape<R> s;
  for (int k = 0; k < R; ++k) s[k] = static_cast<index_t>(extents[k]);
  return s;
}
/// Axis in [0, R), or a compile-time sentence.
template <int Axis, int R>
constexpr int normal_axis() {
  static_assert(Axis >= -R && Axis < R, "lazyfuse: axis out of range for the rank of this expression");
  return Axis < 0 ? Axis + R : Axis;
}
}  // namespace view_detail

/// The view of e that the index specifications name.
template <class E, class... Specs>
constexpr auto view(const E& e, Specs... specs) {
  return view_detail::remap(e, view_detail::map_of(e.shape(), specs...));
}

/// The axes of x in the order Order (negative counts from the end). \numpy{permute_dims}
template <int... Order, class X>
  requires expression<X>
constexpr auto permute_dims(const X& x) {
  constexpr int R = rank_of<X>;
  static_assert(sizeof...(Order) == R, "lazyfuse: permute_dims names every axis once");
  const auto& e = as_node(x);
  index_map<R, R> m;
  const int order[R > 0 ? R : 1] = {view_detail::normal_axis<Order, R>()...};
  constexpr unsigned seen = (0u + ... + (1u << view_detail::normal_axis<Order, R>()));
  static_assert(seen == (1u << R) - 1, "lazyfuse: permute_dims names every axis once");
  for (int k = 0; k < R; ++k) {
    m.source[k] = order[k];
    m.factor[k] = 1;
    m.extents[k] = e.shape()[order[k]];
  }
  return view_detail::remap(e, m);
}

namespace view_detail {
template <class X, int... I>
constexpr auto reversed(const X& x, indices<I...>) {
  return permute_dims<int(sizeof...(I)) - 1 - I...>(x);
}
}  // namespace view_detail

/// The axes of x in reverse order. \numpy{transpose}
template <class X>
  requires expression<X>
constexpr auto transpose(const X& x) { return view_detail::reversed(x, make_indices<rank_of<X>>{}); }

/// x read backwards along the named axes; along all of them if none is named. \numpy{flip}
template <class X, int... A>
  requires expression<X>
constexpr auto flip(const X& x, axes<A...> = {}) {
  constexpr int R = rank_of<X>;
  constexpr unsigned flipped = sizeof...(A) == 0 ? ~0u : (0u | ... | (1u << view_detail::normal_axis<A, R>()));
  const auto& e = as_node(x);
  index_map<R, R> m;
  for (int k = 0; k < R; ++k) {
    const bool back = (flipped >> k) & 1;
    m.source[k] = k;
    m.factor[k] = back ? -1 : 1;
    m.extents[k] = e.shape()[k];
    m.start[k] = back && m.extents[k] > 0 ? m.extents[k] - 1 : 0;
  }
  return view_detail::remap(e, m);
}

/// x repeated along new axes at the front and along axes of extent 1. \numpy{broadcast_to}
template <class X, int To>
  requires expression<X>
constexpr auto broadcast_to(const X& x, const shape<To>& s) {
  constexpr int R = rank_of<X>;
  static_assert(R <= To, "lazyfuse: broadcast_to cannot lower the rank");
  const auto& e = as_node(x);
  const auto from = e.shape();
  bool fits = true;
  index_map<R, To> m;
  m.extents = s;
  for (int k = 0; k < To; ++k) {
    const int in = k - (To - R);
    const bool own = in >= 0 && from[in >= 0 ? in : 0] == s[k];
    fits &= own || in < 0 || from[in >= 0 ? in : 0] == 1;
    m.source[k] = own ? in : -1;
    m.factor[k] = own ? 1 : 0;
  }
  if (!fits) throw_shapes("broadcast_to", from.extent, R, s.extent, To, "do not broadcast");
  return view_detail::remap(e, m);
}
template <class X, int To>
  requires expression<X>
constexpr auto broadcast_to(const X& x, const index_t (&extents)[To]) {
  return broadcast_to(x, view_detail::shape_from(extents));
}

}  // namespace lazyfuse
