// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: what stands somewhere in a larger whole, with zeros around it, as the parts of concat and what is padded. On
// devices, leaves are read through a map.
#pragma once

#include <lazyfuse/expr/roll.hpp>

namespace lazyfuse::gather_detail {

using ir::beyond;

/// A gather from rank From to rank To. Axis: those that are gathered, counted from the last, which is -1: operands of
/// lower rank lack the first ones. Index: trees of rank To, of one for each.
template <int From, int To, beyond Beyond, class Axis, class... Index>
struct gather;
/// Whether all indices are positions, and there are zeros beyond: what is gathered stands somewhere in what is made.
template <class G>
inline constexpr bool is_window = false;
template <int R, class Axis, class... Index>
inline constexpr bool is_window<gather<R, R, beyond::zero, Axis, Index...>> =
    (std::is_same_v<Index, tree::leaf<ir::position, R>> && ...);
/// On devices such a leaf is read through a map, vectors at a time; the host walks tables from one part to the next
/// (backend/host/boxes.hpp).
template <class Source, class G>
inline constexpr bool through_window = [] {
  using space = typename tree::source_traits<Source>::space;
  if constexpr (is_window<G> && !__is_same(space, anywhere)) return space_traits<space>::on_device;
  else return false;
}();
/// Fills in a map of what has these extents inside of a whole, from an index along each of some axes on.
void fill_window(const index_t* whole, const index_t* extents, int rank, const int* axes, const index_t* first,
                 int count, ir::position_divisor* block, index_t* to_first, index_t* to_count);
template <class Source, int R, int... Axis, class... Index>
auto windowed(const tree::leaf<Source, R>& e, const gather<R, R, beyond::zero, axes<Axis...>, Index...>& g) {
  constexpr int count = sizeof...(Axis), axis[] = {R + Axis...};
  const shape<R>& whole = g.others.extents;
  index_t first[count];
  const auto begin = [&](int k, const auto& position) { first[k] = -position.source.at(position.offset); };
  [&]<int... I>(index_sequence<I...>) { (begin(I, get<I>(g.indices)), ...); }
  (make_index_sequence<count>{});
  ir::window<count> m;
  m.size = whole.size();
  fill_window(whole.extent, e.extents.extent, R, axis, first, count, m.block, m.first, m.count);
  return roll_detail::through(e, m, whole);
}

}  // namespace lazyfuse::gather_detail
