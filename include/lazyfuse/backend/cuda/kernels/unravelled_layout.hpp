// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a flat transform finds the position along each axis, where rows begin anywhere.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/walk.hpp>

namespace lazyfuse::cuda_detail {

/// Sizes and offsets have 31 bits.
template <int R>
struct unravelled_numbers {
  index_t size;
  unsigned extents[R];
  divisor divisors[R];

  /// Calls f(axis, index along it) for each axis.
  template <class F>
  LAZYFUSE_HD void operator()(unsigned linear, const F& f) const {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis > 0; --axis) {
      const unsigned q = divisors[axis].quotient(linear);
      f(axis, linear - q * extents[axis]);
      linear = q;
    }
    f(0, linear);
  }
};

}  // namespace lazyfuse::cuda_detail
