// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sqrt as a function with vector variants, under the names g++ calls them by (the x86-64 vector ABI).
// A plain sqrt keeps g++ from vectorising a loop unless every user compiles with -fno-math-errno.
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

}  // extern "C"

#endif
