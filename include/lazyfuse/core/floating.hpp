// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floating-point numbers look like: their bits and their ends, for functions that no compiler option may change.
#pragma once

#include <lazyfuse/core/macros.hpp>

#include <cuda/std/cstdint>

namespace lazyfuse::math {

template <class T>
struct bits_of;
template <>
struct bits_of<float> {
  using type = ::cuda::std::uint32_t;
};
template <>
struct bits_of<double> {
  using type = ::cuda::std::uint64_t;
};
/// The bits of a number, all of them and without its sign: these are in the order of magnitudes, NaN above infinity.
template <class T>
LAZYFUSE_HD constexpr auto all_bits(T x) {
  return __builtin_bit_cast(typename bits_of<T>::type, x);
}
template <class T>
LAZYFUSE_HD constexpr auto magnitude_bits(T x) {
  return all_bits(x) & (~typename bits_of<T>::type(0) >> 1);
}
template <class T>
LAZYFUSE_HD constexpr T infinity() {
  return T(__builtin_huge_valf());
}
/// The largest finite number.
template <class T>
LAZYFUSE_HD constexpr T largest() {
  if constexpr (sizeof(T) == 8) return 0x1.fffffffffffffp1023;
  else if constexpr (sizeof(T) == 4) return 0x1.fffffep127f;
  else return T(T::largest);
}

}  // namespace lazyfuse::math
