// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The angle near zero of sincos, with vector variants under the names g++ calls them by (the x86-64 vector ABI).

#include <cstdint>

// After Payne and Hanek, Radian reduction for trigonometric functions (1983): x is an integer times a power of two, and
// of 2/pi only the 96 bits are needed that make quarter turns below 4 and enough of their fraction.
extern "C" float lazyfuse_near_angle(float x) {
  if (!(__builtin_fabsf(x) > 1e4f && __builtin_fabsf(x) <= __FLT_MAX__)) return x;
  static constexpr std::uint32_t two_over_pi[] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                                  0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t integer = (bits & 0x7fffffu) | 0x800000u;
  // x is the integer times 2^e; the first bit of 2/pi that counts makes two quarter turns of that
  const auto first = static_cast<std::uint32_t>(static_cast<int>(bits >> 23 & 0xffu) - 127 - 23 + 30);
  const auto word = [&](std::uint32_t k) -> std::uint64_t {
    const std::uint32_t* const w = two_over_pi + first / 32 + k;
    return ((std::uint64_t{w[0]} << 32 | w[1]) << first % 32) >> 32;
  };
  std::uint64_t turns = (integer * word(0) << 32) + integer * word(1) + (integer * word(2) >> 32);  // of 2^-62 quarters
  if (bits >> 31 != 0) turns = 0 - turns;
  const std::uint64_t quarters = (turns + (std::uint64_t{1} << 61)) >> 62;
  const auto rest = static_cast<double>(static_cast<std::int64_t>(turns - (quarters << 62)));
  const auto near = __builtin_bit_cast(std::uint32_t, static_cast<float>(rest * 0x1.921fb54442d18p-62));
  // the nearest float from which x differs as said in core/math.hpp
  const std::uint32_t up = (bits - static_cast<std::uint32_t>(quarters) - near) & 3;
  return __builtin_bit_cast(float, up == 3 ? near - 1 : near + up);
}

// What core/select.hpp makes masks of.
extern "C" {
extern const double lazyfuse_all_bits, lazyfuse_no_bits;
const double lazyfuse_all_bits = __builtin_bit_cast(double, ~std::uint64_t{0}), lazyfuse_no_bits = 0;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 about its own header
#include <immintrin.h>

extern "C" {

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
