// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of any type, real or complex, as numbers whose distance is measured, and what rounding they have.
#pragma once

#include "arrays.hpp"

#include <complex>
#include <limits>

namespace test {

using number = std::complex<double>;

template <class T>
number as_number(const T& v) {
  if constexpr (lf::complex_number<T>) return {v.re, v.im};
  else return static_cast<double>(v);
}
template <class T>
constexpr double epsilon() {
  return std::numeric_limits<lf::part_t<T>>::epsilon();
}

}  // namespace test
