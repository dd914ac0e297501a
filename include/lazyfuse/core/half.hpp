// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// half and bfloat16: 16 bits to store a number in. Arithmetic converts them to float and rounds its result once
// (op/compute.hpp). They are types of our own because the toolkit's exist with the toolkit only, and on the host
// neither in constant expressions nor in vector loops; layouts are the same.
#pragma once

#include <lazyfuse/core/macros.hpp>
#include <lazyfuse/core/standard.hpp>

namespace lazyfuse {

namespace half_detail {
using standard::uint16_t;
using standard::uint32_t;
using standard::uint64_t;

/// x in float so that one more rounding, to fewer bits, is as if there had been one: inexact results are made odd
/// (Boldo and Melquiond, "When double rounding is odd", 2005).
LAZYFUSE_HD constexpr float rounded_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  if (back == x || x != x || back - back != 0) return nearest;
  const uint32_t bits = __builtin_bit_cast(uint32_t, nearest);
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return __builtin_bit_cast(float, (away ? bits - 1 : bits) | 1u);
}

LAZYFUSE_HD constexpr uint16_t half_of(float x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    uint16_t to;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to) : "f"(x));
    return to;
  }
#endif
  const uint32_t all = __builtin_bit_cast(uint32_t, x), sign = all & 0x80000000u, bits = all ^ sign;
  // below the normal numbers the sum with a power of two rounds at the right place
  const float aligner = 0.5f;
  const uint32_t below =
      __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, bits) + aligner) - __builtin_bit_cast(uint32_t, aligner);
  const uint32_t normal = (bits - (112u << 23) + 0xfffu + ((bits >> 13) & 1u)) >> 13;
  const uint32_t special = bits > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const uint32_t to = bits >= 0x477ff000u ? special : bits < (113u << 23) ? below : normal;
  return static_cast<uint16_t>(to | (sign >> 16));
}
LAZYFUSE_HD constexpr float from_half(uint16_t from) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    float to;
    asm("cvt.f32.f16 %0, %1;" : "=f"(to) : "h"(from));
    return to;
  }
#endif
  const uint32_t shifted = (from & 0x7fffu) << 13, sign = (from & 0x8000u) << 16;
  const uint32_t bits = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, shifted) * 0x1p112f);
  return __builtin_bit_cast(float, sign | (shifted >= (0x7c00u << 13) ? shifted | 0x7f800000u : bits));
}

LAZYFUSE_HD constexpr uint16_t bfloat16_of(float x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    uint16_t to;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to) : "f"(x));
    return to;
  }
#endif
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  const uint32_t quiet = (bits >> 16 & 0x8000u) | 0x7fc0u, rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}
}  // namespace half_detail

/// IEEE 754's binary16: 11 significant bits, up to 65504. NumPy's float16.
struct half {
  standard::uint16_t bits;
  static constexpr float largest = 65504;

  half() = default;
  LAZYFUSE_HD constexpr explicit half(float x) : bits(half_detail::half_of(x)) {}
  LAZYFUSE_HD constexpr explicit half(double x) : half(half_detail::rounded_to_odd(x)) {}
  template <class T>
  requires standard::is_integral_v<T> LAZYFUSE_HD constexpr explicit half(T x)
      : half(static_cast<standard::conditional_t<(sizeof(T) > 2), double, float>>(x)) {}
  LAZYFUSE_HD constexpr operator float() const { return half_detail::from_half(bits); }
};

/// The upper half of a float: 8 significant bits, the range of float. bfloat16 of ml_dtypes and JAX.
struct bfloat16 {
  standard::uint16_t bits;
  static constexpr float largest = 0x1.fep127f;

  bfloat16() = default;
  LAZYFUSE_HD constexpr explicit bfloat16(float x) : bits(half_detail::bfloat16_of(x)) {}
  LAZYFUSE_HD constexpr explicit bfloat16(double x) : bfloat16(half_detail::rounded_to_odd(x)) {}
  template <class T>
  requires standard::is_integral_v<T> LAZYFUSE_HD constexpr explicit bfloat16(T x)
      : bfloat16(static_cast<standard::conditional_t<(sizeof(T) > 2), double, float>>(x)) {}
  LAZYFUSE_HD constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<standard::uint32_t>(bits) << 16);
  }
};

}  // namespace lazyfuse
