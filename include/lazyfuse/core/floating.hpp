// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floating-point numbers look like: their bits and their ends, for functions that no compiler option may change.
#pragma once

#include <lazyfuse/core/macros.hpp>
#include <lazyfuse/core/standard.hpp>

namespace lazyfuse::math {

/// An unsigned integer of as many bits: of 16-bit numbers too, since a GPU widens their NaN without its sign.
template <class T>
using bits_of =
    standard::conditional_t<sizeof(T) == 2, standard::uint16_t,
                            standard::conditional_t<sizeof(T) == 4, standard::uint32_t, standard::uint64_t>>;
/// The bits of a number, all of them and without its sign: these are in the order of magnitudes, NaN above infinity.
template <class T>
LAZYFUSE_HD constexpr auto all_bits(T x) {
  return __builtin_bit_cast(bits_of<T>, x);
}
template <class T>
LAZYFUSE_HD constexpr auto magnitude_bits(T x) {
  return static_cast<bits_of<T>>(all_bits(x) & (static_cast<bits_of<T>>(-1) >> 1));
}
template <class T>
LAZYFUSE_HD constexpr T infinity() {
  return T(__builtin_bit_cast(float, 0x7f800000u));
}
/// From its bits, since NVRTC knows no __builtin_nanf.
template <class T>
LAZYFUSE_HD constexpr T not_a_number() {
  return T(__builtin_bit_cast(float, 0x7fc00000u));
}
/// The largest finite number.
template <class T>
LAZYFUSE_HD constexpr T largest() {
  if constexpr (sizeof(T) == 8) return 0x1.fffffffffffffp1023;
  else if constexpr (sizeof(T) == 4) return 0x1.fffffep127f;
  else return T(T::largest);
}

/// A 64-bit integer as a number of type T, float or double. Processors of x86 convert vectors of these only with
/// AVX-512: for others each half is put behind a power of two, which rounds nothing, and their sum is rounded once.
/// Compilers that may reorder sums would undo it. A float that is beyond 2^53 is rounded twice.
template <class T>
LAZYFUSE_HD constexpr T real_of(standard::int64_t i) {
#if defined(__clang__) && defined(__x86_64__) && !defined(__CUDA_ARCH__)
#pragma clang fp reassociate(off)
#endif
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__) || !defined(__x86_64__) || defined(__AVX512DQ__) || \
    defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
  return static_cast<T>(i);
#else
  const auto bits = static_cast<standard::uint64_t>(i);
  const double low = __builtin_bit_cast(double, (bits & 0xffffffffu) | 0x4330000000000000u);  // + 2^52
  const double high = __builtin_bit_cast(double, (bits >> 32) ^ 0x4530000080000000u);         // + 2^84 + 2^63
  return static_cast<T>((high - 0x1.00000801p84) + low);
#endif
}

}  // namespace lazyfuse::math
