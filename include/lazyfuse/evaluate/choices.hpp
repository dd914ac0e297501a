// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices by position, as concat makes them. The result is cut where they change, and of each part only that is
// computed which is chosen there, from memory as it lies: else everything would be computed everywhere, and each
// element looked for in a table, or in a window. On the host choices alone are copied (backend/host/boxes.hpp).
#pragma once

#include <lazyfuse/evaluate/turns.hpp>
#include <lazyfuse/program/choices.hpp>

namespace lazyfuse::run_detail {

/// X before a position, Y from there on.
template <class E>
inline constexpr bool is_choice = false;
template <ir::choice Where, class Seq, ir::comparison Less, class Pair, int R, class X, class Y>
inline constexpr bool
    is_choice<map_expr<Where, Seq, map_expr<Less, Pair, leaf<ir::position, R>, leaf<ir::constant<int64>, 0>>, X, Y>> =
        R > 0;
/// What a table has at positions.
template <class E>
inline constexpr bool is_place = false;
template <int R>
inline constexpr bool is_place<leaf<ir::position, R>> = true;
template <int R>
inline constexpr bool is_place<leaf<ir::constant<int64>, R>> = true;
/// Such a read of a table in that memory. On devices those of concat are windows.
template <class Memory, class E>
inline constexpr bool is_read = false;
template <class Memory, ir::table_read Take, class Seq, class T, int K, ir::beyond B, class... Place>
inline constexpr bool is_read<Memory, map_expr<Take, Seq, leaf<tree::table_of<stored<T, Memory>, K, B>, 0>, Place...>> =
    (is_place<Place> && ...);
template <class E>
inline constexpr bool is_window = false;
template <class Source, int R>
inline constexpr bool is_window<leaf<ir::windowed<Source>, R>> = true;
template <class E>
inline constexpr bool computes = false;
template <class Op, class Seq, class... A>
inline constexpr bool computes<map_expr<Op, Seq, A...>> =
    !(ir::choice<Op> || ir::comparison<Op> || ir::opposite_comparison<Op> || ir::conjunction<Op> || ir::table_read<Op>);

struct choosing {
  template <class N>
  static constexpr bool holds = is_choice<N>;
};
struct computing {
  template <class N>
  static constexpr bool holds = computes<N>;
};
template <class E>
inline constexpr bool has_choice = tree::any_node<choosing, E>;
/// Whether an expression is one that may be cut.
template <class Space, class... E>
inline constexpr bool may_be_parted = false;
template <class Space, class E>
inline constexpr bool may_be_parted<Space, E> = E::rank > 0 && has_choice<E> &&
                                                (space_traits<Space>::on_device || tree::any_node<computing, E>);

/// Where the outermost choices change: all of them there, along one axis of the whole.
struct choice_cut {
  int axis = -1;
  index_t at = 0;
  bool one = true;
};
template <int R, int Q>
void meet_choice(const leaf<ir::position, Q>& p, index_t end, const shape<R>& whole, choice_cut& cut) {
  int axis = -1;
  for (int k = 0; k < Q; ++k) {
    if (p.steps[k] == 0) continue;
    cut.one = cut.one && axis < 0 && p.steps[k] > 0 && p.extents[k] == whole[k + R - Q];
    axis = k;
  }
  if (axis < 0) cut.one = false;
  if (!cut.one) return;
  const index_t step = p.steps[axis], n = p.extents[axis], left = end - p.source.at(p.offset),
                before = left <= 0 ? 0 : (left + step - 1) / step, at = before < n ? before : n;
  cut.one = cut.axis < 0 || (cut.axis == axis + R - Q && cut.at == at);
  cut.axis = axis + R - Q;
  cut.at = at;
}
template <int R, class E>
void find_cut(const E&, const shape<R>&, choice_cut&) {}
template <int R, class Op, int... I, class... A>
void find_cut(const map_expr<Op, index_sequence<I...>, A...>& e, const shape<R>& whole, choice_cut& cut) {
  using node = map_expr<Op, index_sequence<I...>, A...>;
  if constexpr (is_choice<node>) {
    const auto& before = e.template argument<0>();
    meet_choice(before.template argument<0>(), before.template argument<1>().source.value, whole, cut);
  } else if constexpr (has_choice<node>) (find_cut(tree::unnamed(e.template argument<I>()), whole, cut), ...);
}

/// The expression with what the outermost choices choose on one side.
template <bool Before, class E>
auto chosen(const E& e) {
  if constexpr (tree::is_named<E>) return chosen<Before>(tree::unnamed(e));
  else if constexpr (!has_choice<E>) return e;
  else if constexpr (is_choice<E>)
    return view_detail::broadcast_tree(tree::unnamed(e.template argument<(Before ? 1 : 2)>()), e.shape(), "concat");
  else return tree::rebuilt(e, [](const auto& a) { return chosen<Before>(a); });
}

/// Whether all tables in that memory are read within their bounds, and windows within what is there.
template <class Memory = host, class E>
bool reads_fit(const E&) {
  return true;
}
template <class Memory = host, class Source, int R>
bool reads_fit(const leaf<ir::windowed<Source>, R>& e) {
  const auto fits = [&](index_t least, index_t end, const auto& of) {
    index_t largest = least;
    for (int k = 0; k < R; ++k) {
      const index_t last = (e.extents[k] - 1) * of(e.steps[k]);
      (last < 0 ? least : largest) += last;
    }
    return least >= 0 && largest < end;
  };
  const auto& w = e.source;
  const index_t first = w.origin + e.offset;
  return fits(w.along(first), w.count, [&](index_t step) { return w.along(step); }) &&
         fits(w.lower(first), w.length, [&](index_t step) { return w.lower(step); });
}
template <class Table, class First, class... Index>
bool read_fits(const Table& table, const First&, const Index&... index) {
  int axis = 0;
  const auto one = [&](const auto& place) {
    index_t least = place.source.at(place.offset), largest = least;
    for (int k = 0; k < bare_t<decltype(place)>::rank; ++k)
      (place.steps[k] < 0 ? least : largest) += (place.extents[k] - 1) * place.steps[k];
    return least >= 0 && largest < table.source.axes.extents[axis++];
  };
  return (one(index) && ...);
}
template <class Memory = host, class Op, int... I, class... A>
bool reads_fit(const map_expr<Op, index_sequence<I...>, A...>& e) {
  if constexpr (is_read<Memory, map_expr<Op, index_sequence<I...>, A...>>)
    return read_fits(e.template argument<I>()...);
  else return (reads_fit<Memory>(tree::unnamed(e.template argument<I>())) && ...);
}
/// The elements that such a read reads, as they lie.
template <int R, class Table, class First, class... Index>
auto lying_elements(const shape<R>& s, const Table& table, const First& first, const Index&... index) {
  leaf<bare_t<decltype(table.source.source)>, R> e(table.source.source, s, {}, 0);
  const auto move = [&](const auto& place, index_t step) {
    constexpr int Q = bare_t<decltype(place)>::rank;
    e.offset += place.source.at(place.offset) * step;
    if constexpr (!ir::is_constant<typename bare_t<decltype(place)>::source_type>)
      for (int k = 0; k < Q; ++k) e.steps[k + R - Q] += place.steps[k] * step;
  };
  move(first, 1);
  int axis = 0;
  (move(index, table.source.axes.steps[axis++]), ...);
  return e;
}
template <class Op, int... I, class... A>
auto elements_read(const map_expr<Op, index_sequence<I...>, A...>& e) {
  return lying_elements(e.shape(), e.template argument<I>()...);
}
template <class Source, int R>
auto elements_read(const leaf<ir::windowed<Source>, R>& e) {
  leaf<Source, R> to(e.source.source, e.extents, {}, e.source.lying(e.offset));
  for (int k = 0; k < R; ++k) to.steps[k] = e.extents[k] > 1 ? e.source.lower(e.steps[k]) : 0;
  return to;
}
/// The expression with such elements in place of what reads them.
template <class Memory = host, class E>
auto with_elements(const E& e) {
  if constexpr (tree::is_named<E>) return with_elements<Memory>(tree::unnamed(e));
  else if constexpr (is_read<Memory, E> || is_window<E>) return elements_read(e);
  else if constexpr (requires { typename E::operation; })
    return tree::rebuilt(e, [](const auto& a) { return with_elements<Memory>(a); });
  else return e;
}

/// Results of one kernel that lie in turn, at most, and the type of each.
inline constexpr int most_in_turn = 4;
template <class T, class Part>
using in_turn = T;

template <class E>
bool is_readable(const E& e) {
  return has_choice<E> || reads_fit(e);
}
template <class Space, int R, class T, class E>
void run_part(const execution& x, const target_pack<R, T>& to, const box& b, allocation* const* owners, const E& e) {
  const shape<R> s = e.shape();
  if (s.size() == 0) return;
  const target_pack<R, T> part = place_in(to, b);
  if constexpr (has_choice<E>) run<Space, R, T>(x, s, part, owners, e);
  else run<Space, R, T>(x, s, part, owners, with_elements(e));
}
/// A part of which the last axis has one element, without it.
template <int R, class E>
auto without_last_axis(const E& e) {
  index_map<R, R - 1> m;
  for (int k = 0; k + 1 < R; ++k) {
    m.source[k] = k;
    m.factor[k] = 1;
    m.extents[k] = e.shape()[k];
  }
  return view_detail::remap(e, m);
}
/// Parts of one element each along the last axis, as of stack<-1>(x, y): results of one kernel, which lie in turn.
/// Those found so far, and the expression of the others. Returns false, and has done nothing, where they are no such.
template <class Space, int R, class T, class E, class... Part>
bool run_in_turn(const execution& x, const target_pack<R, T>& to, allocation* const* owners, const E& rest,
                 const Part&... parts) {
  constexpr int count = int(sizeof...(Part)) + 1;
  const shape<R> s = rest.shape();
  if constexpr (!has_choice<E>) {
    if (s[R - 1] != 1 || !reads_fit(rest)) return false;
    shape<R - 1> outer;
    for (int k = 0; k + 1 < R; ++k) outer[k] = s[k];
    allocation* each[count];
    for (allocation*& owner : each) owner = owners ? owners[0] : nullptr;
    const auto all = [&]<class... Own>(const Own&... own) {
      target_pack<R - 1, in_turn<T, Own>...> targets;
      index_t n = 0;
      const auto place = [&](auto& t) {
        t.data = get<0>(to).data ? get<0>(to).data + n++ * get<0>(to).steps[R - 1] : get<0>(to).data;
        for (int k = 0; k + 1 < R; ++k) t.steps[k] = get<0>(to).steps[k];
      };
      [&]<int... J>(index_sequence<J...>) { (place(get<J>(targets)), ...); }
      (make_index_sequence<count>{});
      run<Space, R - 1, in_turn<T, Own>...>(x, outer, targets, owners ? each : nullptr, own...);
    };
    all(with_elements(without_last_axis<R>(parts))..., with_elements(without_last_axis<R>(rest)));
    return true;
  } else if constexpr (count >= most_in_turn) return false;
  else {
    choice_cut cut;
    find_cut(tree::unnamed(rest), s, cut);
    if (!cut.one || cut.axis != R - 1 || cut.at != 1) return false;
    box first = whole_of(s), second = first;
    first.end[R - 1] = second.first[R - 1] = 1;
    const auto before = chosen<true>(part_in<R>(tree::unnamed(rest), first));
    const auto after = chosen<false>(part_in<R>(tree::unnamed(rest), second));
    if constexpr (has_choice<bare_t<decltype(before)>>) return false;
    else return reads_fit(before) && run_in_turn<Space, R, T>(x, to, owners, after, parts..., before);
  }
}

/// Returns false, and has done nothing, where it is not worth it, or the choices do not change at one place. Not for
/// lists to be launched: prepared kernels look for their operands where these begin.
template <class Space, int R, class T, class E>
bool run_in_parts(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
                  const E& e) {
  // Launches of devices take as long as what they save of fewer; a piece: of those that follow each other in a result.
  constexpr index_t least_elements = space_traits<Space>::on_device ? (1 << 25) / sizeof(T) : 1 << 15, least_piece = 64;
  if (s.size() < least_elements || (x.list && x.list->has_memory())) return false;
  if constexpr (R > 1 && makes_all_kernels<Space>)
    if (s[R - 1] <= most_in_turn && run_in_turn<Space, R, T>(x, to, owners, e)) return true;
  choice_cut cut;
  find_cut(tree::unnamed(e), s, cut);
  if (!cut.one || cut.axis < 0) return false;
  index_t inner = 1;
  for (int k = cut.axis + 1; k < R; ++k) inner *= s[k];
  const index_t behind = s[cut.axis] - cut.at, shorter = cut.at < behind ? cut.at : behind;
  if (shorter > 0 && cut.axis > 0 && shorter * inner < least_piece) return false;
  box first = whole_of(s), second = first;
  first.end[cut.axis] = second.first[cut.axis] = cut.at;
  const auto before = chosen<true>(part_in<R>(tree::unnamed(e), first));
  const auto after = chosen<false>(part_in<R>(tree::unnamed(e), second));
  if (!is_readable(before) || !is_readable(after)) return false;
  // Both may read the same array, as of concat(x, f(x)).
  shared_launches parts(x, true, true);
  const execution& of_parts = x.together ? x : parts.x;
  run_part<Space>(of_parts, to, first, owners, before);
  run_part<Space>(of_parts, to, second, owners, after);
  parts.launch();
  return true;
}

}  // namespace lazyfuse::run_detail
