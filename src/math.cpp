// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions with vector variants, under the names g++ calls them by (the x86-64 vector ABI): sqrt, since a plain one
// keeps g++ from vectorising a loop unless every user compiles with -fno-math-errno, and the angle near zero of sincos.

extern "C" float lazyfuse_near_angle(float x) {
  if (!(__builtin_fabsf(x) > 1e4f && __builtin_fabsf(x) <= __FLT_MAX__)) return x;
  // libm reduces in double; what it finds is turned to where sine or cosine is small, and tells the angle best
  const double s = __builtin_sin(static_cast<double>(x)), c = __builtin_cos(static_cast<double>(x));
  const bool odd = __builtin_fabs(s) > __builtin_fabs(c);
  const unsigned quarters = odd ? (s > 0 ? 1 : 3) : (c > 0 ? 0 : 2);
  const double rest = odd ? (s > 0 ? -c : c) : (c > 0 ? s : -s);
  const unsigned near = __builtin_bit_cast(unsigned, static_cast<float>(__builtin_asin(rest)));
  const unsigned up =
      ((__builtin_bit_cast(unsigned, x) ^ quarters) - near) & 3;  // to the bits that core/math.hpp asks for
  return __builtin_bit_cast(float, up == 3 ? near - 1 : near + up);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 about its own header
#include <immintrin.h>

extern "C" {

float lazyfuse_sqrtf(float x) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); }
__m128 _ZGVbN4v_lazyfuse_sqrtf(__m128 x) { return _mm_sqrt_ps(x); }
__attribute__((target("avx"))) __m256 _ZGVcN8v_lazyfuse_sqrtf(__m256 x) { return _mm256_sqrt_ps(x); }
__attribute__((target("avx2"))) __m256 _ZGVdN8v_lazyfuse_sqrtf(__m256 x) { return _mm256_sqrt_ps(x); }
__attribute__((target("avx512f"))) __m512 _ZGVeN16v_lazyfuse_sqrtf(__m512 x) { return _mm512_sqrt_ps(x); }

double lazyfuse_sqrt(double x) { return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x))); }
__m128d _ZGVbN2v_lazyfuse_sqrt(__m128d x) { return _mm_sqrt_pd(x); }
__attribute__((target("avx"))) __m256d _ZGVcN4v_lazyfuse_sqrt(__m256d x) { return _mm256_sqrt_pd(x); }
__attribute__((target("avx2"))) __m256d _ZGVdN4v_lazyfuse_sqrt(__m256d x) { return _mm256_sqrt_pd(x); }
__attribute__((target("avx512f"))) __m512d _ZGVeN8v_lazyfuse_sqrt(__m512d x) { return _mm512_sqrt_pd(x); }

static void near_angles(float* lanes, int count) {
  for (int i = 0; i < count; ++i) lanes[i] = lazyfuse_near_angle(lanes[i]);
}
__m128 _ZGVbN4v_lazyfuse_near_angle(__m128 x) {
  const __m128 magnitude = _mm_andnot_ps(_mm_set1_ps(-0.0f), x);
  if (__builtin_expect(_mm_movemask_ps(_mm_cmpgt_ps(magnitude, _mm_set1_ps(1e4f))), 0) == 0) return x;
  alignas(16) float lanes[4];
  _mm_store_ps(lanes, x);
  near_angles(lanes, 4);
  return _mm_load_ps(lanes);
}
__attribute__((target("avx"))) __m256 _ZGVcN8v_lazyfuse_near_angle(__m256 x) {
  const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
  if (__builtin_expect(_mm256_movemask_ps(_mm256_cmp_ps(magnitude, _mm256_set1_ps(1e4f), _CMP_GT_OQ)), 0) == 0)
    return x;
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, x);
  near_angles(lanes, 8);
  return _mm256_load_ps(lanes);
}
__attribute__((target("avx2"))) __m256 _ZGVdN8v_lazyfuse_near_angle(__m256 x) {
  return _ZGVcN8v_lazyfuse_near_angle(x);
}
__attribute__((target("avx512f"))) __m512 _ZGVeN16v_lazyfuse_near_angle(__m512 x) {
  if (__builtin_expect(_mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(1e4f), _CMP_GT_OQ), 0) == 0) return x;
  alignas(64) float lanes[16];
  _mm512_store_ps(lanes, x);
  near_angles(lanes, 16);
  return _mm512_load_ps(lanes);
}

}  // extern "C"

#endif
