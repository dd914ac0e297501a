// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where all operands are at one position after the other, and how much memory they go through.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::host_detail {

using namespace ir;

/// The offsets of all operands at an index over the axes [from, to); moves on without dividing.
template <class Operands, class Sources, int R>
struct odometer;
template <class Operands, class... Src, int R>
struct odometer<Operands, list<Src...>, R> {
  const Operands& operands;
  const index_t* extents;
  int from, to;
  index_t at[R > 0 ? R : 1] = {};
  index_t offsets[sizeof...(Src) + 1] = {};

  void seek(index_t linear) {
    for (int k = to - 1; k >= from; --k) {
      const index_t q = extents[k] > 1 ? linear / extents[k] : linear;
      move(k, linear - q * extents[k] - at[k], make_index_sequence<sizeof...(Src)>{});
      linear = q;
    }
  }
  /// Moves on, at most to the end of the last axis.
  void next(index_t by = 1) {
    for (int k = to - 1; k >= from; --k) {
      if (at[k] + by < extents[k]) return move(k, by, make_index_sequence<sizeof...(Src)>{});
      move(k, -at[k], make_index_sequence<sizeof...(Src)>{});
      by = 1;
    }
  }

 private:
  template <int... I>
  void move(int axis, index_t by, index_sequence<I...>) {
    at[axis] += by;
    (move_one<I>(axis, by), ...);
  }
  template <int I>
  void move_one(int axis, index_t by) {
    if constexpr (requires { get<I>(operands).steps; }) offsets[I] += by * get<I>(operands).steps[axis];
  }
};

/// Bytes of the elements that the largest operand has, if none of its steps lead to the same one.
template <class Operands, class... Src>
index_t largest_operand(const Operands& operands, const index_t* extents, list<Src...>) {
  const auto bytes = [extents]<class Source, int R>(const operand<Source, R>& o) {
    index_t n = Source::is_memory ? element_bytes<Source> : 0;
    if constexpr (requires { o.steps; })
      for (int k = 0; k < R; ++k)
        if (o.steps[k] != 0) n *= extents[k];
    return n;
  };
  return [&]<int... I>(index_sequence<I...>) {
    index_t most = 0;
    ((most = most < bytes(get<I>(operands)) ? bytes(get<I>(operands)) : most), ...);
    return most;
  }
  (make_index_sequence<sizeof...(Src)>{});
}

}  // namespace lazyfuse::host_detail
