// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp and pow with vector variants, under the names g++ calls them by (the x86-64 vector ABI). glibc's are behind them,
// but take ten times as long where exp is too small to be a number, as masks make it in softmax, and for any exponent
// as long as for the worst one. With AVX-512, which scales by powers of two as it rounds, exp of floats is our own, in
// two thirds of the time.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <features.h>

#if __GLIBC_PREREQ(2, 35)

#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 about its own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wpsabi"  // whatever is no extern "C" here is inlined
#include <immintrin.h>

extern "C" {
float expf(float) noexcept;
double exp(double) noexcept;
float powf(float, float) noexcept;
double pow(double, double) noexcept;
__m128 _ZGVbN4v_expf(__m128);
__m256 _ZGVcN8v_expf(__m256);
__m256 _ZGVdN8v_expf(__m256);
__m128d _ZGVbN2v_exp(__m128d);
__m256d _ZGVcN4v_exp(__m256d);
__m256d _ZGVdN4v_exp(__m256d);
__m512d _ZGVeN8v_exp(__m512d);
__m128 _ZGVbN4vv_powf(__m128, __m128);
__m256 _ZGVcN8vv_powf(__m256, __m256);
__m256 _ZGVdN8vv_powf(__m256, __m256);
__m512 _ZGVeN16vv_powf(__m512, __m512);
__m128d _ZGVbN2vv_pow(__m128d, __m128d);
__m256d _ZGVcN4vv_pow(__m256d, __m256d);
__m256d _ZGVdN4vv_pow(__m256d, __m256d);
__m512d _ZGVeN8vv_pow(__m512d, __m512d);
}

namespace {

// Below these, exp rounds to 0.
constexpr float lowest = -104;
constexpr double lowest_double = -746;

/// Twice the exponent, if the power is a few products or a root; else `none`.
constexpr int none = 99;
template <class T>
[[gnu::always_inline]] inline int halves_of(T y) {
  // All have at most the first bit of the fraction: one test for most other exponents.
  if constexpr (sizeof(T) == 4) {
    if (__builtin_bit_cast(unsigned, y) & 0x3fffff) return none;
  } else if (__builtin_bit_cast(unsigned long long, y) & 0x7ffffffffffff) return none;
  const T twice = 2 * y;
  if (!(twice >= -4 && twice <= 8)) return none;
  const int halves = static_cast<int>(twice);
  return static_cast<T>(halves) == twice && halves != 5 && halves != 7 && halves != -3 ? halves : none;
}
template <class T>
[[gnu::always_inline]] inline int halves_if(bool all_the_same, T y) {
  const int halves = halves_of(y);
  return halves != none && all_the_same ? halves : none;
}
/// That power, within 2 units in the last place; root: of x + 0, where it is asked for.
template <class T, class V>
[[gnu::always_inline]] inline V power(const V& x, const V& root, int halves) {
  constexpr T infinity = __builtin_inf();
  const V one = V{} + 1;
  const V positive = x == -infinity ? V{} + infinity : root;
  const V square = x * x;
  switch (halves) {
    case -4:
      return (one / x) * (one / x);
    case -2:
      return one / x;
    case -1:
      return one / positive;
    case 0:
      return one;
    case 1:
      return positive;
    case 2:
      return x;
    case 3:
      return (x < 0 ? -x : x + T(0)) * positive;
    case 4:
      return square;
    case 6:
      return square * x;
    default:
      return square * square;
  }
}

}  // namespace

extern "C" {

float lazyfuse_expf(float x) { return expf(x); }
__m128 _ZGVbN4v_lazyfuse_expf(__m128 x) {
  const __m128 low = _mm_cmplt_ps(x, _mm_set1_ps(lowest));
  if (__builtin_expect(_mm_movemask_ps(low), 0) == 0) return _ZGVbN4v_expf(x);
  return _mm_andnot_ps(low, _ZGVbN4v_expf(_mm_andnot_ps(low, x)));
}
__attribute__((target("avx"))) __m256 _ZGVcN8v_lazyfuse_expf(__m256 x) {
  const __m256 low = _mm256_cmp_ps(x, _mm256_set1_ps(lowest), _CMP_LT_OQ);
  if (__builtin_expect(_mm256_movemask_ps(low), 0) == 0) return _ZGVcN8v_expf(x);
  return _mm256_andnot_ps(low, _ZGVcN8v_expf(_mm256_andnot_ps(low, x)));
}
__attribute__((target("avx2"))) __m256 _ZGVdN8v_lazyfuse_expf(__m256 x) {
  const __m256 low = _mm256_cmp_ps(x, _mm256_set1_ps(lowest), _CMP_LT_OQ);
  if (__builtin_expect(_mm256_movemask_ps(low), 0) == 0) return _ZGVdN8v_expf(x);
  return _mm256_andnot_ps(low, _ZGVdN8v_expf(_mm256_andnot_ps(low, x)));
}
// x = n ln 2 + r, in two parts of ln 2 (Cody and Waite); 1 + r + r^2 q(r) within 3.1e-9 of exp(r), relative to it, by
// Lawson's algorithm. Within 1.01 units in the last place.
__attribute__((target("avx512f"))) __m512 _ZGVeN16v_lazyfuse_expf(__m512 x) {
  const __m512 in = _mm512_max_ps(_mm512_set1_ps(lowest), _mm512_min_ps(_mm512_set1_ps(89), x));  // NaN stays
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(in, _mm512_set1_ps(0x1.715476p0f)), _MM_FROUND_TO_NEAREST_INT);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e4p-1f), in);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.7f7d1cp-20f), r);
  constexpr float c[] = {0.0083687454f, 0.041668389f, 0.16666521f, 0.49999994f};
  __m512 q = _mm512_set1_ps(0.0013814539f);
  for (const float each : c) q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(each));
  const __m512 rest = _mm512_fmadd_ps(_mm512_mul_ps(r, r), q, r);
  return _mm512_scalef_ps(_mm512_add_ps(_mm512_set1_ps(1), rest), n);
}

double lazyfuse_exp(double x) { return exp(x); }
__m128d _ZGVbN2v_lazyfuse_exp(__m128d x) {
  const __m128d low = _mm_cmplt_pd(x, _mm_set1_pd(lowest_double));
  if (__builtin_expect(_mm_movemask_pd(low), 0) == 0) return _ZGVbN2v_exp(x);
  return _mm_andnot_pd(low, _ZGVbN2v_exp(_mm_andnot_pd(low, x)));
}
__attribute__((target("avx"))) __m256d _ZGVcN4v_lazyfuse_exp(__m256d x) {
  const __m256d low = _mm256_cmp_pd(x, _mm256_set1_pd(lowest_double), _CMP_LT_OQ);
  if (__builtin_expect(_mm256_movemask_pd(low), 0) == 0) return _ZGVcN4v_exp(x);
  return _mm256_andnot_pd(low, _ZGVcN4v_exp(_mm256_andnot_pd(low, x)));
}
__attribute__((target("avx2"))) __m256d _ZGVdN4v_lazyfuse_exp(__m256d x) {
  const __m256d low = _mm256_cmp_pd(x, _mm256_set1_pd(lowest_double), _CMP_LT_OQ);
  if (__builtin_expect(_mm256_movemask_pd(low), 0) == 0) return _ZGVdN4v_exp(x);
  return _mm256_andnot_pd(low, _ZGVdN4v_exp(_mm256_andnot_pd(low, x)));
}
__attribute__((target("avx512f"))) __m512d _ZGVeN8v_lazyfuse_exp(__m512d x) {
  const __mmask8 not_low = _mm512_cmp_pd_mask(x, _mm512_set1_pd(lowest_double), _CMP_NLT_UQ);
  if (__builtin_expect(not_low, 0xff) == 0xff) return _ZGVeN8v_exp(x);
  return _mm512_maskz_mov_pd(not_low, _ZGVeN8v_exp(_mm512_maskz_mov_pd(not_low, x)));
}

float lazyfuse_powf(float x, float y) {
  const int halves = halves_of(y);
  if (halves == none) return powf(x, y);
  return power<float>(x, (halves & 1) != 0 ? _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x + 0))) : x, halves);
}
__m128 _ZGVbN4vv_lazyfuse_powf(__m128 x, __m128 y) {
  const int halves = halves_if(_mm_movemask_ps(_mm_cmpeq_ps(y, _mm_set1_ps(y[0]))) == 0xf, y[0]);
  if (halves == none) return _ZGVbN4vv_powf(x, y);
  return power<float>(x, (halves & 1) != 0 ? _mm_sqrt_ps(x + 0) : x, halves);
}
__attribute__((target("avx"))) __m256 _ZGVcN8vv_lazyfuse_powf(__m256 x, __m256 y) {
  const int halves = halves_if(_mm256_movemask_ps(_mm256_cmp_ps(y, _mm256_set1_ps(y[0]), _CMP_EQ_OQ)) == 0xff, y[0]);
  if (halves == none) return _ZGVcN8vv_powf(x, y);
  return power<float>(x, (halves & 1) != 0 ? _mm256_sqrt_ps(x + 0) : x, halves);
}
__attribute__((target("avx2"))) __m256 _ZGVdN8vv_lazyfuse_powf(__m256 x, __m256 y) {
  const int halves = halves_if(_mm256_movemask_ps(_mm256_cmp_ps(y, _mm256_set1_ps(y[0]), _CMP_EQ_OQ)) == 0xff, y[0]);
  if (halves == none) return _ZGVdN8vv_powf(x, y);
  return power<float>(x, (halves & 1) != 0 ? _mm256_sqrt_ps(x + 0) : x, halves);
}
__attribute__((target("avx512f"))) __m512 _ZGVeN16vv_lazyfuse_powf(__m512 x, __m512 y) {
  const int halves = halves_if(_mm512_cmp_ps_mask(y, _mm512_set1_ps(y[0]), _CMP_EQ_OQ) == 0xffff, y[0]);
  if (halves == none) return _ZGVeN16vv_powf(x, y);
  return power<float>(x, (halves & 1) != 0 ? _mm512_sqrt_ps(x + 0) : x, halves);
}

double lazyfuse_pow(double x, double y) {
  const int halves = halves_of(y);
  if (halves == none) return pow(x, y);
  return power<double>(x, (halves & 1) != 0 ? _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set1_pd(x + 0))) : x, halves);
}
__m128d _ZGVbN2vv_lazyfuse_pow(__m128d x, __m128d y) {
  const int halves = halves_if(_mm_movemask_pd(_mm_cmpeq_pd(y, _mm_set1_pd(y[0]))) == 3, y[0]);
  if (halves == none) return _ZGVbN2vv_pow(x, y);
  return power<double>(x, (halves & 1) != 0 ? _mm_sqrt_pd(x + 0) : x, halves);
}
__attribute__((target("avx"))) __m256d _ZGVcN4vv_lazyfuse_pow(__m256d x, __m256d y) {
  const int halves = halves_if(_mm256_movemask_pd(_mm256_cmp_pd(y, _mm256_set1_pd(y[0]), _CMP_EQ_OQ)) == 0xf, y[0]);
  if (halves == none) return _ZGVcN4vv_pow(x, y);
  return power<double>(x, (halves & 1) != 0 ? _mm256_sqrt_pd(x + 0) : x, halves);
}
__attribute__((target("avx2"))) __m256d _ZGVdN4vv_lazyfuse_pow(__m256d x, __m256d y) {
  const int halves = halves_if(_mm256_movemask_pd(_mm256_cmp_pd(y, _mm256_set1_pd(y[0]), _CMP_EQ_OQ)) == 0xf, y[0]);
  if (halves == none) return _ZGVdN4vv_pow(x, y);
  return power<double>(x, (halves & 1) != 0 ? _mm256_sqrt_pd(x + 0) : x, halves);
}
__attribute__((target("avx512f"))) __m512d _ZGVeN8vv_lazyfuse_pow(__m512d x, __m512d y) {
  const int halves = halves_if(_mm512_cmp_pd_mask(y, _mm512_set1_pd(y[0]), _CMP_EQ_OQ) == 0xff, y[0]);
  if (halves == none) return _ZGVeN8vv_pow(x, y);
  return power<double>(x, (halves & 1) != 0 ? _mm512_sqrt_pd(x + 0) : x, halves);
}

}  // extern "C"

#endif
#endif
