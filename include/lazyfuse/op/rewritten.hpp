// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that nobody writes: what rewrites of programs (program/rewrite.hpp) put in the place of others.
#pragma once

#include <lazyfuse/core/sincos.hpp>
#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/op/exponential.hpp>

namespace lazyfuse {

namespace op {
/// x to a power N that is a few products: one operation, so that what is stored in 16 bits is rounded once. Integers to
/// a negative power are truncated, as by pow.
template <int N>
struct power : floating_operation {
  static constexpr int cost = N > 0 ? 2 * multiply::cost : reciprocal::cost + (N == -2 ? multiply::cost : 0);
  template <computable T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (N > 0) return multiply{}(square{}(x), N == 3 ? x : square{}(x));
    else if constexpr (integer<T>) return pow{}(x, static_cast<int64>(N));
    else return reciprocal{}(N == -1 ? x : square{}(x));
  }
};
struct cube : power<3> {
  static constexpr const char* name = "cube";
};
struct fourth_power : power<4> {
  static constexpr const char* name = "fourth_power";
};
struct inverse : power<-1> {
  static constexpr const char* name = "inverse";
};
struct inverse_square : power<-2> {
  static constexpr const char* name = "inverse_square";
};
/// Sine and cosine of one value, computed together; what remains of them are the two that follow.
struct sincos : floating_operation {
  static constexpr const char* name = "sincos";
  static constexpr int cost = 24;
  template <class T>
    requires(floating_point<T> || complex_number<T>)
  LAZYFUSE_HD math::sine_cosine<T>
  operator()(T x) const {
    if constexpr (real_number<T>) return math::sincos(x);
    else if constexpr (complex_number<T>) return {math::sin(x), math::cos(x)};
    else {
      const auto both = math::sin_and_cos(static_cast<float>(x));  // fused or not, 16-bit reals keep their bits
      return {T(both.sine), T(both.cosine)};
    }
  }
};
/// The sine of the pair.
struct sine_of : exact_operation {
  static constexpr const char* name = "sine_of";
  template <class T>
  LAZYFUSE_HD T operator()(const math::sine_cosine<T>& both) const {
    return both.sine;
  }
};
/// The cosine of the pair.
struct cosine_of : exact_operation {
  static constexpr const char* name = "cosine_of";
  template <class T>
  LAZYFUSE_HD T operator()(const math::sine_cosine<T>& both) const {
    return both.cosine;
  }
};
/// A divisor that many numbers have in common: scaled into the middle of the range, and its reciprocal.
template <class T>
struct common_divisor {
  T value, scale, reciprocal;
};
struct divisor : exact_operation {
  static constexpr const char* name = "";  ///< programs do not show it
  static constexpr int cost = 10;
  template <real_number T>
  LAZYFUSE_HD common_divisor<T> operator()(T x) const {
#if defined(__CUDA_ARCH__)
    constexpr T large = sizeof(T) == 4 ? T(0x1p64) : T(0x1p512), small = 1 / large;
    const T scale = math::abs(x) < small ? large : math::abs(x) > large ? small : T(1);
    const T scaled = x * scale;
    if constexpr (sizeof(T) == 4) {  // in the middle of the range one step of Newton's is enough
      T rough;
      asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(scaled));
      const T rest = ::fma(-scaled, rough, T(1));
      return {scaled, scale, math::abs(rest) < 1 ? ::fma(rough, rest, rough) : rough};
    } else return {scaled, scale, 1 / scaled};
#else
    return {x, 1, 1};
#endif
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return z;
  }
};
/// The quotient by such a divisor: the product with the reciprocal, corrected by its remainder (Markstein, IBM Journal
/// of Research and Development 34, 1990). Processors divide fast enough.
struct divide_by : exact_operation {
  static constexpr const char* name = "divide_by";
  static constexpr const char* symbol = "/";
  static constexpr int cost = 5;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, const common_divisor<T>& by) const {
#if defined(__CUDA_ARCH__)
    const T scaled = x * by.scale, quotient = scaled * by.reciprocal, rest = ::fma(-quotient, by.value, scaled);
    return math::abs(rest) < infinity_of<T> ? ::fma(rest, by.reciprocal, quotient) : quotient;
#else
    return x / by.value;
#endif
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T x, T by) const {
    return x / by;
  }
};
}  // namespace op

}  // namespace lazyfuse
