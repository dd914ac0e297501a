// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of which 16 bits are wanted: one instruction each on the device, right to about 2^-18.
#pragma once

#include <lazyfuse/core/math.hpp>

namespace lazyfuse::math {

/// exp(x) for x <= 0, and 0 for less than 2^-126.
LAZYFUSE_HD float rough_exp(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
  return y;
#else
  return exp(x);
#endif
}
LAZYFUSE_HD float rough_inverse(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}

}  // namespace lazyfuse::math
