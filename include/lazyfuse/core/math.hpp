// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar mathematics for both worlds. On the host the functions of libm are declared once more under
// our own names with glibc's vector variants (libmvec), so that ordinary loops over them vectorise
// without -ffast-math; the new name also keeps g++ from merging sin and cos into a scalar sincos.
#pragma once

#include <lazyfuse/core/macros.hpp>

#include <cuda/std/cstdint>

namespace lazyfuse::math {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define LAZYFUSE_LIBMVEC __attribute__((simd("notinbranch"), const, nothrow, leaf))
#if !defined(__NO_MATH_ERRNO__)
#define LAZYFUSE_LIBMVEC_SQRT
#endif
#endif
#endif
#ifndef LAZYFUSE_LIBMVEC
#define LAZYFUSE_LIBMVEC
#endif

extern "C" {
LAZYFUSE_LIBMVEC float lazyfuse_sinf(float) __asm__("sinf");
LAZYFUSE_LIBMVEC double lazyfuse_sin(double) __asm__("sin");
LAZYFUSE_LIBMVEC float lazyfuse_cosf(float) __asm__("cosf");
LAZYFUSE_LIBMVEC double lazyfuse_cos(double) __asm__("cos");
LAZYFUSE_LIBMVEC float lazyfuse_tanf(float) __asm__("tanf");
LAZYFUSE_LIBMVEC double lazyfuse_tan(double) __asm__("tan");
LAZYFUSE_LIBMVEC float lazyfuse_expf(float) __asm__("expf");
LAZYFUSE_LIBMVEC double lazyfuse_exp(double) __asm__("exp");
LAZYFUSE_LIBMVEC float lazyfuse_logf(float) __asm__("logf");
LAZYFUSE_LIBMVEC double lazyfuse_log(double) __asm__("log");
LAZYFUSE_LIBMVEC float lazyfuse_tanhf(float) __asm__("tanhf");
LAZYFUSE_LIBMVEC double lazyfuse_tanh(double) __asm__("tanh");
LAZYFUSE_LIBMVEC float lazyfuse_erff(float) __asm__("erff");
LAZYFUSE_LIBMVEC double lazyfuse_erf(double) __asm__("erf");
LAZYFUSE_LIBMVEC float lazyfuse_atan2f(float, float) __asm__("atan2f");
LAZYFUSE_LIBMVEC double lazyfuse_atan2(double, double) __asm__("atan2");
LAZYFUSE_LIBMVEC float lazyfuse_powf(float, float) __asm__("powf");
LAZYFUSE_LIBMVEC double lazyfuse_pow(double, double) __asm__("pow");
}

// g++ does not vectorise a loop with sqrt unless errno is given up; these have vector variants in src/math.cpp.
#if defined(LAZYFUSE_LIBMVEC_SQRT)
extern "C" {
LAZYFUSE_LIBMVEC float lazyfuse_sqrtf(float);
LAZYFUSE_LIBMVEC double lazyfuse_sqrt(double);
}
#else
inline float lazyfuse_sqrtf(float x) { return __builtin_sqrtf(x); }
inline double lazyfuse_sqrt(double x) { return __builtin_sqrt(x); }
#endif

#undef LAZYFUSE_LIBMVEC
#undef LAZYFUSE_LIBMVEC_SQRT

extern "C" {
float lazyfuse_fmodf(float, float) __asm__("fmodf");
double lazyfuse_fmod(double, double) __asm__("fmod");
}

#if defined(__CUDA_ARCH__)
LAZYFUSE_HD float sin(float x) { return ::sinf(x); }
LAZYFUSE_HD double sin(double x) { return ::sin(x); }
LAZYFUSE_HD float cos(float x) { return ::cosf(x); }
LAZYFUSE_HD double cos(double x) { return ::cos(x); }
LAZYFUSE_HD float tan(float x) { return ::tanf(x); }
LAZYFUSE_HD double tan(double x) { return ::tan(x); }
LAZYFUSE_HD float exp(float x) { return ::expf(x); }
LAZYFUSE_HD double exp(double x) { return ::exp(x); }
LAZYFUSE_HD float log(float x) { return ::logf(x); }
LAZYFUSE_HD double log(double x) { return ::log(x); }
LAZYFUSE_HD float tanh(float x) { return ::tanhf(x); }
LAZYFUSE_HD double tanh(double x) { return ::tanh(x); }
LAZYFUSE_HD float sqrt(float x) { return ::sqrtf(x); }
LAZYFUSE_HD double sqrt(double x) { return ::sqrt(x); }
LAZYFUSE_HD float erf(float x) { return ::erff(x); }
LAZYFUSE_HD double erf(double x) { return ::erf(x); }
LAZYFUSE_HD float atan2(float x, float y) { return ::atan2f(x, y); }
LAZYFUSE_HD double atan2(double x, double y) { return ::atan2(x, y); }
LAZYFUSE_HD float pow(float x, float y) { return ::powf(x, y); }
LAZYFUSE_HD double pow(double x, double y) { return ::pow(x, y); }
LAZYFUSE_HD float fmod(float x, float y) { return ::fmodf(x, y); }
LAZYFUSE_HD double fmod(double x, double y) { return ::fmod(x, y); }
#else
LAZYFUSE_HD float sin(float x) { return lazyfuse_sinf(x); }
LAZYFUSE_HD double sin(double x) { return lazyfuse_sin(x); }
LAZYFUSE_HD float cos(float x) { return lazyfuse_cosf(x); }
LAZYFUSE_HD double cos(double x) { return lazyfuse_cos(x); }
LAZYFUSE_HD float tan(float x) { return lazyfuse_tanf(x); }
LAZYFUSE_HD double tan(double x) { return lazyfuse_tan(x); }
LAZYFUSE_HD float exp(float x) { return lazyfuse_expf(x); }
LAZYFUSE_HD double exp(double x) { return lazyfuse_exp(x); }
LAZYFUSE_HD float log(float x) { return lazyfuse_logf(x); }
LAZYFUSE_HD double log(double x) { return lazyfuse_log(x); }
LAZYFUSE_HD float tanh(float x) { return lazyfuse_tanhf(x); }
LAZYFUSE_HD double tanh(double x) { return lazyfuse_tanh(x); }
LAZYFUSE_HD float sqrt(float x) { return lazyfuse_sqrtf(x); }
LAZYFUSE_HD double sqrt(double x) { return lazyfuse_sqrt(x); }
LAZYFUSE_HD float erf(float x) { return lazyfuse_erff(x); }
LAZYFUSE_HD double erf(double x) { return lazyfuse_erf(x); }
LAZYFUSE_HD float atan2(float x, float y) { return lazyfuse_atan2f(x, y); }
LAZYFUSE_HD double atan2(double x, double y) { return lazyfuse_atan2(x, y); }
LAZYFUSE_HD float pow(float x, float y) { return lazyfuse_powf(x, y); }
LAZYFUSE_HD double pow(double x, double y) { return lazyfuse_pow(x, y); }
LAZYFUSE_HD float fmod(float x, float y) { return lazyfuse_fmodf(x, y); }
LAZYFUSE_HD double fmod(double x, double y) { return lazyfuse_fmod(x, y); }
#endif

LAZYFUSE_HD float floor(float x) { return __builtin_floorf(x); }
LAZYFUSE_HD double floor(double x) { return __builtin_floor(x); }
LAZYFUSE_HD float abs(float x) { return __builtin_fabsf(x); }
LAZYFUSE_HD double abs(double x) { return __builtin_fabs(x); }

/// The larger, the smaller; NaN wins. One instruction for float on the device.
template <class T>
LAZYFUSE_HD constexpr T larger(T x, T y) {
  return (x > y || x != x) ? x : y;
}
template <class T>
LAZYFUSE_HD constexpr T smaller(T x, T y) {
  return (x < y || x != x) ? x : y;
}
#if defined(__CUDA_ARCH__)
__device__ __forceinline__ float larger(float x, float y) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
__device__ __forceinline__ float smaller(float x, float y) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
#endif

/// Sine and cosine of one angle; one call on the device, two vector calls on the host.
template <class T>
struct sine_cosine {
  T sine, cosine;
};
LAZYFUSE_HD sine_cosine<float> sincos(float x) {
#if defined(__CUDA_ARCH__)
  sine_cosine<float> r;
  ::sincosf(x, &r.sine, &r.cosine);
  return r;
#else
  return {sin(x), cos(x)};
#endif
}
LAZYFUSE_HD sine_cosine<double> sincos(double x) {
#if defined(__CUDA_ARCH__)
  sine_cosine<double> r;
  ::sincos(x, &r.sine, &r.cosine);
  return r;
#else
  return {sin(x), cos(x)};
#endif
}

}  // namespace lazyfuse::math
