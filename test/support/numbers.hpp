// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that look drawn, small enough for sums and products of them to be exact.
#pragma once

#include "arrays.hpp"

#include <cstdint>

namespace test {

/// Whole ones from -50 to 50; of 16 bits eighths, whose sums do not overflow.
template <class T>
tensor<T> numbers(const extents& shape, int seed) {
  return generate<T>(shape, [&, n = std::int64_t{0}](const extents&) mutable {
    const auto drawn = static_cast<int>((n++ * 7919 + seed * 104729) % 10007 % 101) - 50;
    return T(static_cast<float>(drawn) * (lf::small_real<T> ? 0.125f : 1.0f));
  });
}
/// An array of the host.
template <class T, int R>
lf::array<T, R, lf::host> of(const tensor<T>& t) {
  return array_of<lf::host, R>(t);
}

}  // namespace test
