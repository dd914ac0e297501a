// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and roots of floats whose exponents are not extreme, correctly rounded without a branch, by the steps that
// CUDA's own take for these; kernels that compute several together look once for all of them whether one is another
// case, and then compute them again.
#pragma once

#include <lazyfuse/core/macros.hpp>

#if defined(__CUDACC__)
namespace lazyfuse::math {

/// A parameter that arguments of other types do not convert to.
template <class T>
struct only {
  T value;
  __device__ __forceinline__ only(const T& v) : value(v) {}
  template <class U>
  only(const U&) = delete;
};

/// x / y, from the reciprocal to 23 bits, one step of Newton's, and the remainder of x (Markstein, IBM Journal of
/// Research and Development 34, 1990). Usual are arguments between 2^-60 and 2^60, and +0 as x: of -0 the steps lose
/// the sign.
__device__ __forceinline__ float usual_quotient(bool& unusual, float x, float y) {
  constexpr float least = 0x1p-60f, most = 0x1p60f;
  unusual |= (!(::fabsf(x) >= least) | !(::fabsf(x) <= most)) & (__float_as_uint(x) != 0);
  unusual |= !(::fabsf(y) >= least);
  unusual |= !(::fabsf(y) <= most);
  float rough;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(y));
  const float reciprocal = ::fmaf(rough, ::fmaf(rough, -y, 1.0f), rough), quotient = x * reciprocal;
  return ::fmaf(reciprocal, ::fmaf(quotient, -y, x), quotient);
}
__device__ __forceinline__ float usual_root(bool& unusual, float x) {
  unusual |= __float_as_uint(x) - 0x0d000000u > 0x727fffffu;  // from 2^-101 on, and finite
  float rough;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(x));
  const float root = x * rough;
  return ::fmaf(::fmaf(-root, root, x), rough * 0.5f, root);
}

}  // namespace lazyfuse::math
#endif
