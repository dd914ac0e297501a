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
/// The largest finite number.
template <class T>
LAZYFUSE_HD constexpr T largest() {
  if constexpr (sizeof(T) == 8) return 0x1.fffffffffffffp1023;
  else if constexpr (sizeof(T) == 4) return 0x1.fffffep127f;
  else return T(T::largest);
}

}  // namespace lazyfuse::math
