// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar mathematics for both worlds. On the host the functions of libm are declared once more under
// our own names with glibc's vector variants (libmvec), so that ordinary loops over them vectorise
// without -ffast-math; the new name also keeps g++ from merging sin and cos into a scalar sincos.
#pragma once

#include <lazyfuse/core/floating.hpp>
#include <lazyfuse/core/standard.hpp>

// For the sake of errno a root is a call, and compilers make no vectors of a loop with one. Declared once more, as
// functions of their argument alone, roots are instructions without any flag of the user's; errno stays as it is.
#if defined(__GLIBC__) && !defined(__CUDACC_RTC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
extern "C" {
__attribute__((const)) float sqrtf(float) noexcept;
__attribute__((const)) double sqrt(double) noexcept;
}
#pragma GCC diagnostic pop
#endif

namespace lazyfuse::math {

#if !defined(__CUDACC_RTC__)  // no host there
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define LAZYFUSE_LIBMVEC __attribute__((simd("notinbranch"), const, nothrow, leaf))
#define LAZYFUSE_OURS_OR(name)
#endif
#endif
/// Whether powers that are a few products or a root take no longer than these (src/core/powers.cpp).
#ifdef LAZYFUSE_LIBMVEC
inline constexpr bool has_short_powers = true;
#else
inline constexpr bool has_short_powers = false;
#define LAZYFUSE_LIBMVEC
#define LAZYFUSE_OURS_OR(name) __asm__(name)
#endif

extern "C" {
LAZYFUSE_LIBMVEC float lazyfuse_sinf(float) __asm__("sinf");
LAZYFUSE_LIBMVEC double lazyfuse_sin(double) __asm__("sin");
LAZYFUSE_LIBMVEC float lazyfuse_cosf(float) __asm__("cosf");
LAZYFUSE_LIBMVEC double lazyfuse_cos(double) __asm__("cos");
LAZYFUSE_LIBMVEC float lazyfuse_tanf(float) __asm__("tanf");
LAZYFUSE_LIBMVEC double lazyfuse_tan(double) __asm__("tan");
LAZYFUSE_LIBMVEC float lazyfuse_asinf(float) __asm__("asinf");
LAZYFUSE_LIBMVEC double lazyfuse_asin(double) __asm__("asin");
LAZYFUSE_LIBMVEC float lazyfuse_acosf(float) __asm__("acosf");
LAZYFUSE_LIBMVEC double lazyfuse_acos(double) __asm__("acos");
LAZYFUSE_LIBMVEC float lazyfuse_atanf(float) __asm__("atanf");
LAZYFUSE_LIBMVEC double lazyfuse_atan(double) __asm__("atan");
LAZYFUSE_LIBMVEC float lazyfuse_sinhf(float) __asm__("sinhf");
LAZYFUSE_LIBMVEC double lazyfuse_sinh(double) __asm__("sinh");
LAZYFUSE_LIBMVEC float lazyfuse_coshf(float) __asm__("coshf");
LAZYFUSE_LIBMVEC double lazyfuse_cosh(double) __asm__("cosh");
LAZYFUSE_LIBMVEC float lazyfuse_tanhf(float) __asm__("tanhf");
LAZYFUSE_LIBMVEC double lazyfuse_tanh(double) __asm__("tanh");
LAZYFUSE_LIBMVEC float lazyfuse_asinhf(float) __asm__("asinhf");
LAZYFUSE_LIBMVEC double lazyfuse_asinh(double) __asm__("asinh");
LAZYFUSE_LIBMVEC float lazyfuse_acoshf(float) __asm__("acoshf");
LAZYFUSE_LIBMVEC double lazyfuse_acosh(double) __asm__("acosh");
LAZYFUSE_LIBMVEC float lazyfuse_atanhf(float) __asm__("atanhf");
LAZYFUSE_LIBMVEC double lazyfuse_atanh(double) __asm__("atanh");
LAZYFUSE_LIBMVEC float lazyfuse_exp2f(float) __asm__("exp2f");
LAZYFUSE_LIBMVEC double lazyfuse_exp2(double) __asm__("exp2");
LAZYFUSE_LIBMVEC float lazyfuse_expm1f(float) __asm__("expm1f");
LAZYFUSE_LIBMVEC double lazyfuse_expm1(double) __asm__("expm1");
LAZYFUSE_LIBMVEC float lazyfuse_logf(float) __asm__("logf");
LAZYFUSE_LIBMVEC double lazyfuse_log(double) __asm__("log");
LAZYFUSE_LIBMVEC float lazyfuse_log2f(float) __asm__("log2f");
LAZYFUSE_LIBMVEC double lazyfuse_log2(double) __asm__("log2");
LAZYFUSE_LIBMVEC float lazyfuse_log10f(float) __asm__("log10f");
LAZYFUSE_LIBMVEC double lazyfuse_log10(double) __asm__("log10");
LAZYFUSE_LIBMVEC float lazyfuse_log1pf(float) __asm__("log1pf");
LAZYFUSE_LIBMVEC double lazyfuse_log1p(double) __asm__("log1p");
LAZYFUSE_LIBMVEC float lazyfuse_cbrtf(float) __asm__("cbrtf");
LAZYFUSE_LIBMVEC double lazyfuse_cbrt(double) __asm__("cbrt");
LAZYFUSE_LIBMVEC float lazyfuse_erff(float) __asm__("erff");
LAZYFUSE_LIBMVEC double lazyfuse_erf(double) __asm__("erf");
LAZYFUSE_LIBMVEC float lazyfuse_erfcf(float) __asm__("erfcf");
LAZYFUSE_LIBMVEC double lazyfuse_erfc(double) __asm__("erfc");
LAZYFUSE_LIBMVEC float lazyfuse_atan2f(float, float) __asm__("atan2f");
LAZYFUSE_LIBMVEC double lazyfuse_atan2(double, double) __asm__("atan2");
LAZYFUSE_LIBMVEC float lazyfuse_hypotf(float, float) __asm__("hypotf");
LAZYFUSE_LIBMVEC double lazyfuse_hypot(double, double) __asm__("hypot");
}

// Vector variants of our own, before libmvec's: where exp is 0, and for exponents that are products or roots
// (src/core/powers.cpp).
extern "C" {
LAZYFUSE_LIBMVEC float lazyfuse_expf(float) LAZYFUSE_OURS_OR("expf");
LAZYFUSE_LIBMVEC double lazyfuse_exp(double) LAZYFUSE_OURS_OR("exp");
LAZYFUSE_LIBMVEC float lazyfuse_powf(float, float) LAZYFUSE_OURS_OR("powf");
LAZYFUSE_LIBMVEC double lazyfuse_pow(double, double) LAZYFUSE_OURS_OR("pow");
}

extern "C" {
/// An angle that core/sincos.hpp can reduce: x itself if it is within [-1e4, 1e4], infinite or NaN, else what is left
/// of x beyond some quarter turns, about [-pi/4, pi/4]. How many these are, modulo 4, is the difference of the bits of
/// x and of the result.
LAZYFUSE_LIBMVEC float lazyfuse_near_angle(float x);
}

#undef LAZYFUSE_LIBMVEC
#undef LAZYFUSE_OURS_OR

// Those that have no vector variants.
extern "C" {
float lazyfuse_fmodf(float, float) __asm__("fmodf");
double lazyfuse_fmod(double, double) __asm__("fmod");
float lazyfuse_nextafterf(float, float) __asm__("nextafterf");
double lazyfuse_nextafter(double, double) __asm__("nextafter");
float lazyfuse_tgammaf(float) __asm__("tgammaf");
double lazyfuse_tgamma(double) __asm__("tgamma");
float lazyfuse_lgammaf(float, int*) __asm__("lgammaf_r");
double lazyfuse_lgamma(double, int*) __asm__("lgamma_r");
}
#else
inline constexpr bool has_short_powers = false;
#endif

#if defined(__CUDA_ARCH__)
LAZYFUSE_HD float floor(float x) { return ::floorf(x); }
LAZYFUSE_HD double floor(double x) { return ::floor(x); }
LAZYFUSE_HD float ceil(float x) { return ::ceilf(x); }
LAZYFUSE_HD double ceil(double x) { return ::ceil(x); }
LAZYFUSE_HD float trunc(float x) { return ::truncf(x); }
LAZYFUSE_HD double trunc(double x) { return ::trunc(x); }
/// The nearest whole number, the even one of two.
LAZYFUSE_HD float rint(float x) { return ::rintf(x); }
LAZYFUSE_HD double rint(double x) { return ::rint(x); }
LAZYFUSE_HD float abs(float x) { return ::fabsf(x); }
LAZYFUSE_HD double abs(double x) { return ::fabs(x); }
LAZYFUSE_HD float sin(float x) { return ::sinf(x); }
LAZYFUSE_HD double sin(double x) { return ::sin(x); }
LAZYFUSE_HD float cos(float x) { return ::cosf(x); }
LAZYFUSE_HD double cos(double x) { return ::cos(x); }
LAZYFUSE_HD float tan(float x) { return ::tanf(x); }
LAZYFUSE_HD double tan(double x) { return ::tan(x); }
LAZYFUSE_HD float asin(float x) { return ::asinf(x); }
LAZYFUSE_HD double asin(double x) { return ::asin(x); }
LAZYFUSE_HD float acos(float x) { return ::acosf(x); }
LAZYFUSE_HD double acos(double x) { return ::acos(x); }
LAZYFUSE_HD float atan(float x) { return ::atanf(x); }
LAZYFUSE_HD double atan(double x) { return ::atan(x); }
LAZYFUSE_HD float sinh(float x) { return ::sinhf(x); }
LAZYFUSE_HD double sinh(double x) { return ::sinh(x); }
LAZYFUSE_HD float cosh(float x) { return ::coshf(x); }
LAZYFUSE_HD double cosh(double x) { return ::cosh(x); }
LAZYFUSE_HD float tanh(float x) { return ::tanhf(x); }
LAZYFUSE_HD double tanh(double x) { return ::tanh(x); }
LAZYFUSE_HD float asinh(float x) { return ::asinhf(x); }
LAZYFUSE_HD double asinh(double x) { return ::asinh(x); }
LAZYFUSE_HD float acosh(float x) { return ::acoshf(x); }
LAZYFUSE_HD double acosh(double x) { return ::acosh(x); }
LAZYFUSE_HD float atanh(float x) { return ::atanhf(x); }
LAZYFUSE_HD double atanh(double x) { return ::atanh(x); }
LAZYFUSE_HD float exp(float x) { return ::expf(x); }
LAZYFUSE_HD double exp(double x) { return ::exp(x); }
LAZYFUSE_HD float exp2(float x) { return ::exp2f(x); }
LAZYFUSE_HD double exp2(double x) { return ::exp2(x); }
LAZYFUSE_HD float expm1(float x) { return ::expm1f(x); }
LAZYFUSE_HD double expm1(double x) { return ::expm1(x); }
LAZYFUSE_HD float log(float x) { return ::logf(x); }
LAZYFUSE_HD double log(double x) { return ::log(x); }
LAZYFUSE_HD float log2(float x) { return ::log2f(x); }
LAZYFUSE_HD double log2(double x) { return ::log2(x); }
LAZYFUSE_HD float log10(float x) { return ::log10f(x); }
LAZYFUSE_HD double log10(double x) { return ::log10(x); }
LAZYFUSE_HD float log1p(float x) { return ::log1pf(x); }
LAZYFUSE_HD double log1p(double x) { return ::log1p(x); }
LAZYFUSE_HD float cbrt(float x) { return ::cbrtf(x); }
LAZYFUSE_HD double cbrt(double x) { return ::cbrt(x); }
LAZYFUSE_HD float erf(float x) { return ::erff(x); }
LAZYFUSE_HD double erf(double x) { return ::erf(x); }
LAZYFUSE_HD float erfc(float x) { return ::erfcf(x); }
LAZYFUSE_HD double erfc(double x) { return ::erfc(x); }
LAZYFUSE_HD float sqrt(float x) { return ::sqrtf(x); }
LAZYFUSE_HD double sqrt(double x) { return ::sqrt(x); }
LAZYFUSE_HD float tgamma(float x) { return ::tgammaf(x); }
LAZYFUSE_HD double tgamma(double x) { return ::tgamma(x); }
LAZYFUSE_HD float atan2(float x, float y) { return ::atan2f(x, y); }
LAZYFUSE_HD double atan2(double x, double y) { return ::atan2(x, y); }
LAZYFUSE_HD float pow(float x, float y) { return ::powf(x, y); }
LAZYFUSE_HD double pow(double x, double y) { return ::pow(x, y); }
LAZYFUSE_HD float hypot(float x, float y) { return ::hypotf(x, y); }
LAZYFUSE_HD double hypot(double x, double y) { return ::hypot(x, y); }
LAZYFUSE_HD float fmod(float x, float y) { return ::fmodf(x, y); }
LAZYFUSE_HD double fmod(double x, double y) { return ::fmod(x, y); }
LAZYFUSE_HD float nextafter(float x, float y) { return ::nextafterf(x, y); }
LAZYFUSE_HD double nextafter(double x, double y) { return ::nextafter(x, y); }
#else
LAZYFUSE_HD float floor(float x) { return __builtin_floorf(x); }
LAZYFUSE_HD double floor(double x) { return __builtin_floor(x); }
LAZYFUSE_HD float ceil(float x) { return __builtin_ceilf(x); }
LAZYFUSE_HD double ceil(double x) { return __builtin_ceil(x); }
LAZYFUSE_HD float trunc(float x) { return __builtin_truncf(x); }
LAZYFUSE_HD double trunc(double x) { return __builtin_trunc(x); }
/// The nearest whole number, the even one of two.
LAZYFUSE_HD float rint(float x) { return __builtin_rintf(x); }
LAZYFUSE_HD double rint(double x) { return __builtin_rint(x); }
LAZYFUSE_HD float abs(float x) { return __builtin_fabsf(x); }
LAZYFUSE_HD double abs(double x) { return __builtin_fabs(x); }
LAZYFUSE_HD float sin(float x) { return lazyfuse_sinf(x); }
LAZYFUSE_HD double sin(double x) { return lazyfuse_sin(x); }
LAZYFUSE_HD float cos(float x) { return lazyfuse_cosf(x); }
LAZYFUSE_HD double cos(double x) { return lazyfuse_cos(x); }
LAZYFUSE_HD float tan(float x) { return lazyfuse_tanf(x); }
LAZYFUSE_HD double tan(double x) { return lazyfuse_tan(x); }
LAZYFUSE_HD float asin(float x) { return lazyfuse_asinf(x); }
LAZYFUSE_HD double asin(double x) { return lazyfuse_asin(x); }
LAZYFUSE_HD float acos(float x) { return lazyfuse_acosf(x); }
LAZYFUSE_HD double acos(double x) { return lazyfuse_acos(x); }
LAZYFUSE_HD float atan(float x) { return lazyfuse_atanf(x); }
LAZYFUSE_HD double atan(double x) { return lazyfuse_atan(x); }
LAZYFUSE_HD float sinh(float x) { return lazyfuse_sinhf(x); }
LAZYFUSE_HD double sinh(double x) { return lazyfuse_sinh(x); }
LAZYFUSE_HD float cosh(float x) { return lazyfuse_coshf(x); }
LAZYFUSE_HD double cosh(double x) { return lazyfuse_cosh(x); }
LAZYFUSE_HD float tanh(float x) { return lazyfuse_tanhf(x); }
LAZYFUSE_HD double tanh(double x) { return lazyfuse_tanh(x); }
LAZYFUSE_HD float asinh(float x) { return lazyfuse_asinhf(x); }
LAZYFUSE_HD double asinh(double x) { return lazyfuse_asinh(x); }
LAZYFUSE_HD float acosh(float x) { return lazyfuse_acoshf(x); }
LAZYFUSE_HD double acosh(double x) { return lazyfuse_acosh(x); }
LAZYFUSE_HD float atanh(float x) { return lazyfuse_atanhf(x); }
LAZYFUSE_HD double atanh(double x) { return lazyfuse_atanh(x); }
LAZYFUSE_HD float exp(float x) { return lazyfuse_expf(x); }
LAZYFUSE_HD double exp(double x) { return lazyfuse_exp(x); }
LAZYFUSE_HD float exp2(float x) { return lazyfuse_exp2f(x); }
LAZYFUSE_HD double exp2(double x) { return lazyfuse_exp2(x); }
LAZYFUSE_HD float expm1(float x) { return lazyfuse_expm1f(x); }
LAZYFUSE_HD double expm1(double x) { return lazyfuse_expm1(x); }
LAZYFUSE_HD float log(float x) { return lazyfuse_logf(x); }
LAZYFUSE_HD double log(double x) { return lazyfuse_log(x); }
LAZYFUSE_HD float log2(float x) { return lazyfuse_log2f(x); }
LAZYFUSE_HD double log2(double x) { return lazyfuse_log2(x); }
LAZYFUSE_HD float log10(float x) { return lazyfuse_log10f(x); }
LAZYFUSE_HD double log10(double x) { return lazyfuse_log10(x); }
LAZYFUSE_HD float log1p(float x) { return lazyfuse_log1pf(x); }
LAZYFUSE_HD double log1p(double x) { return lazyfuse_log1p(x); }
LAZYFUSE_HD float cbrt(float x) { return lazyfuse_cbrtf(x); }
LAZYFUSE_HD double cbrt(double x) { return lazyfuse_cbrt(x); }
LAZYFUSE_HD float erf(float x) { return lazyfuse_erff(x); }
LAZYFUSE_HD double erf(double x) { return lazyfuse_erf(x); }
LAZYFUSE_HD float erfc(float x) { return lazyfuse_erfcf(x); }
LAZYFUSE_HD double erfc(double x) { return lazyfuse_erfc(x); }
#if defined(__GLIBC__)
LAZYFUSE_HD float sqrt(float x) { return ::sqrtf(x); }
LAZYFUSE_HD double sqrt(double x) { return ::sqrt(x); }
#else
LAZYFUSE_HD float sqrt(float x) { return __builtin_sqrtf(x); }
LAZYFUSE_HD double sqrt(double x) { return __builtin_sqrt(x); }
#endif
LAZYFUSE_HD float tgamma(float x) { return lazyfuse_tgammaf(x); }
LAZYFUSE_HD double tgamma(double x) { return lazyfuse_tgamma(x); }
LAZYFUSE_HD float atan2(float x, float y) { return lazyfuse_atan2f(x, y); }
LAZYFUSE_HD double atan2(double x, double y) { return lazyfuse_atan2(x, y); }
LAZYFUSE_HD float pow(float x, float y) { return lazyfuse_powf(x, y); }
LAZYFUSE_HD double pow(double x, double y) { return lazyfuse_pow(x, y); }
LAZYFUSE_HD float hypot(float x, float y) { return lazyfuse_hypotf(x, y); }
LAZYFUSE_HD double hypot(double x, double y) { return lazyfuse_hypot(x, y); }
LAZYFUSE_HD float fmod(float x, float y) { return lazyfuse_fmodf(x, y); }
LAZYFUSE_HD double fmod(double x, double y) { return lazyfuse_fmod(x, y); }
LAZYFUSE_HD float nextafter(float x, float y) { return lazyfuse_nextafterf(x, y); }
LAZYFUSE_HD double nextafter(double x, double y) { return lazyfuse_nextafter(x, y); }
#endif

LAZYFUSE_HD float copysign(float x, float y) { return __builtin_copysignf(x, y); }
LAZYFUSE_HD double copysign(double x, double y) { return __builtin_copysign(x, y); }

/// The larger, the smaller; NaN wins. One instruction for float on the device.
template <class T>
LAZYFUSE_HD constexpr T larger(T x, T y) {
  return (x > y || x != x) ? x : y;  // NOLINT(misc-redundant-expression): NaN
}
template <class T>
LAZYFUSE_HD constexpr T smaller(T x, T y) {
  return (x < y || x != x) ? x : y;  // NOLINT(misc-redundant-expression): NaN
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

}  // namespace lazyfuse::math
