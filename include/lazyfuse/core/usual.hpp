// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients, roots and logarithms of floats whose exponents are not extreme, without a branch and with the bits of
// CUDA's own, by the steps that those take for these; kernels that compute several together look once for all of them
// whether one is another case, and then compute them again.
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

/// The reciprocal root that CUDA's rsqrtf takes. Unusual are zeros and subnormal numbers, which are flushed to zeros.
__device__ __forceinline__ float usual_reciprocal_root(bool& unusual, float x) {
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  unusual |= !(::fabsf(root) < 0x1p64f);
  return root;
}

/// The logarithm of a positive normal number, 2^e m with m in [2/3, 4/3), is e log(2) + log(m), of which the second is
/// a polynomial. Written out, it has 16 instructions where CUDA's has 26, of which 10 are for the other numbers.
__device__ __forceinline__ float usual_logarithm(bool& unusual, float x) {
  const unsigned bits = __float_as_uint(x);
  unusual |= bits - 0x00800000u >= 0x7f000000u;
  const unsigned power = (bits - 0x3f2aaaabu) & 0xff800000u;  // e, shifted to where exponents are
  const float m = __uint_as_float(bits - power) - 1.0f;
  float p = ::fmaf(m, -0x1.0aa04ep-3f, 0x1.2073ecp-3f);
  p = ::fmaf(m, p, -0x1.f19b98p-4f);
  p = ::fmaf(m, p, 0x1.1e52aap-3f);
  p = ::fmaf(m, p, -0x1.55b172p-3f);
  p = ::fmaf(m, p, 0x1.99da16p-3f);
  p = ::fmaf(m, p, -0x1.fffe44p-3f);
  p = ::fmaf(m, p, 0x1.5554fp-2f);
  p = ::fmaf(m, p, -0.5f);
  constexpr float log_of_2_by_2_23 = 0x1.62e43p-24f;
  return ::fmaf(static_cast<float>(static_cast<int>(power)), log_of_2_by_2_23, ::fmaf(m, m * p, m));
}

}  // namespace lazyfuse::math
#endif
