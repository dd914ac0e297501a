// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five algorithms that headers need. With <algorithm>, <memory>, <atomic> and <ranges>, lazyfuse.hpp took g++ half
// as long again.
#pragma once

#include <lazyfuse/core/index.hpp>

namespace lazyfuse::algorithm {

template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
constexpr T clamp(T x, T least, T most) {
  return x < least ? least : most < x ? most : x;
}
template <class T, class V>
constexpr void fill_n(T* to, index_t n, const V& value) {
  const T filler = static_cast<T>(value);
  for (index_t i = 0; i < n; ++i) to[i] = filler;
}
/// Between places that do not overlap.
template <class T>
constexpr void copy_n(const T* __restrict__ from, index_t n, T* __restrict__ to) {
  for (index_t i = 0; i < n; ++i) to[i] = from[i];
}

}  // namespace lazyfuse::algorithm
