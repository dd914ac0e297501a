// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The larger and the smaller: what monoids have of the operations that choose. Their functions are in op/selection.hpp.
#pragma once

#include <lazyfuse/core/math.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse::op {

/// The larger operand; NaN wins, as in NumPy.
struct maximum : exact_operation {
  using rule = rules::ordered;
  static constexpr const char* name = "maximum";
  static constexpr const char* difference = "of zeros of both signs either";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (real_number<T>) return math::larger(x, y);
    else return x > y ? x : y;
  }
  /// Of 16-bit numbers nothing need be rounded.
  template <small_real T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return T(math::larger<float>(x, y));
  }
};

/// The smaller operand; NaN wins, as in NumPy.
struct minimum : exact_operation {
  using rule = rules::ordered;
  static constexpr const char* name = "minimum";
  static constexpr const char* difference = "of zeros of both signs either";
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (real_number<T>) return math::smaller(x, y);
    else return x < y ? x : y;
  }
  template <small_real T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return T(math::smaller<float>(x, y));
  }
};

/// The larger operand; a number wins over NaN.
struct fmax : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "fmax";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (real_number<T>) return y != y || x > y ? x : y;
    else return x > y ? x : y;
  }
};

/// The smaller operand; a number wins over NaN.
struct fmin : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "fmin";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    if constexpr (real_number<T>) return y != y || x < y ? x : y;
    else return x < y ? x : y;
  }
};

}  // namespace lazyfuse::op
