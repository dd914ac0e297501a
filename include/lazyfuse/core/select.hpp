// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A choice that loops can be vectorised over, whatever its sides cost.
#pragma once

#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse::math {

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
#define LAZYFUSE_SELECT_BITS 1
#else
#define LAZYFUSE_SELECT_BITS 0
#endif

namespace select_detail {

template <int Bytes>
struct word {};
template <>
struct word<1> {
  using type = standard::uint8_t;
};
template <>
struct word<2> {
  using type = standard::uint16_t;
};
template <>
struct word<4> {
  using type = standard::uint32_t;
};
template <>
struct word<8> {
  using type = standard::uint64_t;
};
/// The element types whose bits are one word.
template <class T>
concept one_word = arithmetic_type<T> && !complex_number<T>;

#if LAZYFUSE_SELECT_BITS && defined(__SSE2__) && !defined(__SSE4_2__)
#define LAZYFUSE_SELECT_DOUBLES
extern "C" const double lazyfuse_all_bits, lazyfuse_no_bits;
#endif

/// All bits set where the condition holds, none elsewhere.
template <class U>
LAZYFUSE_HD constexpr U mask_of(bool condition) {
#if defined(LAZYFUSE_SELECT_DOUBLES)
  // This processor has vectors of compared doubles, but none of integers of 64 bits. Numbers that g++ does not know
  // (src/core/math.cpp) keep it from computing with them ahead, in branches.
  if constexpr (sizeof(U) == 8) {
    if (!__builtin_is_constant_evaluated()) {
      const double mask = condition ? lazyfuse_all_bits : lazyfuse_no_bits;
      return __builtin_bit_cast(U, mask);
    }
  }
#endif
  return static_cast<U>(U(0) - static_cast<U>(condition));
}
#undef LAZYFUSE_SELECT_DOUBLES

}  // namespace select_detail

/// x where the condition holds, y elsewhere, of two values that are there. On the host bits are combined: for a
/// conditional operator g++ would compute each side in a branch of its own, and vectorises no call in a branch.
template <class T>
LAZYFUSE_HD constexpr T select(bool condition, const T& x, const T& y) {
#if LAZYFUSE_SELECT_BITS
  if constexpr (boolean<T>) return (condition & x) | (!condition & y);
  else if constexpr (select_detail::one_word<T>) {
    using U = typename select_detail::word<sizeof(T)>::type;
    const U mask = select_detail::mask_of<U>(condition);
    const U of_x = __builtin_bit_cast(U, x), of_y = __builtin_bit_cast(U, y);
    // For vectors of 64 bytes a mask need not be negated then; those of 16 bytes have none of compared doubles.
    if constexpr (sizeof(U) <= 4) return __builtin_bit_cast(T, static_cast<U>(of_y ^ ((of_x ^ of_y) & mask)));
    else return __builtin_bit_cast(T, static_cast<U>((of_x & mask) | (of_y & static_cast<U>(~mask))));
  } else if constexpr (complex_number<T>) {
    return {select(condition, x.re, y.re), select(condition, x.im, y.im)};
  } else
#endif
    return condition ? x : y;
}

#undef LAZYFUSE_SELECT_BITS

}  // namespace lazyfuse::math
