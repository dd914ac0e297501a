// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large results of what rolls, on devices. Between the places where a roll turns, elements lie as in any view, and
// kernels read them by vectors, or march over them; a map would be followed for each. So the largest box without a turn
// is a kernel, and the bands around it are others.
#pragma once

#include <lazyfuse/evaluate/patterns.hpp>
#include <lazyfuse/evaluate/shared_launches.hpp>
#include <lazyfuse/expr/view.hpp>
#include <lazyfuse/program/remapped.hpp>

namespace lazyfuse::run_detail {

/// Part of an iteration: from the first index of each axis to before the end.
struct box {
  index_t first[max_rank], end[max_rank];
};
/// Where something turns along each axis.
struct turn_list {
  static constexpr int most = 8;
  int rank;
  index_t extents[max_rank];
  bool known = true;
  int count[max_rank] = {};
  index_t at[max_rank][most] = {};

  turn_list(const index_t* e, int r);
  /// Adds those of a view whose first element stands at `from` in what is rolled, which it shows as a whole.
  void note(const index_t* extents, const index_t* steps, index_t from, const ir::position_divisor* block,
            const index_t* distance, int rolls);
  /// The largest box inside of another in which nothing turns; false if nothing does in the other.
  bool largest(const box& inside, box& to) const;
  index_t size(const box& b) const;
};
/// The boxes around one inside of another. Returns how many there are, two for each axis at most.
int boxes_around(const box& inner, const box& outer, int rank, box* to);

template <class Memory, class Leaf>
inline constexpr bool is_rolled = false;
template <class Memory, class T, int K, int R>
inline constexpr bool is_rolled<Memory, leaf<ir::remapped<stored<T, Memory>, ir::rolling<K>, R>, R>> = true;
template <class Memory, int Rank>
struct rolls : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = R == Rank&& is_rolled<Memory, tree::leaf<Source, R>>;
};
template <class Memory, int Rank>
struct other_maps : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = requires(Source s) {
    s.map;
  }
  &&!(R == Rank && is_rolled<Memory, tree::leaf<Source, R>>);
};
/// Whether an expression is one that may be cut where rolls turn.
template <class Space, class... E>
inline constexpr bool may_turn = false;
template <class Space, class E>
inline constexpr bool may_turn<Space, E> = [] {
  if constexpr (!space_traits<Space>::on_device) return false;
  else return tree::fold<rolls<memory_of<Space>, E::rank>, E> && !tree::fold<other_maps<memory_of<Space>, E::rank>, E>;
}();

template <class E>
void find_turns(const E&, turn_list&) {}
template <class T, class Memory, int K, int R>
void find_turns(const leaf<ir::remapped<stored<T, Memory>, ir::rolling<K>, R>, R>& e, turn_list& to) {
  const auto& s = e.source;
  const index_t from = s.map.size == e.extents.size() ? s.origin + e.offset : -1;
  to.note(e.extents.extent, e.steps.step, from, s.map.block, s.map.distance, K);
}
template <class Op, int... I, class... A>
void find_turns(const map_expr<Op, index_sequence<I...>, A...>& e, turn_list& to) {
  (find_turns(tree::unnamed(e.template argument<I>()), to), ...);
}

/// The elements that a rolled view shows where nothing turns, as they lie.
template <class T, class Memory, int K, int R>
auto lying_in_box(const leaf<ir::remapped<stored<T, Memory>, ir::rolling<K>, R>, R>& e) {
  const auto& s = e.source;
  const index_t start = s.within.from(index_t{0}).first;
  leaf<stored<T, Memory>, R> to(s.source, e.extents, {}, s.from(s.origin + e.offset).first);
  for (int k = 0; k < R; ++k) to.steps[k] = e.extents[k] > 1 ? s.within.from(e.steps[k]).first - start : 0;
  return to;
}
template <class Memory, class E>
auto with_lying(const E& e) {
  if constexpr (tree::is_named<E>) return with_lying<Memory>(tree::unnamed(e));
  else if constexpr (is_rolled<Memory, E>) return lying_in_box(e);
  else if constexpr (requires { typename E::operation; })
    return tree::rebuilt(e, [](const auto& a) { return with_lying<Memory>(a); });
  else return e;
}

/// What is computed of a box.
template <int R, class E>
auto part_in(const E& e, const box& b) {
  index_map<R, R> m;
  for (int k = 0; k < R; ++k) {
    m.source[k] = k;
    m.factor[k] = 1;
    m.start[k] = b.first[k];
    m.extents[k] = b.end[k] - b.first[k];
  }
  return view_detail::remap(e, m);
}
/// And where it goes.
template <int R, class T>
target_pack<R, T> place_in(const target_pack<R, T>& to, const box& b) {
  target_pack<R, T> part = to;
  if (get<0>(to).data)
    for (int k = 0; k < R; ++k) get<0>(part).data += b.first[k] * get<0>(to).steps[k];
  return part;
}
template <int R>
box whole_of(const shape<R>& s) {
  box b;
  for (int k = 0; k < R; ++k) {
    b.first[k] = 0;
    b.end[k] = s[k];
  }
  return b;
}

template <class Space, int R, class T, class E>
class boxes_of_turns {
 public:
  /// of_bands: how those are run that are not cut once more.
  boxes_of_turns(const execution& x, const execution& of_bands, const target_pack<R, T>& to, allocation* const* owners,
                 const E& e, const turn_list& turns)
      : x_(x), of_bands_(of_bands), to_(to), owners_(owners), e_(e), turns_(turns) {}

  /// The largest part first: the host prepares the others meanwhile.
  void run_box(const box& b) const {
    constexpr index_t least = 1 << 18;  // elements of a band that is cut once more
    box inner, bands[2 * R];
    if (!turns_.largest(b, inner)) return run_lying(b);
    run_lying(inner);
    const int n = boxes_around(inner, b, R, bands);
    for (int i = 0; i < n; ++i)
      if (turns_.size(bands[i]) >= least) run_box(bands[i]);
      else run_as_it_is(bands[i]);
  }

 private:
  const execution &x_, &of_bands_;
  const target_pack<R, T>& to_;
  allocation* const* owners_;
  const E& e_;
  const turn_list& turns_;

  auto part(const box& b) const { return part_in<R>(tree::unnamed(e_), b); }
  void run_as_it_is(const box& b) const {
    const auto e = part(b);
    transform_best<Space, R, T>(of_bands_, e.shape(), place_in(to_, b), owners_, e);
  }
  void run_lying(const box& b) const {
    const auto e = with_lying<memory_of<Space>>(part(b));
    run<Space, R, T>(x_, e.shape(), place_in(to_, b), owners_, e);
  }
};

/// Returns false, and has done nothing, where one kernel is as good. Not for lists to be launched: prepared kernels
/// look for their operands where these begin.
template <class Space, int R, class T, class E>
bool run_between_turns(const execution& x, const shape<R>& s, const target_pack<R, T>& to, allocation* const* owners,
                       const E& e) {
  constexpr index_t least_bytes = 1 << 25;  // launches of bands take as long as the map would for fewer
  if (s.size() * index_t{sizeof(T)} < least_bytes || (x.list && x.list->has_memory())) return false;
  turn_list turns(s.extent, R);
  find_turns(tree::unnamed(e), turns);
  const box whole = whole_of(s);
  box inner;
  if (!turns.known || !turns.largest(whole, inner)) return false;
  shared_launches bands(x, true);
  boxes_of_turns<Space, R, T, E>(x, x.together ? x : bands.x, to, owners, e, turns).run_box(whole);
  bands.launch();
  return true;
}

}  // namespace lazyfuse::run_detail
