// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, offsets and shapes: always 64-bit, rank known at compile time, extents at run time.
#pragma once

#include <lazyfuse/core/macros.hpp>
#include <lazyfuse/core/standard.hpp>

namespace lazyfuse {

/// Type of every extent, stride, offset and count (elements, never bytes).
using index_t = standard::int64_t;

/// Highest rank of an array or expression.
inline constexpr int max_rank = 8;

/// Arrays that one kernel reads, at most: what reads more is cut. Kernels have a bit for each, in words of 64.
inline constexpr int most_operands = 64;

/// The extents of an array or expression, outermost axis first.
template <int R>
struct shape {
  static_assert(R >= 0 && R <= max_rank, "lazyfuse: ranks go from 0 to 8");
  index_t extent[R > 0 ? R : 1];

  constexpr shape() : extent{} {}
  template <class... N>
    requires(sizeof...(N) == R && R > 0 && (standard::is_integral_v<N> && ...))
  constexpr shape(N... n) : extent{static_cast<index_t>(n)...} {}

  LAZYFUSE_HD constexpr index_t& operator[](int axis) { return extent[axis]; }
  LAZYFUSE_HD constexpr index_t operator[](int axis) const { return extent[axis]; }

  /// Number of elements: the product of the extents, 1 for rank 0.
  constexpr index_t size() const {
    index_t n = 1;
    for (int axis = 0; axis < R; ++axis) n *= extent[axis];
    return n;
  }
  friend constexpr bool operator==(const shape& a, const shape& b) {
    for (int axis = 0; axis < R; ++axis)
      if (a.extent[axis] != b.extent[axis]) return false;
    return true;
  }
};

template <class... N>
shape(N...) -> shape<int(sizeof...(N))>;

/// Distance in elements between neighbours along each axis; 0 repeats, negative walks backwards.
template <int R>
struct strides {
  index_t step[R > 0 ? R : 1] = {};
  LAZYFUSE_HD constexpr index_t& operator[](int axis) { return step[axis]; }
  LAZYFUSE_HD constexpr index_t operator[](int axis) const { return step[axis]; }
  friend constexpr bool operator==(const strides& a, const strides& b) {
    for (int axis = 0; axis < R; ++axis)
      if (a.step[axis] != b.step[axis]) return false;
    return true;
  }
};

/// Strides of a dense row-major array of shape s.
template <int R>
constexpr strides<R> row_major(const shape<R>& s) {
  strides<R> t;
  index_t step = 1;
  for (int axis = R - 1; axis >= 0; --axis) {
    t[axis] = step;
    step *= s[axis];
  }
  return t;
}

/// A compile-time set of axes, written axis<0, -1>; empty means every axis.
template <int... A>
struct axes {};
/// axis<0, -1>: the axes of a reduction or a flip; negative ones count from the end.
template <int... A>
inline constexpr axes<A...> axis{};

/// Asks a reduction to keep the reduced axes with extent 1.
struct keepdims_t {};
/// Given to a reduction: reduced axes stay, with extent 1.
inline constexpr keepdims_t keepdims{};

}  // namespace lazyfuse
