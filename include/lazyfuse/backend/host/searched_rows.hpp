// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which reductions look for an extreme in memory as it lies, by a loop that was compiled with the library.
#pragma once

#include <lazyfuse/backend/host/extremes.hpp>
#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse::host_detail {

/// The operand whose elements a program places as they are, or -1.
template <class P>
inline constexpr int indexed_operand = -1;
template <class Op, int I, class Index>
  requires(requires { requires Op::places; })
inline constexpr int indexed_operand<ir::apply<Op, ir::arg<I>, Index>> = I;
/// Which operand a single reduction looks through for its extreme, where that lies in memory; else -1.
template <class Set, class Cursors>
constexpr int searched_operand() {
  if constexpr (Set::size == 1 && Set::has_ordered) {
    constexpr int operand = indexed_operand<typename Set::template program<0>>;
    if constexpr (operand >= 0)
      if constexpr (requires(const Cursors& c, index_t* to) {
                      places_of_extremes(get<operand>(c).data, 0, 0, 0, true, to);
                    })
        return operand;
  }
  return -1;
}

}  // namespace lazyfuse::host_detail
