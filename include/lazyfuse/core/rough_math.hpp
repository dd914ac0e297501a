// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of which 16 bits are wanted: one instruction each on the device, right to about 2^-18.
#pragma once

#include <lazyfuse/core/math.hpp>

namespace lazyfuse::math {

#if defined(__CUDA_ARCH__)
/// exp(x) for x <= 0, and 0 for less than 2^-126.
__device__ __forceinline__ float rough_exp(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
  return y;
}
__device__ __forceinline__ float rough_inverse(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
LAZYFUSE_HD float rough_exp(float x) { return exp(x); }
LAZYFUSE_HD float rough_inverse(float x) { return 1 / x; }
#endif

}  // namespace lazyfuse::math
