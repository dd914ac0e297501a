// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: what stands somewhere along an axis of something longer, with zeros before and behind it, as the parts of
// concat.
#pragma once

#include <lazyfuse/expr/roll.hpp>
#include <lazyfuse/expr/table.hpp>
#include <lazyfuse/program/windowed.hpp>

namespace lazyfuse::tree {

template <class Source>
struct source_traits<ir::windowed<Source>> {
  using space = typename source_traits<Source>::space;
  using viewed = ir::windowed<Source>;
  static constexpr bool is_argument = false;
  static constexpr int owners = source_traits<Source>::owners;
};

}  // namespace lazyfuse::tree

namespace lazyfuse::gather_detail {

using ir::beyond;

/// A gather from rank From to rank To. Axis: those that are gathered, counted from the last, which is -1: operands of
/// lower rank lack the first ones. Index: trees of rank To, of one for each.
template <int From, int To, beyond Beyond, class Axis, class... Index>
struct gather;
/// Whether the one index is a position, and there are zeros beyond: what is gathered stands somewhere along an axis.
template <class G>
inline constexpr bool is_window = false;
template <int R, int Axis>
inline constexpr bool is_window<gather<R, R, beyond::zero, axes<Axis>, tree::leaf<ir::position, R>>> = true;
/// On devices elements in memory are read so; the host walks tables from one part to the next (backend/host/boxes.hpp).
template <class Source, class G>
inline constexpr bool through_window = [] {
  if constexpr (is_window<G> && requires(Source s) { s.owner; })
    return space_traits<typename tree::source_traits<Source>::space>::on_device;
  else return false;
}();

/// What the offsets of a window are made of.
struct window_form {
  index_t bits, count;
  index_t origin;
  index_t steps[max_rank];
};
/// Of what has these extents and steps, and lies from the least of its offsets on, inside of a whole, from an index
/// along an axis on. Throws shape_error if a number of 64 bits has no room for both places.
window_form form_of_window(const index_t* whole, const index_t* extents, const index_t* steps, int rank, int axis,
                           index_t first, const ir::stretch& reach);

/// The least offset that steps lead to, and how many elements there are from it to the last.
template <int R>
constexpr ir::stretch reach_of(const shape<R>& s, const strides<R>& steps) {
  ir::stretch r{0, 1};
  for (int k = 0; k < R; ++k) {
    const index_t last = (s[k] - 1) * steps[k];
    if (s[k] == 0) return {0, 0};
    if (last < 0) r.first += last;
    r.length += last < 0 ? -last : last;
  }
  return r;
}

template <class Source, int R, class G>
auto windowed(const tree::leaf<Source, R>& e, const G& g) {
  const shape<R>& whole = g.others.extents;
  const auto& position = get<0>(g.indices);
  const ir::stretch reach = reach_of(e.extents, e.steps);
  const window_form f = form_of_window(whole.extent, e.extents.extent, e.steps.step, R, G::axis,
                                       -position.source.at(position.offset), reach);
  auto s = view_detail::viewed(e.source);
  if (reach.length > 0) s.data += e.offset + reach.first;
  tree::leaf<ir::windowed<decltype(s)>, R> to({s, f.origin, f.bits, f.count, reach.length}, whole, {});
  for (int k = 0; k < R; ++k) to.steps[k] = f.steps[k];
  return to;
}

}  // namespace lazyfuse::gather_detail
