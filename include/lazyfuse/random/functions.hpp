// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithm, sine and cosine of random words, by arithmetic alone: what a word gives depends on no version of libm and
// on no vector length, and without special cases to look for it costs less. Within 3 units in the last place.
#pragma once

#include <lazyfuse/core/math.hpp>
#include <lazyfuse/random/philox.hpp>

namespace lazyfuse::random_detail {

#if defined(__CUDA_ARCH__)
/// x * y + z: rounded once on the device, twice on the host, where src/random/distributions.cpp is compiled without
/// contraction.
LAZYFUSE_HD float mul_add(float x, float y, float z) { return __fmaf_rn(x, y, z); }
LAZYFUSE_HD double mul_add(double x, double y, double z) { return __fma_rn(x, y, z); }
/// x * y, rounded, whatever it is added to.
LAZYFUSE_HD float product(float x, float y) { return __fmul_rn(x, y); }
LAZYFUSE_HD double product(double x, double y) { return __dmul_rn(x, y); }
#else
template <class T>
LAZYFUSE_HD T mul_add(T x, T y, T z) {
  return x * y + z;
}
template <class T>
LAZYFUSE_HD T product(T x, T y) {
  return x * y;
}
#endif

/// c[0] x^n + c[1] x^(n-1) + ...
template <class T, int N>
LAZYFUSE_HD T polynomial(T x, const T (&c)[N]) {
  T sum = c[0];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 1; k < N; ++k) sum = mul_add(sum, x, c[k]);
  return sum;
}

/// A word as a number in (0, 1]: (w + 1/2) / 2^32, or / 2^53 of the word's upper 53 bits, rounded.
LAZYFUSE_HD float above_zero(uint32 w) { return mul_add(static_cast<float>(w), 0x1p-32f, 0x1p-33f); }
LAZYFUSE_HD double above_zero(uint64 w) {
  return mul_add(static_cast<double>(static_cast<standard::int64_t>(w >> 11)), 0x1p-53, 0x1p-54);
}
/// A word as a number in [0, 1): its upper 24 or 53 bits, exactly.
LAZYFUSE_HD float below_one(uint32 w) { return static_cast<float>(static_cast<int>(w >> 8)) * 0x1p-24f; }
LAZYFUSE_HD double below_one(uint64 w) {
  return static_cast<double>(static_cast<standard::int64_t>(w >> 11)) * 0x1p-53;
}

/// The logarithm of a number in (0, 1], no subnormal one. The mantissa is taken from [2/3, 4/3), so that next to 1
/// there is nothing to add.
LAZYFUSE_HD float log_of(float u) {
  const int bits = __builtin_bit_cast(int, u);
  const int exponent = (bits - 0x3f2aaaab) & -0x800000;
  const float f = __builtin_bit_cast(float, bits - exponent) - 1, z = product(f, f);
  const float even = polynomial(z, {-0.130310059f, -0.121483512f, -0.166846126f, -0.249996200f});
  const float odd = polynomial(z, {0.140869141f, 0.139814854f, 0.200120345f});
  float sum = mul_add(odd, f, even);
  sum = mul_add(sum, f, 0.333331972f);
  sum = mul_add(sum, f, -0.5f);
  sum = mul_add(sum, z, f);
  return mul_add(static_cast<float>(exponent), 0.693147182f * 0x1p-23f, sum);
}
/// As in fdlibm: log(1 + f) = f - f²/2 + s (f²/2 + R(s²)), where s = f / (2 + f).
LAZYFUSE_HD double log_of(double u) {
  const auto bits = __builtin_bit_cast(standard::int64_t, u);
  const auto exponent = (bits - 0x3fe6a09e00000000) >> 52;  // mantissas from [sqrt(1/2), sqrt(2))
  const double e = static_cast<double>(static_cast<int>(exponent));
  const double f = __builtin_bit_cast(double, bits - (exponent << 52)) - 1, s = f / (2 + f), z = product(s, s);
  const double r =
      product(z, polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                                2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                                6.666666666666735130e-01}));
  const double half = product(product(0.5, f), f);
  const double low = mul_add(s, half + r, product(e, 1.90821492927058770002e-10));
  return mul_add(e, 6.93147180369123816490e-01, f - (half - low));
}

/// Square root; on the device of a number that is zero or normal, within a unit in the last place.
LAZYFUSE_HD float root(float x) {
#if defined(__CUDA_ARCH__)
  asm("sqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
#else
  return math::sqrt(x);
#endif
}
LAZYFUSE_HD double root(double x) {
#if defined(__CUDA_ARCH__)
  return ::sqrt(x);
#else
  return math::sqrt(x);
#endif
}

/// A point of the unit circle, all of it equally likely. Of a word, the first bit is the sign of the coordinate that is
/// larger, the second says which one that is, and the rest is an angle of at most an eighth of a turn to either side.
template <class T>
struct direction {
  T x, y;
};
LAZYFUSE_HD direction<float> direction_of(uint32 w) {
  const float t = static_cast<float>(static_cast<int>(w << 2)) * 3.6572948e-10f;  // pi / 2^33
  const float z = product(t, t);
  float small = polynomial(z, {2.86567956e-6f, -1.98559923e-4f, 8.33338592e-3f, -1.66666672e-1f});
  float large = polynomial(z, {2.44677067e-5f, -1.38877297e-3f, 4.16666567e-2f, -0.5f, 1.0f});
  small = mul_add(small, product(t, z), t);
  large = __builtin_bit_cast(float, __builtin_bit_cast(uint32, large) ^ (w & 0x80000000u));
  const bool turned = (w & 0x40000000u) != 0;
  return {turned ? small : large, turned ? large : small};
}
LAZYFUSE_HD direction<double> direction_of(uint64 w) {
  const double t = static_cast<double>(static_cast<standard::int64_t>(w << 2)) * 8.515303950216386e-20;  // pi / 2^65
  const double z = product(t, t);
  double small = polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
                                -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01});
  double large =
      polynomial(z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
                     2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02, -0.5, 1.0});
  small = mul_add(small, product(t, z), t);
  large = __builtin_bit_cast(double, __builtin_bit_cast(uint64, large) ^ (w & (uint64{1} << 63)));
  const bool turned = (w >> 62 & 1) != 0;
  return {turned ? small : large, turned ? large : small};
}

}  // namespace lazyfuse::random_detail
