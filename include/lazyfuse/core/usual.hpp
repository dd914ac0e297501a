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

/// A root of what is usual: between 2^-50 and 2^64.
struct usual_number {
  float value;
};
/// As other operations take it.
__device__ __forceinline__ float plain(const usual_number& x) { return x.value; }
template <class T>
__device__ __forceinline__ const T& plain(const T& x) {
  return x;
}

/// x / y, from the reciprocal to 23 bits, one step of Newton's, and the remainder of x (Markstein, IBM Journal of
/// Research and Development 34, 1990). Usual are arguments between 2^-60 and 2^60, roots of usual ones as y, and +0 as
/// x: of -0 the steps lose the sign.
inline constexpr float least_usual = 0x1p-60f, most_usual = 0x1p60f;
__device__ __forceinline__ float usual_quotient(bool& unusual, float x, usual_number by) {
  const float y = by.value;
  unusual |= (!(::fabsf(x) >= least_usual) | !(::fabsf(x) <= most_usual)) & (__float_as_uint(x) != 0);
  float rough;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(y));
  const float reciprocal = ::fmaf(rough, ::fmaf(rough, -y, 1.0f), rough), quotient = x * reciprocal;
  return ::fmaf(reciprocal, ::fmaf(quotient, -y, x), quotient);
}
__device__ __forceinline__ float usual_quotient(bool& unusual, float x, float y) {
  unusual |= !(::fabsf(y) >= least_usual);
  unusual |= !(::fabsf(y) <= most_usual);
  return usual_quotient(unusual, x, usual_number{y});
}
__device__ __forceinline__ usual_number usual_root(bool& unusual, float x) {
  float rough, root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(x));
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(root) : "f"(x), "f"(rough));
  // From 2^-100 on, and finite: of zeros, infinite, negative and, as they are flushed, subnormal x it is NaN.
  unusual |= !(root >= 0x1p-50f);
  return {::fmaf(::fmaf(-root, root, x), rough * 0.5f, root)};
}

}  // namespace lazyfuse::math
#endif
