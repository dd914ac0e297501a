// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index spaces that kernels walk by a linear index, and the divisions that it takes.
#pragma once

#include <lazyfuse/core/index.hpp>

namespace lazyfuse::cuda_detail {

/// Division of a 31-bit number by an invariant one: a multiplication and a shift.
struct divisor {
  unsigned value = 1, factor = 0, shift = 0;
  static divisor of(index_t d);
  LAZYFUSE_HD unsigned quotient(unsigned n) const {
#if defined(__CUDA_ARCH__)
    return (__umulhi(n, factor) + n) >> shift;
#else
    return n / value;
#endif
  }
};

/// Of a power of two.
constexpr int log2_of(int n) {
  int shift = 0;
  while ((1 << shift) < n) ++shift;
  return shift;
}

/// An index space that is walked by a linear index: outer axes of a transform, kept or reduced axes.
template <int R>
struct axes_walk {
  index_t extents[R > 0 ? R : 1];
  divisor divisors[R > 0 ? R : 1];
  int first;   ///< axes before this one have extent 1
  bool small;  ///< the linear index fits 31 bits

  /// Calls f(axis, index along it) for each axis.
  template <class F>
  LAZYFUSE_HD void operator()(index_t linear, const F& f) const;
  /// The same where the index space is known to be small, without a branch.
  template <class F>
  LAZYFUSE_HD void within(unsigned linear, const F& f) const;
};
void fill_walk(index_t* extents, divisor* divisors, int& first, bool& small, const index_t* from, int rank);
template <int R>
axes_walk<R> walk_of(const index_t* extents) {
  axes_walk<R> w{};
  fill_walk(w.extents, w.divisors, w.first, w.small, extents, R);
  return w;
}

template <int R>
template <class F>
LAZYFUSE_HD void axes_walk<R>::within(unsigned linear, const F& f) const {
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int axis = R - 1; axis > 0; --axis) {
    const unsigned q = divisors[axis].quotient(linear);
    f(axis, linear - q * static_cast<unsigned>(extents[axis]));
    linear = q;
  }
  f(0, linear);
}

template <int R>
template <class F>
LAZYFUSE_HD void axes_walk<R>::operator()(index_t linear, const F& f) const {
  if (small) {
    unsigned rest = static_cast<unsigned>(linear);
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      if (axis < first) break;
      if (axis == 0 || axis == first) f(axis, rest);
      else {
        const unsigned q = divisors[axis].quotient(rest);
        f(axis, rest - q * static_cast<unsigned>(extents[axis]));
        rest = q;
      }
    }
  } else {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      if (axis < first) break;
      if (axis == 0 || axis == first) f(axis, linear);
      else {
        const index_t q = linear / extents[axis];
        f(axis, linear - q * extents[axis]);
        linear = q;
      }
    }
  }
}

}  // namespace lazyfuse::cuda_detail
